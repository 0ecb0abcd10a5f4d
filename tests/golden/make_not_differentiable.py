#!/usr/bin/python3
"""Writes not_differentiable.jsonl: ops that record a node whose backward raises. See golden.py."""
from golden import *


def raises(op, *args, **kwargs):
    case(op, *args, **kwargs)
    tensors = [a for a in list(args) + list(kwargs.values()) if isinstance(a, Arg)]
    given = [live(a) for a in args]
    function = resolve(op)
    if op.endswith("_"):
        given[0] = given[0].clone()
        function = lambda self, *rest: getattr(self, op)(*rest)
    result = function(*given, **{k: live(v) for k, v in kwargs.items()})
    result = result[0] if isinstance(result, tuple) else result
    problems = []
    for t in tensors:
        if not t.grad:
            continue
        try:
            torch.autograd.grad(result.sum(), t.leaf, retain_graph=True)
        except RuntimeError as error:
            problems.append(str(error))
    cases[-1]["backward_error"] = problems[0]


for d in FLOATING:
    raises("special_zeta", Arg(d, [2, 3], "c", 1.5, 4), Arg(d, [3], "c", 0.5, 4))
    raises("special_zeta", Arg(d, [2, 3], "c", 1.5, 4), 2.5)
    raises("nextafter", Arg(d, [2, 3]), Arg(d, [3]))
    raises("nextafter_", Arg(d, [2, 3]), Arg(d, [3]))
    raises("heaviside", Arg(d, [2, 3]), Arg(d, [3]))
    raises("heaviside_", Arg(d, [2, 3]), Arg(d, [3], grad=False))
    raises("floor_divide", Arg(d, [2, 3], "t"), Arg(d, [3], "c", 1, 3))
    raises("floor_divide_", Arg(d, [2, 3]), Arg(d, [3], "c", 1, 3))
    raises("_unique", Arg(d, [5], "c", -1, 1))
    raises("_unique2", Arg(d, [5], "c", -1, 1), True, True, True)
    raises("unique_dim", Arg(d, [3, 2], "c", -1, 1), 0, True, True, True)
    raises("unique_consecutive", Arg(d, [5], "c", -1, 1), True, True)
    raises("bincount", Arg("Long", [4], "c", 0, 3), Arg(d, [4]))

write("not_differentiable.jsonl")
