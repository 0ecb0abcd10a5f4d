#!/usr/bin/python3
"""Writes activations.jsonl: activations and losses. See golden.py."""
from golden import *


def unary(op, low=-3.0, high=3.0, dtypes=ALL, *args, **kwargs):
    for dtype in dtypes:
        for sizes, layout in (([2, 3], rng.choice("cts")), (rng.choice([[], [0], [3], [2, 1, 2]]), "c")):
            bounds = (math.floor(low), math.ceil(high)) if dtype in INTEGRAL else (low, high)
            case(op, Arg(dtype, sizes, layout, *bounds), *args, **kwargs)


ACTIVATIONS = ("leaky_relu", "elu", "celu", "selu", "hardtanh", "relu6", "hardswish", "hardsigmoid", "hardshrink", "softshrink", "mish",
               "log_sigmoid", "softplus")
for op in ACTIVATIONS:  # its f64 gradient of hardsigmoid has the 1/6 of f32
    unary(op, -4, 4, [d for d in ALL if (op, d) != ("hardsigmoid", "Double")])
for dtype in FLOATING + ["BFloat16", "Int"]:
    case("leaky_relu", Arg(dtype, [2, 3]), 0.2)
    case("elu", Arg(dtype, [2, 3]), 0.7, 1.5, 1.2)
    case("celu", Arg(dtype, [2, 3]), 0.5)
    case("hardtanh", Arg(dtype, [2, 3], "t"), 0.5, 2)
    case("hardshrink", Arg(dtype, [2, 3]), 1)
    case("softshrink", Arg(dtype, [2, 3]), 1.5)
    case("softplus", Arg(dtype, [2, 3]), 2, 1)
    case("threshold", Arg(dtype, [2, 3]), 0.5, 2.5)
    case("threshold", Arg(dtype, [2, 3], "s"), -1, 0)
    case("prelu", Arg(dtype, [2, 3]), Arg(dtype, [3]))
    case("prelu", Arg(dtype, [2, 3, 2], "t"), Arg(dtype, [1]))
    case("prelu", Arg(dtype, [3]), Arg(dtype, [1]))
    case("glu", Arg(dtype, [2, 4]))
    case("glu", Arg(dtype, [4, 3], "t"), 0)
    case("glu", Arg(dtype, [2, 3]))
    case("rrelu", Arg(dtype, [2, 3]))
case("celu", Arg("Float", [2]), 0)
case("softshrink", Arg("Float", [2]), -1)
case("prelu", Arg("Float", [2, 3]), Arg("Float", [2]))
case("prelu", Arg("Float", [2, 3]), Arg("Double", [3]))

for dtype in FLOATING + ["Half", "BFloat16", "Int"]:
    for reduction in (0, 1, 2):
        for op in ("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss"):
            case(op, Arg(dtype, [3, 2], rng.choice("cts")), Arg(dtype, [3, 2]), reduction)
        case("smooth_l1_loss", Arg(dtype, [3, 2]), Arg(dtype, [3, 2]), reduction, 0.5)
        case("huber_loss", Arg(dtype, [3, 2]), Arg(dtype, [3, 2], "t"), reduction, 0.5)
        case("soft_margin_loss", Arg(dtype, [3, 2]), Arg(dtype, [3, 2], grad=False), reduction)
        probability = lambda: Arg(dtype, [3, 2], "c", 0.1, 0.9 if dtype != "Int" else 1)
        weight = lambda: Arg(dtype, [2], "c", 0.5, 2, grad=False)
        case("binary_cross_entropy", probability(), probability(), None, reduction)
        case("binary_cross_entropy", probability(), probability(), weight(), reduction)
        case("binary_cross_entropy_with_logits", Arg(dtype, [3, 2]), probability(), None, None, reduction)
        case("binary_cross_entropy_with_logits", Arg(dtype, [3, 2]), probability(), weight(), weight(), reduction)
        case("kl_div", Arg(dtype, [3, 2]), probability(), reduction)
        case("kl_div", Arg(dtype, [3, 2]), Arg(dtype, [3, 2]), reduction, log_target=True)
        case("poisson_nll_loss", Arg(dtype, [3, 2]), probability(), True, True, 1e-8, reduction)
        case("poisson_nll_loss", Arg(dtype, [3, 2], "c", 0.5, 2), Arg(dtype, [3, 2], "c", 0.5, 4), False, True, 1e-8, reduction)
        if dtype in FLOATING:
            sign = lambda n: Arg("Double", n, grad=False)
            case("hinge_embedding_loss", Arg(dtype, [3, 2]), Arg(dtype, [3, 2], grad=False), 1.0, reduction)
            case("margin_ranking_loss", Arg(dtype, [4]), Arg(dtype, [4]), Arg(dtype, [4], grad=False), 0.5, reduction)
            case("cosine_embedding_loss", Arg(dtype, [3, 4]), Arg(dtype, [3, 4]), Arg("Int", [3], "c", 1, 1), 0.0, reduction)
case("mse_loss", Arg("Float", [3]), Arg("Float", [2]))
case("smooth_l1_loss", Arg("Float", [3]), Arg("Float", [3]), 1, -1.0)
case("huber_loss", Arg("Float", [3]), Arg("Float", [3]), 1, 0.0)
case("binary_cross_entropy", Arg("Float", [3], "c", 2, 3), Arg("Float", [3]))

write("activations.jsonl")
