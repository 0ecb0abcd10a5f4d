#!/usr/bin/env python3
"""Writes ops.jsonl: what PyTorch 1.13 (Debian's python3-torch) answers to calls of the ops that Lanewise has.

A line is a case: the op, its inputs (a leaf and the views that lead to the argument), its keyword arguments, and what came out:
values, dtypes, strides, the name of grad_fn, gradients of the leaves, or that it raised an error. Run it without arguments, in
this folder; the output depends on nothing but this file and PyTorch's version.
"""
import json
import math
import random
import warnings

import torch

warnings.simplefilter("ignore")

torch.manual_seed(0)
rng = random.Random(0)

DTYPES = {
    "Bool": torch.bool, "Byte": torch.uint8, "Char": torch.int8, "Short": torch.int16, "Int": torch.int32,
    "Long": torch.int64, "Half": torch.float16, "BFloat16": torch.bfloat16, "Float": torch.float32,
    "Double": torch.float64, "ComplexFloat": torch.complex64, "ComplexDouble": torch.complex128,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
FLOATING = ["Float", "Double"]
COMPLEX = ["ComplexFloat", "ComplexDouble"]
INTEGRAL = ["Byte", "Char", "Short", "Int", "Long"]


def number(x):
    if isinstance(x, complex):
        return [number(x.real), number(x.imag)]
    if isinstance(x, float):
        if math.isnan(x):
            return "nan"
        if math.isinf(x):
            return "inf" if x > 0 else "-inf"
        return float(f"{x:.17g}") if x != int(x) or abs(x) > 1e15 or (x == 0 and math.copysign(1, x) < 0) else int(x)
    return int(x)


def tensor_out(t):
    wide = t.detach()
    if wide.dtype in (torch.float16, torch.bfloat16):
        wide = wide.float()
    values = [number(v) for v in wide.reshape(-1).tolist()]
    return {"dtype": NAMES[t.dtype], "sizes": list(t.shape), "values": values}


def values_of(dtype, n, low=-3.0, high=3.0):
    t = DTYPES[dtype]
    if dtype == "Bool":
        return [rng.random() < 0.5 for _ in range(n)]
    if dtype in INTEGRAL:
        low = max(low, 0) if dtype == "Byte" else low
        return [rng.randint(math.ceil(low), math.floor(high)) for _ in range(n)]
    if dtype in COMPLEX:
        return [complex(round(rng.uniform(low, high), 2), round(rng.uniform(low, high), 2)) for _ in range(n)]
    return torch.tensor([round(rng.uniform(low, high), 2) for _ in range(n)], dtype=t).double().tolist()


class Arg:
    """A tensor argument: a contiguous leaf and the views that lead to the argument."""

    def __init__(self, dtype, sizes, layout="c", low=-3.0, high=3.0, grad=True):
        leaf_sizes, self.views = list(sizes), []
        if layout == "t" and len(sizes) >= 2:
            leaf_sizes[0], leaf_sizes[-1] = leaf_sizes[-1], leaf_sizes[0]
            self.views = [["transpose", 0, -1]]
        elif layout == "s" and len(sizes) >= 1:
            leaf_sizes[-1] *= 2
            self.views = [["slice", len(sizes) - 1, 0, leaf_sizes[-1], 2]]
        elif layout == "e" and len(sizes) >= 1:
            leaf_sizes[0] = 1
            self.views = [["expand", list(sizes)]]
        n = math.prod(leaf_sizes)
        self.leaf = torch.tensor(values_of(dtype, n, low, high), dtype=DTYPES[dtype]).reshape(leaf_sizes)
        self.grad = grad and dtype in FLOATING + COMPLEX
        self.leaf.requires_grad_(self.grad)

    def tensor(self):
        t = self.leaf
        for name, *args in self.views:
            if name == "slice":
                dim, start, end, step = args
                t = torch.ops.aten.slice(t, dim, start, end, step)
            else:
                t = getattr(t, name)(*args)
        return t

    def json(self):
        out = tensor_out(self.leaf)
        if self.views:
            out["views"] = self.views
        if self.grad:
            out["requires_grad"] = True
        return {"tensor": out}


def encode(a):
    if isinstance(a, Arg):
        return a.json()
    if isinstance(a, torch.dtype):
        return {"dtype": NAMES[a]}
    if a is None:
        return None
    if isinstance(a, bool):
        return {"bool": a}
    if isinstance(a, int):
        return {"int": a}
    if isinstance(a, float):
        return {"float": number(a)}
    if isinstance(a, complex):
        return {"complex": number(a)}
    if isinstance(a, str):
        return {"string": a}
    return {"ints": list(a)}


def resolve(op):
    for place in (torch, torch._C._nn, torch.ops.aten):
        if hasattr(place, op):
            return getattr(place, op)
    return lambda self, *args, **kwargs: getattr(self, op)(*args, **kwargs)


cases = []


def case(op, *args, **kwargs):
    """Runs one call and records what came out. What PyTorch has no kernel for on the CPU is left out: there we do more."""
    function = resolve(op)
    entry = {"op": op, "args": [encode(a) for a in args]}
    if kwargs:
        entry["kwargs"] = {k: encode(v) for k, v in kwargs.items()}
    tensors = [a for a in args if isinstance(a, Arg)]
    live = [a.tensor() if isinstance(a, Arg) else a for a in args]
    if op.endswith("_"):
        live[0] = live[0].clone()
        function = lambda self, *rest, **kw: getattr(self, op)(*rest, **kw)
    try:
        result = function(*live, **kwargs)
    except (RuntimeError, TypeError, IndexError, ValueError) as error:
        if "not implemented for" in str(error) or "not supported for" in str(error):
            return
        entry["error"] = str(error).splitlines()[0][:120]
        cases.append(entry)
        return
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    if op in ("div", "div_") and any(r.is_complex() and bool(torch.isnan(torch.view_as_real(r)).any()) for r in results):
        return  # its vector code gives NaN for a division by zero, its scalar code infinity as C does
    if any(r.dtype not in NAMES for r in results):
        return  # complex32: Lanewise has no such type
    entry["results"] = [tensor_out(r) for r in results]
    if op not in ("contiguous",):
        for out, r in zip(entry["results"], results):
            if r.numel() > 1:
                out["strides"] = list(r.stride())
    node = next((r.grad_fn for r in results if r.grad_fn is not None), None)
    if node is not None:
        if not op.endswith("_"):
            entry["node"] = type(node).__name__
            entry["edges"] = [None if f is None else type(f).__name__ for f, _ in node.next_functions]
        try:
            flat = [torch.view_as_real(r.contiguous()) if r.is_complex() else r for r in results if r.requires_grad]
            loss = sum((r * weights(r)).sum() for r in flat)
            loss.backward()
            entry["grads"] = [None if a.leaf.grad is None else tensor_out(a.leaf.grad) for a in tensors]
        except RuntimeError:
            pass  # a limit of the reference, not of the op
    cases.append(entry)


def weights(r):
    """1, 2, 3 ... in the result's logical order, so that a gradient in the wrong place shows."""
    return torch.arange(1, r.numel() + 1, dtype=torch.float64).to(r.dtype).reshape(r.shape)


PAIRS = [([2, 3], [2, 3]), ([2, 3], [3]), ([2, 1], [1, 3]), ([], [3]), ([2, 3], []), ([], []), ([0, 3], [3]), ([2, 1, 2], [3, 1])]
ALL = list(DTYPES)
REAL = [d for d in ALL if d not in COMPLEX]


def binary(op, dtypes=ALL, low=-3.0, high=3.0, scalars=(2, 0.5, True, 1.5 + 1j), pairs=40, **kwargs):
    for _ in range(pairs):
        a, b = rng.choice(dtypes), rng.choice(dtypes)
        shape = rng.choice(PAIRS)
        layouts = [rng.choice("ccctse") for _ in range(2)]
        case(op, Arg(a, shape[0], layouts[0], low, high), Arg(b, shape[1], layouts[1], low, high), **kwargs)
    for s in scalars:
        for d in rng.sample(dtypes, min(4, len(dtypes))):
            case(op, Arg(d, rng.choice([[2, 2], [], [3]]), rng.choice("ct"), low, high), s, **kwargs)
    for d in ("Float", "Double", "ComplexDouble"):
        if d in dtypes:
            case(op, Arg(d, [2, 2], "c", low, high), Arg(d, [2], "c", low, high), **kwargs)
    case(op, Arg("Float", [2, 3]), Arg("Float", [4]), **kwargs)


def inplace(op, dtypes=ALL, pairs=14, **kwargs):
    for _ in range(pairs):
        a, b = rng.choice(dtypes), rng.choice(dtypes)
        shapes = rng.choice([([2, 3], [2, 3]), ([2, 3], [3]), ([2, 3], []), ([3], [2, 3])])
        case(op, Arg(a, shapes[0], "c", 1, 3), Arg(b, shapes[1], rng.choice("ce"), 1, 3), **kwargs)
    for s in (2, 0.5):
        for d in rng.sample(dtypes, min(3, len(dtypes))):
            case(op, Arg(d, [3], "c", 1, 3), s, **kwargs)


for op in ("add", "sub"):
    binary(op)
    binary(op, alpha=2, pairs=12, scalars=(2,))
    binary(op, alpha=0.5, pairs=12, scalars=())
    inplace(op + "_")
for op in ("mul", "div", "eq", "ne", "logical_and", "logical_or", "logical_xor"):
    binary(op, scalars=() if op.startswith("logical") else (2, 0.5, True, 1.5 + 1j))
binary("rsub", pairs=16)
for op in ("mul_", "div_", "eq_", "lt_"):
    inplace(op)
for op in ("lt", "le", "gt", "ge"):
    binary(op, scalars=(2, 0.5, True))
for op in ("maximum", "minimum"):
    binary(op, dtypes=REAL, scalars=())
binary("atan2", dtypes=[d for d in REAL if d != "Byte"], scalars=())  # its gradient negates bytes there
for op in ("fmod", "remainder"):
    binary(op, dtypes=FLOATING + INTEGRAL, low=1, high=5, scalars=(2, 0.75))
for mode in ("floor", "trunc"):
    binary("div", dtypes=FLOATING + INTEGRAL, low=1, high=9, scalars=(2, 0.75), pairs=16, rounding_mode=mode)
binary("pow", low=0.5, high=3, scalars=(2, 0.5, 3, -1, -2, -0.5, 0, 2.5, 1.5 + 1j))
binary("pow", dtypes=["Float", "Double", "Int"], low=-2, high=2, scalars=(2, 3, -1, 2.5), pairs=20)
for base in (2, 2.5, 0, 1 + 1j):
    for d in ("Float", "Double", "Long", "ComplexFloat"):
        case("pow", base, Arg(d, [3], "c", 0.5, 3))
inplace("pow_", dtypes=FLOATING + ["Long"])

UNARY = ("neg", "abs", "reciprocal", "sqrt", "rsqrt", "square", "exp", "log", "sin", "cos", "tanh", "sigmoid", "relu", "gelu",
         "sgn", "sign", "logical_not", "expm1", "log1p", "tan", "floor", "ceil", "trunc", "round", "isnan", "isinf", "isfinite",
         "silu", "erf", "bitwise_not", "conj_physical")
# Lanewise differentiates silu of complex numbers.
WIDER = {("silu", "ComplexFloat"), ("silu", "ComplexDouble")}
for op in UNARY:
    positive = op in ("sqrt", "rsqrt", "log", "log1p", "reciprocal")
    for dtype in (d for d in ALL if (op, d) not in WIDER):
        for sizes, layout in (([2, 3], rng.choice("cts")), (rng.choice([[], [0], [3], [2, 1, 2]]), "c")):
            case(op, Arg(dtype, sizes, layout, 0.25 if positive else -3, 3))
for op in ("neg_", "exp_", "sigmoid_", "tanh_", "relu_", "sqrt_", "abs_"):
    for dtype in ("Float", "Double", "Int", "ComplexFloat"):
        case(op, Arg(dtype, [2, 2], "c", 0.5, 3))
for dtype in FLOATING + ["BFloat16"]:
    case("gelu", Arg(dtype, [2, 3]), approximate="tanh")
    case("gelu", Arg(dtype, [2, 3], "t"), approximate="none")

for dtype in ALL:
    mask = Arg("Bool", [2, 3])
    case("where", mask, Arg(dtype, [2, 3]), Arg(dtype, [3]))
    case("where", Arg("Bool", [3]), Arg(dtype, [2, 3], "t"), Arg(rng.choice(ALL), []))
    case("addcmul", Arg(dtype, [2, 3]), Arg(dtype, [3]), Arg(dtype, [2, 1]), value=2)
    case("addcdiv", Arg(dtype, [2, 3]), Arg(dtype, [3], "c", 1, 3), Arg(dtype, [2, 1], "c", 1, 3), value=0.5)
    case("lerp", Arg(dtype, [2, 3]), Arg(dtype, [3]), 0.25)
    case("lerp", Arg(dtype, [2, 3]), Arg(dtype, [3]), Arg(dtype, [2, 3], "c", 0, 1))
    case("clamp", Arg(dtype, [2, 3]), -1, 1)
    case("clamp", Arg(dtype, [2, 3]), None, 1)
    case("clamp", Arg(dtype, [2, 3]), 0.5)
    case("clamp", Arg(dtype, [2, 3]), 2, 1)
    case("clamp", Arg(dtype, [2, 3]), Arg(dtype, [3]), Arg(dtype, [3], "c", 0, 3))
    case("clamp_min", Arg(dtype, [2, 3]), 1)
    case("clamp_max", Arg(dtype, [2, 3]), 1)
case("where", Arg("Bool", [2]), 1.5, 2)
case("where", Arg("Bool", [2]), Arg("Float", [2]), 2)
case("clamp", Arg("Float", [2]))

for dtype in ALL:
    for sizes in ([2, 3], [], [3, 2, 2], [0, 3]):
        layout = rng.choice("cts")
        for op in ("sum", "prod", "mean", "amax", "amin", "argmax", "argmin", "max", "min", "any", "all"):
            if op in ("sum", "mean", "prod", "max", "min", "any", "all", "argmax", "argmin") or sizes:
                if not ((op.startswith("arg") or op in ("any", "all")) and dtype in COMPLEX):
                    case(op, Arg(dtype, sizes, layout))
            if (op.startswith("arg") or op in ("any", "all")) and dtype in COMPLEX:
                continue  # complex numbers have no order; any and all look at the real part there
            if rng.random() < 0.7:
                dim = rng.randint(-len(sizes), len(sizes) - 1) if sizes else 0
                case(op, Arg(dtype, sizes, layout), dim, rng.random() < 0.5)
            if op in ("sum", "mean", "amax", "amin") and len(sizes) > 1:
                case(op, Arg(dtype, sizes, rng.choice("ct")), rng.sample(range(-len(sizes), 0), 2), rng.random() < 0.5)
case("sum", Arg("Int", [2, 3]), dtype=torch.float32)
case("sum", Arg("Float", [2, 3]), 0, dtype=torch.float64)
case("mean", Arg("Int", [2, 3]), dtype=torch.float32)
case("sum", Arg("Float", [2, 3]), 2)
case("sum", Arg("Float", [2, 3]), [0, 0])
case("amax", Arg("Float", [2, 2]), [0, 1])

for dtype in ("Float", "Double", "BFloat16", "Int"):
    for dim in (0, 1, -1):
        for op in ("softmax", "log_softmax"):
            case(op, Arg(dtype, [3, 4], rng.choice("cts")), dim)
            case(op, Arg(dtype, [2, 3, 2]), dim)
case("softmax", Arg("Float", []), 0)
case("softmax", Arg("Float", [3]), 1)


class Target(Arg):
    def __init__(self, values, sizes):
        self.views, self.grad = [], False
        self.leaf = torch.tensor(values).reshape(sizes)


for dtype in FLOATING:
    for reduction in (0, 1, 2):
        for weight in (False, True):
            w = Arg(dtype, [4], "c", 0.5, 2, grad=False) if weight else None
            case("nll_loss", Arg(dtype, [3, 4]), Target([1, 0, 3], [3]), w, reduction, -100)
            case("nll_loss", Arg(dtype, [3, 4]), Target([1, 0, 3], [3]), w, reduction, 0)
            case("cross_entropy_loss", Arg(dtype, [3, 4]), Target([1, 0, 3], [3]), w, reduction, -100)
            case("cross_entropy_loss", Arg(dtype, [3, 4]), Target([1, 2, 3], [3]), w, reduction, 2)
        case("nll_loss", Arg(dtype, [4]), Target([1], []), None, reduction, -100)
case("nll_loss", Arg("Float", [3, 4]), Target([1, 0, 4], [3]))
case("nll_loss", Arg("Float", [3, 4]), Target([1, 0], [2]))

for dtype in ("Float", "Double", "ComplexFloat", "ComplexDouble", "Int", "Long", "BFloat16"):
    for la in "cts":
        case("mm", Arg(dtype, [2, 3], la), Arg(dtype, [3, 4], rng.choice("cts")))
    case("addmm", Arg(dtype, [4]), Arg(dtype, [2, 3]), Arg(dtype, [3, 4], "t"))
    case("addmm", Arg(dtype, [2, 4]), Arg(dtype, [2, 3]), Arg(dtype, [3, 4]), beta=2, alpha=3)
    case("bmm", Arg(dtype, [2, 2, 3]), Arg(dtype, [2, 3, 2]))
    case("mv", Arg(dtype, [2, 3]), Arg(dtype, [3]))
    if dtype not in COMPLEX:  # Debian's build returns 0
        case("dot", Arg(dtype, [3]), Arg(dtype, [3]))
    for sa, sb in (([3], [3]), ([2, 3], [3]), ([3], [3, 2]), ([2, 3], [3, 2]), ([2, 2, 3], [3, 2]), ([2, 2, 3], [2, 3, 1])):
        if len(sa) + len(sb) > 2 or dtype not in COMPLEX:
            case("matmul", Arg(dtype, sa), Arg(dtype, sb))
case("mm", Arg("Float", [2, 3]), Arg("Float", [4, 2]))
case("mm", Arg("Float", [2, 3]), Arg("Double", [3, 2]))
case("mm", Arg("Float", [2]), Arg("Float", [2, 2]))
case("mm", Arg("Float", [0, 3]), Arg("Float", [3, 2]))
case("mm", Arg("Float", [2, 0]), Arg("Float", [0, 2]))
case("matmul", Arg("Float", []), Arg("Float", [2]))

for dtype in ("Float", "Long", "ComplexFloat", "Bool"):
    x = lambda layout="c": Arg(dtype, [2, 3, 4], layout)
    case("view", x(), [6, 4])
    case("view", x(), [-1, 2])
    case("view", x("t"), [24])
    case("view", x(), [5, 5])
    case("view", x(), [-1, -1])
    case("reshape", x("t"), [6, -1])
    case("reshape", x(), [3, 8])
    case("permute", x(), [2, 0, 1])
    case("permute", x(), [0, 0, 1])
    case("permute", x(), [-1, 0, 1])
    case("transpose", x(), 0, -1)
    case("transpose", x(), 0, 3)
    case("t", Arg(dtype, [2, 3]))
    case("t", Arg(dtype, [3]))
    case("t", x())
    case("expand", Arg(dtype, [2, 1]), [3, 2, 4])
    case("expand", Arg(dtype, [2, 1]), [-1, 4])
    case("expand", Arg(dtype, [2, 3]), [2, 4])
    case("select", x(), 1, 2)
    case("select", x(), -1, -1)
    case("select", x(), 1, 3)
    case("slice", x(), 1, 0, 2)
    case("slice", x(), 2, -3, 100, 2)
    case("slice", x(), 2, 3, 1)
    case("slice", x(), 0, 0, 2, 0)
    case("narrow", x(), 2, 1, 2)
    case("narrow", x(), 2, 3, 2)
    case("squeeze", Arg(dtype, [1, 3, 1]))
    case("squeeze", Arg(dtype, [1, 3, 1]), -1)
    case("squeeze", Arg(dtype, [1, 3, 1]), 1)
    case("unsqueeze", Arg(dtype, [2, 3]), 1)
    case("unsqueeze", Arg(dtype, [2, 3]), -1)
    case("unsqueeze", Arg(dtype, [2, 3]), 4)
    case("flatten", x())
    case("flatten", x("t"), 1)
    case("flatten", x(), 0, 1)
    case("flatten", Arg(dtype, []))
    case("contiguous", x("t"))
    case("clone", x("t"))
    case("clone", x("e"))
    case("diagonal", Arg(dtype, [3, 4]), 1)
for dtype in COMPLEX + ["Float", "Int"]:
    case("real", Arg(dtype, [2, 2]))
    case("imag", Arg(dtype, [2, 2]))
    case("view_as_real", Arg(dtype, [2, 2]))
for dtype in FLOATING:
    case("view_as_complex", Arg(dtype, [3, 2]))
    case("view_as_complex", Arg(dtype, [3, 3]))
for source in ALL:
    for target in ALL:
        a = Arg(source, [2, 2], rng.choice("cts"), 0.5, 2.9) if source != "Bool" else Arg(source, [2, 2])
        case("to", a, DTYPES[target])
case("fill_", Arg("Float", [2, 2]), 3)
case("fill_", Arg("Int", [2, 2]), 3.7)
case("copy_", Arg("Float", [2, 3]), Arg("Double", [3]))
case("copy_", Arg("Int", [2, 3]), Arg("Float", [2, 3], "t"))
case("copy_", Arg("Float", [3]), Arg("Float", [2, 3]))

with open("ops.jsonl", "w", encoding="ascii") as file:
    for entry in cases:
        file.write(json.dumps(entry, separators=(",", ":")) + "\n")
print(len(cases), "cases")
