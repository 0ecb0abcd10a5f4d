#!/usr/bin/python3
"""Writes incomplete_gamma.jsonl: the regularised incomplete gamma functions, by their second argument. See golden.py."""
from golden import *

HALVES = ["Half", "BFloat16"]
for op in ("igamma", "igammac"):
    for dtype in FLOATING + HALVES:
        for low, high in ((0.1, 1), (0.5, 12), (20, 40)) if dtype != "Double" else ((0.1, 1), (0.5, 19)):  # 9 digits beyond
            case(op, Arg(dtype, [2, 3], rng.choice("cts"), low, high, grad=False), Arg(dtype, [3], "c", low, high))
    for a, b in (("Float", "Double"), ("Half", "BFloat16"), ("Int", "Float"), ("Double", "Long")):
        case(op, Arg(a, [2, 1], "c", 1, 9, grad=False), Arg(b, [3], "c", 1, 9))
    for dtype in FLOATING:  # 0 and what is negative
        case(op, Arg(dtype, [2, 3], "c", 0, 0, grad=False), Arg(dtype, [3], "c", 0, 4, grad=False))
        case(op, Arg(dtype, [2, 3], "c", 0.1, 4, grad=False), Arg(dtype, [3], "c", 0, 0, grad=False))
        case(op, Arg(dtype, [2, 3], "c", -2, 2, grad=False), Arg(dtype, [3], "c", -2, 2, grad=False))
        case(op + "_", Arg(dtype, [2, 2], "c", 1, 3, grad=False), Arg(dtype, [2], "c", 1, 3))
    case(op, Arg("Float", [2, 3]), Arg("Float", [4]))
    case(op + "_", Arg("Float", [2], grad=False), Arg("Float", [3, 2]))
for op in ("special_gammainc", "special_gammaincc"):
    for dtype in FLOATING:
        case(op, Arg(dtype, [2, 3], "c", 0.5, 8, grad=False), Arg(dtype, [3], "c", 0.5, 8))

write("incomplete_gamma.jsonl")
