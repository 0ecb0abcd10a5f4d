#!/usr/bin/python3
"""Writes polynomials.jsonl: orthogonal polynomials. See golden.py. PyTorch's f32 recurrences lose what ours, in f64, do not, so
most cases are f64 and the degrees of f32 low."""
from golden import *

OPS = ["special_" + s + "chebyshev_polynomial_" + k for s in ("", "shifted_") for k in "tuvw"]
OPS += ["special_hermite_polynomial_h", "special_hermite_polynomial_he", "special_laguerre_polynomial_l",
        "special_legendre_polynomial_p"]

for op in OPS:
    low, high = (0.05, 0.95) if "shifted" in op else (-0.95, 0.95)
    for n in (-1, 0, 1, 3, 8, 12):
        case(op, Arg("Double", [2, 3], rng.choice("cts"), low, high, grad=False), n)
    case(op, Arg("Float", [4], "c", low, high, grad=False), 3)
    case(op, Arg("Double", [3], "c", 1.5, 3, grad=False), 5)
    case(op, Arg("Double", [2, 1], "c", low, high, grad=False), Arg("Long", [3], "c", 0, 9))
    case(op, Arg("Float", [2, 1], "c", low, high, grad=False), Arg("Double", [3], "c", 0, 5, grad=False))
    case(op, 0.4, Arg("Double", [3], "c", 0, 9, grad=False))
    case(op, 0.4, Arg("Int", [3], "c", 0, 3))
    case(op, Arg("Int", [3], "c", -2, 2), 2)
    case(op, Arg("ComplexFloat", [2], "c", grad=False), 2)
write("polynomials.jsonl")
