#!/usr/bin/python3
"""Writes ops.jsonl: pointwise ops, reductions, products, softmax, views and copies. See golden.py."""
from golden import *

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

write("ops.jsonl")
