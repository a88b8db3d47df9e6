// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <string.h>

#include "tools/sweep/expression_parts.h"

struct evaluation {
	const struct sweep_expression *expression;
	const struct sweep_value *values;
	struct util_error *err;
};

static int value_of(const struct evaluation *e, int node, struct sweep_value *out);

static struct sweep_value number(double value)
{
	return (struct sweep_value){.number = value, .is_number = true};
}

static int number_of(const struct evaluation *e, int node, double *out)
{
	struct sweep_value value;
	int failed = value_of(e, node, &value);

	if (failed)
		return failed;
	if (!value.is_number)
		return util_refuse(e->err, "found the text \"%.40s\", wanted a number", value.text);
	*out = value.number;
	return 0;
}

static bool are_equal(struct sweep_value a, struct sweep_value b)
{
	if (a.is_number && b.is_number)
		return a.number == b.number;
	return a.text && b.text && strcmp(a.text, b.text) == 0;
}

static int value_of_logic(const struct evaluation *e, const struct sweep_node *node,
			  struct sweep_value *out)
{
	double left = 0, right = 0;
	int failed = number_of(e, node->first, &left);

	if (!failed && node->operation == SWEEP_OP_NOT)
		right = left == 0;
	else if (!failed && (left != 0) == (node->operation == SWEEP_OP_OR))
		right = left; /* the other side does not matter, and may not be defined */
	else if (!failed)
		failed = number_of(e, e->expression->nodes[node->first].next, &right);
	if (!failed)
		*out = number(right != 0);
	return failed;
}

static int value_of_equality(const struct evaluation *e, const struct sweep_node *node,
			     struct sweep_value *out)
{
	const struct sweep_node *nodes = e->expression->nodes;
	struct sweep_value left, right;
	bool is_equal = false;
	int failed = value_of(e, node->first, &left);

	for (int i = nodes[node->first].next; i >= 0 && !failed && !is_equal; i = nodes[i].next) {
		failed = value_of(e, i, &right);
		is_equal = !failed && are_equal(left, right);
	}
	if (!failed)
		*out = number(is_equal != (node->operation == SWEEP_OP_UNEQUAL));
	return failed;
}

static int divide(const struct evaluation *e, enum sweep_operation operation, double a, double b,
		  double *out)
{
	if (b == 0)
		return util_refuse(e->err, "found a division by zero, wanted another divisor");
	*out = operation == SWEEP_OP_DIVIDE	    ? a / b
	       : operation == SWEEP_OP_FLOOR_DIVIDE ? floor(a / b)
						    : a - b * floor(a / b);
	return 0;
}

static int value_of_pair(const struct evaluation *e, const struct sweep_node *node,
			 struct sweep_value *out)
{
	double a = 0, b = 0, result = 0;
	int failed = number_of(e, node->first, &a);

	if (!failed)
		failed = number_of(e, e->expression->nodes[node->first].next, &b);
	if (failed)
		return failed;
	switch (node->operation) {
	case SWEEP_OP_LESS:
		result = a < b;
		break;
	case SWEEP_OP_LESS_EQUAL:
		result = a <= b;
		break;
	case SWEEP_OP_GREATER:
		result = a > b;
		break;
	case SWEEP_OP_GREATER_EQUAL:
		result = a >= b;
		break;
	case SWEEP_OP_ADD:
		result = a + b;
		break;
	case SWEEP_OP_SUBTRACT:
		result = a - b;
		break;
	case SWEEP_OP_MULTIPLY:
		result = a * b;
		break;
	case SWEEP_OP_POWER:
		result = pow(a, b);
		break;
	default:
		failed = divide(e, node->operation, a, b, &result);
	}
	*out = number(result);
	return failed;
}

static int value_of_function(const struct evaluation *e, const struct sweep_node *node,
			     struct sweep_value *out)
{
	double first = 0, other = 0;
	int failed = number_of(e, node->first, &first);

	if (failed)
		return failed;
	switch (node->operation) {
	case SWEEP_OP_NEGATE:
		first = -first;
		break;
	case SWEEP_OP_ABS:
		first = fabs(first);
		break;
	case SWEEP_OP_FLOOR:
		first = floor(first);
		break;
	case SWEEP_OP_CEIL:
		first = ceil(first);
		break;
	case SWEEP_OP_ROUND:
		first = round(first);
		break;
	case SWEEP_OP_SQRT:
		first = sqrt(first);
		break;
	case SWEEP_OP_LOG2:
		first = log2(first);
		break;
	default: /* min, max */
		for (int i = e->expression->nodes[node->first].next; i >= 0 && !failed;
		     i = e->expression->nodes[i].next) {
			failed = number_of(e, i, &other);
			if (!failed && (node->operation == SWEEP_OP_MIN) == (other < first))
				first = other;
		}
	}
	*out = number(first);
	return failed;
}

static int value_of(const struct evaluation *e, int index, struct sweep_value *out)
{
	const struct sweep_node *node = &e->expression->nodes[index];

	switch (node->operation) {
	case SWEEP_OP_CONSTANT:
		*out = node->value;
		return 0;
	case SWEEP_OP_PARAMETER:
		*out = e->values[node->first];
		return 0;
	case SWEEP_OP_OR:
	case SWEEP_OP_AND:
	case SWEEP_OP_NOT:
		return value_of_logic(e, node, out);
	case SWEEP_OP_EQUAL:
	case SWEEP_OP_UNEQUAL:
	case SWEEP_OP_IN:
		return value_of_equality(e, node, out);
	default:
		return node->operation >= SWEEP_OP_NEGATE ? value_of_function(e, node, out)
							  : value_of_pair(e, node, out);
	}
}

int sweep_expression_value(const struct sweep_expression *expression,
			   const struct sweep_value values[], struct sweep_value *out,
			   struct util_error *err)
{
	struct evaluation e = {.expression = expression, .values = values, .err = err};

	if (value_of(&e, expression->root, out))
		return err ? err->code : UTIL_EINPUT;
	if (out->is_number && !out->text && !isfinite(out->number))
		return util_refuse(err, "found a result that is no finite number, wanted one");
	return 0;
}

int sweep_expression_holds(const struct sweep_expression *expression,
			   const struct sweep_value values[], bool *out, struct util_error *err)
{
	struct sweep_value value;
	int failed = sweep_expression_value(expression, values, &value, err);

	if (failed)
		return failed;
	if (!value.is_number)
		return util_refuse(err, "found the text \"%.40s\", wanted a condition", value.text);
	*out = value.number != 0;
	return 0;
}
