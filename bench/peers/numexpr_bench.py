#!/usr/bin/python3
"""Pointwise cases for numexpr: one compiled expression, evaluated block by block."""

import numexpr
import numpy as np

import python_peer  # beside this file

numexpr.set_num_threads(1)

EXPRESSIONS = {"exp": "exp(x)", "log": "log(x)", "sin": "sin(x)", "cos": "cos(x)", "tanh": "tanh(x)", "sqrt": "sqrt(x)", "neg": "-x",
               "abs": "abs(x)", "sigmoid": "one / (one + exp(-x))", "add_out": "x + y", "add": "x + y", "pow_scalar": "x ** h",
               "pow_tensor": "x ** y", "where": "where(m, x, y)", "lt": "x < y", "lerp": "x + t * (y - x)", "sum_all": "sum(x)"}


def prepare(name, x, y, out):
    if name not in EXPRESSIONS:
        return None
    values = {"x": x, "y": y, "m": x < 1, "one": np.float32(1), "h": np.float32(2.5), "t": np.float32(0.3)}
    into = None if name in ("add", "where", "lt", "lerp", "sum_all") else out
    numexpr.evaluate(EXPRESSIONS[name], local_dict=values, out=into)
    return lambda: numexpr.re_evaluate(local_dict=values)


if __name__ == "__main__":
    python_peer.main(prepare)
