#!/usr/bin/python3
"""Writes pointwise.jsonl: pointwise ops beyond the arithmetic of make_golden.py. See golden.py."""
from golden import *


def unary(op, low=-3.0, high=3.0, dtypes=ALL, *args, **kwargs):
    for dtype in dtypes:
        for sizes, layout in (([2, 3], rng.choice("cts")), (rng.choice([[], [0], [3], [2, 1, 2]]), "c")):
            bounds = (math.floor(low), math.ceil(high)) if dtype in INTEGRAL else (low, high)
            case(op, Arg(dtype, sizes, layout, *bounds), *args, **kwargs)


for op in ("exp2", "sinh", "cosh", "atan", "asinh", "sinc", "erfc", "frac", "positive", "negative", "absolute", "fix",
           "deg2rad", "rad2deg", "nan_to_num", "signbit", "isposinf", "isneginf", "isreal", "frexp"):
    unary(op)
FEW = ["Int", "Float", "ComplexDouble"]  # for other names of ops
for op in ("special_expit", "special_expm1", "special_exp2", "special_erf", "special_erfc", "special_sinc", "arctan", "arcsinh"):
    unary(op, -3, 3, FEW)
for op in ("i0", "special_i0e", "special_i1", "special_i1e", "special_erfcx", "special_log_ndtr"):
    unary(op)
unary("lgamma", 0.6, 5)
unary("digamma", 0.6, 5, [d for d in ALL if d != "Double"])  # the trigamma in its gradient has 11 digits
for op in ("special_gammaln", "special_psi", "special_i0"):
    unary(op, 0.6, 5, FEW)
for n in (0, 1, 2, 5):
    for dtype in (d for d in REAL if n > 1 or d != "Double"):  # its trigamma has 11 digits
        case("polygamma", n, Arg(dtype, [2, 3], "c", 0.6, 5) if dtype not in INTEGRAL else Arg(dtype, [2, 3], "c", 1, 5))
case("polygamma", -1, Arg("Float", [2]))
for dtype in FLOATING + ["Int", "Bool"]:
    case("mvlgamma", Arg(dtype, [2, 3], "c", 2, 5), 3)
case("mvlgamma", Arg("Float", [2]), 0)
unary("erfinv", -0.9, 0.9)
unary("special_erfinv", -0.9, 0.9, FEW)
unary("special_ndtri", 0.1, 0.9)
for dtype in FLOATING:
    case("special_zeta", Arg(dtype, [2, 3], "c", 1.5, 4, grad=False), Arg(dtype, [3], "c", 0.5, 4, grad=False))
    case("special_zeta", 2.5, Arg(dtype, [3], "c", 0.5, 4))
for op in ("asin", "acos", "atanh"):
    unary(op, -0.95, 0.95)
for op in ("arcsin", "arccos", "arctanh"):
    unary(op, -0.95, 0.95, FEW)
unary("acosh", 1.1, 4)
unary("arccosh", 1.1, 4, FEW)
for op in ("log2", "log10", "special_entr", "logit"):
    unary(op, 0.1, 0.9)
for op in ("special_log1p", "special_logit"):
    unary(op, 0.1, 0.9, FEW)
unary("logit", -0.2, 1.2, REAL, 0.1)
unary("round", -30, 30, REAL, decimals=1)
unary("round", -120, 120, REAL, decimals=-1)
unary("special_round", -30, 30, FLOATING, decimals=2)
unary("nan_to_num", -3, 3, FLOATING, 1.5, 2.5, -2.5)
for op in ("special_ndtr",):
    for dtype in REAL:
        case(op, Arg(dtype, [2, 3], "c", grad=False))
for op in ("asin_", "sinh_", "exp2_", "negative_", "frac_", "deg2rad_", "fix_", "nan_to_num_", "logit_", "erfc_"):
    for dtype in ("Float", "Double", "Int", "ComplexFloat"):
        case(op, Arg(dtype, [2, 2], "c", 0.2, 0.9) if dtype != "Int" else Arg(dtype, [2, 2], "c", 0, 1))

for op in ("hypot", "logaddexp", "logaddexp2"):
    binary(op, dtypes=["BFloat16"] + FLOATING, scalars=(), pairs=14)
for op in ("copysign", "xlogy"):
    binary(op, dtypes=REAL, low=0.5, high=3, scalars=(2, 0.5, -1.5) if op == "copysign" else (2, 0.5), pairs=16)
for op in ("special_xlog1py", "special_xlogy"):
    binary(op, dtypes=REAL, low=0.5, high=3, scalars=(), pairs=12)
for op in ("fmax", "fmin"):
    binary(op, dtypes=REAL, scalars=(), pairs=12)
for op in ("gcd", "lcm", "bitwise_left_shift", "bitwise_right_shift"):
    binary(op, dtypes=INTEGRAL, low=0, high=6, scalars=(2,) if "shift" in op else (), pairs=12)
for op in ("__lshift__", "__rshift__", "__and__", "__or__", "__xor__"):
    binary(op, dtypes=INTEGRAL, low=0, high=6, scalars=(2,), pairs=6)
for d in ("Float", "Int", "BFloat16"):  # there their gradients are not implemented
    case("heaviside", Arg(d, [2, 3], "t", grad=False), Arg(d, [3], grad=False))
    case("nextafter", Arg(d, [2, 3], "s", grad=False), Arg(d, [3], grad=False))
case("heaviside", Arg("Float", [2], grad=False), Arg("Int", [2]))
for op in ("multiply", "subtract", "divide", "true_divide", "greater", "greater_equal", "less", "less_equal", "not_equal"):
    binary(op, dtypes=REAL, low=1, high=3, scalars=(2, 0.5), pairs=5)
binary("arctan2", dtypes=FLOATING, scalars=(), pairs=5)
binary("float_power", low=0.5, high=3, scalars=(2, 0.5), pairs=16)
binary("ldexp", dtypes=FLOATING + ["Int", "ComplexFloat"], scalars=(), pairs=20)
binary("divide", dtypes=FLOATING + INTEGRAL, low=1, high=9, scalars=(2, 0.75), pairs=8, rounding_mode="floor")
for base in (2, 2.5):
    for d in ("Float", "Long", "ComplexFloat"):
        case("float_power", base, Arg(d, [3], "c", 0.5, 3))
        if d != "ComplexFloat":
            case("xlogy", base, Arg(d, [3], "c", 0.5, 3))
            case("remainder", base, Arg(d, [3], "c", 1, 3, grad=False))
    case("bitwise_and", 3, Arg("Int", [3]))
    case("bitwise_left_shift", 3, Arg("Int", [3], "c", 0, 4))
for op in ("copysign_", "xlogy_", "fmax_", "hypot_", "multiply_", "subtract_", "divide_",
           "float_power_", "gcd_", "bitwise_left_shift_", "arctan2_", "__iand__"):
    if op not in ("fmax_",):
        inplace(op, dtypes=FLOATING + ["Int", "Long", "Bool"], pairs=5)
for d in FLOATING + ["Int", "Half", "ComplexFloat"]:
    case("complex", Arg(d, [2, 3]), Arg(d, [3]))
    case("polar", Arg(d, [2, 3], "c", 0.1, 2), Arg(d, [2, 1]))
case("complex", Arg("Float", [2]), Arg("Double", [2]))
for d in ALL:
    case("clip", Arg(d, [2, 3]), -1, 1)
    case("clip", Arg(d, [2, 3]), Arg(d, [3]), Arg(d, [3], "c", 0, 3))
for d in ALL:
    case("angle", Arg(d, [2, 3]))

write("pointwise.jsonl")
