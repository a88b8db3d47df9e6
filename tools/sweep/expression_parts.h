/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_EXPRESSION_PARTS_H
#define TOOLS_SWEEP_EXPRESSION_PARTS_H

#include "tools/sweep/expression.h"

/* What parser and evaluator of expressions share. Nodes are in one array; links are places in it.
 */
enum sweep_operation {
	SWEEP_OP_CONSTANT,
	SWEEP_OP_PARAMETER,
	SWEEP_OP_OR,
	SWEEP_OP_AND,
	SWEEP_OP_NOT,
	SWEEP_OP_EQUAL,
	SWEEP_OP_UNEQUAL,
	SWEEP_OP_LESS,
	SWEEP_OP_LESS_EQUAL,
	SWEEP_OP_GREATER,
	SWEEP_OP_GREATER_EQUAL,
	SWEEP_OP_IN,
	SWEEP_OP_ADD,
	SWEEP_OP_SUBTRACT,
	SWEEP_OP_MULTIPLY,
	SWEEP_OP_DIVIDE,
	SWEEP_OP_FLOOR_DIVIDE,
	SWEEP_OP_MODULO,
	SWEEP_OP_POWER,
	SWEEP_OP_NEGATE,
	SWEEP_OP_MIN,
	SWEEP_OP_MAX,
	SWEEP_OP_ABS,
	SWEEP_OP_FLOOR,
	SWEEP_OP_CEIL,
	SWEEP_OP_ROUND,
	SWEEP_OP_SQRT,
	SWEEP_OP_LOG2,
};

#define SWEEP_MAX_NODES 256 /* of one expression */
#define SWEEP_NONE -1

struct sweep_node {
	enum sweep_operation operation;
	int first;		  /* first operand, or the parameter */
	int next;		  /* the operand behind this one */
	struct sweep_value value; /* of a constant */
};

struct sweep_expression {
	char *text; /* constants of texts stand in it */
	struct sweep_node nodes[SWEEP_MAX_NODES];
	int n_nodes, root;
};

#endif
