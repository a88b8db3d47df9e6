/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A module of Python that calls MPI, as mpi4py does: buffers by the buffer protocol, the interpreter's
 * lock released around the calls, a variable of the module that each rank must have for itself.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <mpi.h>

static int n_calls;

static PyObject *rank(PyObject *self, PyObject *none)
{
	int rank, size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	return Py_BuildValue("ii", rank, size);
}

static PyObject *send(PyObject *self, PyObject *arguments)
{
	Py_buffer data;
	int to;

	if (!PyArg_ParseTuple(arguments, "y*i", &data, &to))
		return NULL;
	n_calls++;
	Py_BEGIN_ALLOW_THREADS MPI_Send(data.buf, (int)data.len, MPI_BYTE, to, 0, MPI_COMM_WORLD);
	Py_END_ALLOW_THREADS PyBuffer_Release(&data);
	Py_RETURN_NONE;
}

static PyObject *receive(PyObject *self, PyObject *arguments)
{
	MPI_Status status;
	PyObject *data;
	int from, count;

	if (!PyArg_ParseTuple(arguments, "i", &from))
		return NULL;
	n_calls++;
	Py_BEGIN_ALLOW_THREADS MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
	Py_END_ALLOW_THREADS MPI_Get_count(&status, MPI_BYTE, &count);
	data = PyBytes_FromStringAndSize(NULL, count);
	if (!data)
		return NULL;
	Py_BEGIN_ALLOW_THREADS MPI_Recv(PyBytes_AS_STRING(data), count, MPI_BYTE, from, 0,
					MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	Py_END_ALLOW_THREADS return data;
}

/* Sums doubles in place. */
static PyObject *allreduce(PyObject *self, PyObject *arguments)
{
	Py_buffer data;

	if (!PyArg_ParseTuple(arguments, "w*", &data))
		return NULL;
	n_calls++;
	Py_BEGIN_ALLOW_THREADS MPI_Allreduce(MPI_IN_PLACE, data.buf, (int)(data.len / 8),
					     MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	Py_END_ALLOW_THREADS PyBuffer_Release(&data);
	Py_RETURN_NONE;
}

static PyObject *time_now(PyObject *self, PyObject *none)
{
	return PyFloat_FromDouble(MPI_Wtime());
}

static PyObject *calls(PyObject *self, PyObject *none)
{
	return PyLong_FromLong(n_calls);
}

static PyMethodDef methods[] = {
    {"rank", rank, METH_NOARGS, NULL},
    {"send", send, METH_VARARGS, NULL},
    {"receive", receive, METH_VARARGS, NULL},
    {"allreduce", allreduce, METH_VARARGS, NULL},
    {"time", time_now, METH_NOARGS, NULL},
    {"calls", calls, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "minimpi", NULL, -1, methods, NULL, NULL, NULL, NULL};

static void finalize(void)
{
	MPI_Finalize();
}

PyMODINIT_FUNC PyInit_minimpi(void)
{
	int level;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	Py_AtExit(finalize);
	return PyModule_Create(&module);
}
