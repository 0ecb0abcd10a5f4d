#!/usr/bin/python3
"""Writes reductions.jsonl, norms.jsonl and scans.jsonl: reductions and scans beyond those of make_golden.py. See golden.py."""
import golden
from golden import *

plain_resolve = golden.resolve


def resolve(op):
    # torch.norm and its like are Python functions that choose other ops; these are the ops themselves.
    if hasattr(torch._C._VariableFunctions, op):
        return getattr(torch._C._VariableFunctions, op)
    return plain_resolve(op)


golden.resolve = resolve
BOTH = FLOATING + COMPLEX
FLOATS = ["Half", "BFloat16"] + FLOATING
SHAPES = [([2, 3, 2], None), ([2, 3, 2], [1]), ([2, 3, 2], [0, -1]), ([3, 4], [-2]), ([5], [0]), ([], None)]


def distinct(dtype, sizes, layout="c", grad=True):
    """No ties, whose choice is left open."""
    a = Arg(dtype, sizes, layout, grad=grad)
    n = a.leaf.numel()
    order = list(range(n))
    rng.shuffle(order)
    step = 0.25 if dtype not in INTEGRAL else 1
    values = torch.tensor([(i - n // 2 if dtype != "Byte" else i) * step for i in order], dtype=torch.float64)
    with torch.no_grad():
        a.leaf.copy_(values.reshape(a.leaf.shape))
    return a


def special(dtype, sizes, value, places, grad=True):
    a = Arg(dtype, sizes, "c", grad=grad)
    with torch.no_grad():
        for place in places:
            a.leaf.view(-1)[place] = value
    return a


for dtype in ALL:
    for sizes, dims in SHAPES:
        layout = rng.choice("cts")
        if dims is not None:
            case("count_nonzero", Arg(dtype, sizes, layout, -1, 1), dims)
            case("nansum", Arg(dtype, sizes, layout), dims, rng.random() < 0.5)
        else:
            case("count_nonzero", Arg(dtype, sizes, layout, -1, 1))
            case("nansum", Arg(dtype, sizes, layout))
nan = float("nan")
inf = float("inf")
for dtype in FLOATS:
    case("nansum", special(dtype, [3, 4], nan, (1, 5, 6)), [1], True)
    case("nanmean", special(dtype, [3, 4], nan, (1, 5, 6)), [0])
    case("nanmean", special(dtype, [3, 2], nan, (0, 1), grad=False), [1], True)
case("nansum", Arg("Float", [0, 3]), [0])
case("nanmean", Arg("Int", [3]))

for op in ("var", "std"):
    for dtype in ["BFloat16"] + BOTH:
        for sizes, dims in SHAPES[:5]:
            layout = rng.choice("cts")
            correction = rng.choice([0, 1, 2])
            case(op, Arg(dtype, sizes, layout), dims, correction=correction, keepdim=rng.random() < 0.5)
    case(op, Arg("Float", [1]), [0], correction=1)
    case(op, Arg("Float", [0]), [0], correction=1)
    case(op, Arg("Int", [3]), [0], correction=1)
    case(op, special("Float", [2, 3], inf, (1,)), [1], correction=1)
    case(op, special("Float", [2, 3], nan, (1,)), [1], correction=0)
    case(op, Arg("Float", [2, 3]), [0, 0], correction=0)
    case(op, Arg("Float", [2, 3]), [2], correction=0)
    case(op, Arg("Double", [2, 3]), False)
    case(op, Arg("Double", [2, 3]), [1], True, True)
for op in ("var_mean", "std_mean"):
    for dtype in BOTH:
        for sizes, dims in SHAPES[:5]:
            case(op, Arg(dtype, sizes, rng.choice("cts")), dims, correction=rng.choice([0, 1]), keepdim=rng.random() < 0.5)
    case(op, Arg("Float", [2, 3]), True)

write("reductions.jsonl")
cases.clear()

for p in (0, 0.5, 1, 1.5, 2, 3, inf, -inf, -1):
    for dtype in ["BFloat16", "Float", "Double", "ComplexDouble"] if p in (1, 2, 3) else ["Float", "ComplexDouble"]:
        zero = (0, 4) if p in (0, 1, 2) else ()
        case("norm", special(dtype, [2, 3], 0, zero), p)
        case("norm", special(dtype, [2, 2, 2], 0, zero), p, [0, -1], True)
        case("linalg_vector_norm", special(dtype, [3, 2], 0, zero), p, [1])
        case("linalg_vector_norm", Arg(dtype, [2, 3], "t"), p)
    case("norm", special("Double", [2, 3], nan, (1,)), p, [1])
    case("linalg_vector_norm", Arg("Float", [0, 3]), p)
    case("linalg_vector_norm", Arg("Float", [0, 3]), p, [0])
    case("linalg_vector_norm", Arg("Float", [2, 0]), p, [0])
for p in (1, 1.5, 2, 3):
    case("norm", special("Double", [2, 2], 0, range(4)), p)
    case("dist", Arg("Double", [2, 3]), Arg("Double", [3]), p)
    case("dist", Arg("Float", [2, 3]), Arg("Float", [2, 3]), p)
    case("renorm", Arg("Float", [3, 4]), p, 0, 1.5)
    case("renorm", Arg("ComplexDouble", [3, 2, 2], "t"), p, -1, 1.5)
case("norm", Arg("Float", [2, 3]), None, dtype=torch.float64)
case("norm", Arg("Float", [2, 3]), 2, [1], False, dtype=torch.float64)
case("norm", Arg("Int", [2, 3]), 2)
case("norm", Arg("Int", [2, 3]), 2, [1], False, dtype=torch.float32)
case("linalg_vector_norm", Arg("Float", [2, 3]), 2, [1], True, dtype=torch.float64)
case("linalg_vector_norm", Arg("Double", [2, 3]), 2, [1], True, dtype=torch.float32)
case("linalg_vector_norm", Arg("Float", [2, 3]), 2, [1], True, dtype=torch.complex64)
case("renorm", Arg("Float", [3]), 2, 0, 1.0)
case("renorm", Arg("Float", [3, 2]), -1, 0, 1.0)
case("renorm_", Arg("Float", [3, 2]), 2, 0, 1.0)
for dtype in BOTH:
    case("linalg_norm", Arg(dtype, [2, 3]))
    case("linalg_norm", Arg(dtype, [4]), 3)
    for order in (1, -1, inf, -inf):
        case("linalg_norm", distinct(dtype, [2, 3]), order)
        case("linalg_matrix_norm", distinct(dtype, [2, 3, 2]), order, [0, 2], True)
    case("linalg_matrix_norm", Arg(dtype, [2, 3, 2]), "fro")
    case("frobenius_norm", Arg(dtype, [2, 3], grad=False), [0, 1])  # other nodes since 2.0
    case("frobenius_norm", Arg(dtype, [2, 3], grad=False), [1], True)
case("linalg_norm", Arg("Float", [2, 2, 2]), 2)
case("linalg_matrix_norm", Arg("Float", [2]), 1)
case("linalg_matrix_norm", Arg("Float", [2, 2]), 3)

for dtype in FLOATS + ["Int"]:
    for sizes, dims in SHAPES[1:5]:
        case("logsumexp", Arg(dtype, sizes, rng.choice("cts")), dims, rng.random() < 0.5)
case("special_logsumexp", Arg("Double", [2, 3]), [1])
case("logsumexp", special("Float", [2, 3], inf, (1,), grad=False), [1])
case("logsumexp", special("Float", [2, 3], -inf, (0, 1, 2), grad=False), [1])
case("logsumexp", special("Float", [2, 3], 1000, (1,)), [0, 1])
case("logsumexp", Arg("Float", [0, 3]), [0])

for dtype in REAL:
    for dim in (0, -1):
        if dtype != "Bool":
            case("aminmax", distinct(dtype, [2, 3], rng.choice("ct"), grad=False), dim=dim, keepdim=rng.random() < 0.5)
    case("aminmax", Arg(dtype, [2, 3], grad=False))  # its gradient is not implemented there
    if dtype in ("Bool", "Half"):
        continue
    for op in ("median", "nanmedian"):
        case(op, distinct(dtype, [2, 2, 3], rng.choice("cts")))
        case(op, distinct(dtype, [2, 2, 3], rng.choice("cts")), 1, rng.random() < 0.5)
        case(op, distinct(dtype, [2, 4]), -1)
        case(op, distinct(dtype, []), 0)
    case("mode", distinct(dtype, [3, 5]), 0, True)
    a = Arg(dtype, [2, 6], "c", 0, 2)
    with torch.no_grad():
        a.leaf.copy_(torch.tensor([[1, 2, 1, 0, 2, 2], [1, 0, 1, 0, 2, 2]]))
    case("mode", a)
case("aminmax", Arg("Float", [2, 0]), dim=1)
case("aminmax", Arg("Float", [0]))
case("aminmax", special("Float", [2, 3], nan, (1,), grad=False), dim=1)
case("median", special("Float", [2, 3], nan, (1,)), 1)
case("nanmedian", special("Double", [2, 4], nan, (1, 4, 5), grad=False), 1)
case("nanmedian", special("Double", [2, 3], nan, (1,)))
case("median", Arg("Float", [2, 0]), 1)
case("median", Arg("Float", [0], grad=False))
case("median", Arg("Bool", [2]))
case("median", Arg("ComplexFloat", [2]))
case("mode", Arg("Float", [2, 0]), 1)

write("norms.jsonl")
cases.clear()

for op in ("cumsum", "cumprod"):
    for dtype in ALL:
        for sizes, dim in (([2, 3, 2], 1), ([2, 3], -1), ([3, 2], 0), ([5], 0), ([], 0), ([0, 2], 0)):
            case(op, Arg(dtype, sizes, rng.choice("cts")), dim)
    case(op, Arg("Int", [4]), 0, dtype=torch.int32)
    case(op, Arg("Int", [4]), 0, dtype=torch.float32)
    case(op, Arg("Float", [4]), 0, dtype=torch.float64)
    case(op, Arg("Float", [4]), 1)
    case(op + "_", Arg("Float", [3, 2]), 0)
    case(op, special("Double", [3, 5], nan, (6,)), 1)
for places in ((2,), (0, 3), (1, 2, 4), range(5)):
    case("cumprod", special("Double", [5], 0, places), 0)
    case("cumprod", special("ComplexDouble", [5], 0, places), 0)
for dtype in FLOATS:
    for sizes, dim in (([2, 3, 2], 1), ([2, 3], -1), ([3, 2], 0), ([], 0), ([0, 2], 0)):
        case("logcumsumexp", Arg(dtype, sizes, rng.choice("cts")), dim)
case("logcumsumexp", special("Double", [2, 4], -inf, (0, 1, 5), grad=False), 1)
case("logcumsumexp", special("Double", [2, 4], inf, (1, 5), grad=False), 1)
case("logcumsumexp", Arg("Int", [4]), 0)

for dtype in ALL:
    case("diff", Arg(dtype, [2, 5]))
    case("diff", Arg(dtype, [4, 2], "t"), rng.choice([0, 2, 3]), 0)
case("diff", Arg("Float", [2, 3]), 1, 1, Arg("Float", [2, 1]), Arg("Float", [2, 2]))
case("diff", Arg("Float", [2, 3]), 5)
case("diff", Arg("Float", []))
for op in ("trapezoid", "cumulative_trapezoid"):
    for dtype in ["Int"] + BOTH:
        case(op, Arg(dtype, [2, 4]), dim=0)
        case(op, Arg(dtype, [2, 4]), dx=0.5)
    case(op, Arg("Double", [2, 4]), Arg("Double", [4]))
    case(op, Arg("Double", [2, 4]), Arg("Double", [2]), dim=0)
    case(op, Arg("Double", [2, 4]), Arg("Double", [2, 4]))
    case(op, Arg("Double", [2, 4]), Arg("Double", [3]))
    case(op, Arg("Bool", [2, 4]))
case("trapezoid", Arg("Double", [2, 0]))
case("trapz", Arg("Double", [2, 4]), dx=2.0)
for dtype in ["Int"] + BOTH:
    case("cov", Arg(dtype, [3, 4]))
    case("cov", Arg(dtype, [4]), correction=0)
    if dtype not in ("ComplexFloat",):
        case("corrcoef", Arg(dtype, [3, 4]))
case("cov", Arg("Bool", [3, 4]))
case("cov", Arg("Float", [2, 3, 4]))
write("scans.jsonl")
