#!/usr/bin/python3
"""Pointwise cases for NumPy, with out= where the case writes to an existing array."""

import numpy as np

import python_peer  # beside this file


def prepare(name, x, y, out):
    simple = {"exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sqrt": np.sqrt, "neg": np.negative,
              "abs": np.abs}
    if name in simple:
        ufunc = simple[name]
        return lambda: ufunc(x, out=out)
    mask = x < 1
    half, tenths = np.float32(2.5), np.float32(0.3)

    def sigmoid():
        np.negative(x, out=out)
        np.exp(out, out=out)
        np.add(out, np.float32(1), out=out)
        return np.divide(np.float32(1), out, out=out)

    return {
        "add_out": lambda: np.add(x, y, out=out),
        "add": lambda: x + y,
        "sigmoid": sigmoid,
        "pow_scalar": lambda: np.power(x, half, out=out),
        "pow_tensor": lambda: np.power(x, y, out=out),
        "where": lambda: np.where(mask, x, y),
        "lt": lambda: x < y,
        "lerp": lambda: x + tenths * (y - x),
        "sum": lambda: np.sum(x),
        "sum_all": lambda: np.sum(x),
    }.get(name)


if __name__ == "__main__":
    python_peer.main(prepare)
