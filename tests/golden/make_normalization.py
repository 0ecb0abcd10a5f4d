#!/usr/bin/python3
"""Writes normalization.jsonl: normalizations, distances and losses beyond those of make_activations.py. See golden.py."""
import golden
from golden import *

plain_resolve = golden.resolve


def resolve(op):
    # The ops themselves, not the Python functions of the same names.
    if hasattr(torch._C._VariableFunctions, op):
        return getattr(torch._C._VariableFunctions, op)
    return plain_resolve(op)


golden.resolve = resolve
inf = float("inf")


def positive(dtype, sizes):
    return Arg(dtype, sizes, "c", 0.5, 2, grad=False)


class Fixed(Arg):
    """These values."""

    def __init__(self, dtype, values, grad=False):
        t = torch.tensor(values, dtype=DTYPES[dtype])
        super().__init__(dtype, list(t.shape), "c", grad=grad)
        with torch.no_grad():
            self.leaf.copy_(t)


def classes(sizes, n, ignored=()):
    a = Arg("Long", sizes, "c", 0, n - 1)
    for place in ignored:
        a.leaf.view(-1)[place] = -100
    return a


for dtype in FLOATING:
    case("native_layer_norm", Arg(dtype, [2, 3, 4], "t"), [3, 4], Arg(dtype, [3, 4]), Arg(dtype, [3, 4]), 1e-5)
    case("layer_norm", Arg(dtype, [3, 4], "s"), [4])
    case("layer_norm", Arg(dtype, [2, 3, 4]), [4], Arg(dtype, [4]), None, 1e-3)
    for sizes in ([4, 3], [2, 3, 4], [2, 3, 2, 2]):
        case("native_batch_norm", Arg(dtype, sizes, rng.choice("cts")), Arg(dtype, [3]), Arg(dtype, [3]), None, None, True, 0.1, 1e-5)
        case("batch_norm", Arg(dtype, sizes), None, None, Arg(dtype, [3], grad=False), positive(dtype, [3]), True, 0.1, 1e-5, False)
        case("batch_norm", Arg(dtype, sizes), Arg(dtype, [3]), Arg(dtype, [3]), Arg(dtype, [3], grad=False), positive(dtype, [3]), False, 0.1, 1e-5, False)
    case("native_group_norm", Arg(dtype, [2, 4, 3]), Arg(dtype, [4]), Arg(dtype, [4]), 2, 4, 3, 2, 1e-5)
    cases.pop()  # there the means and deviations are differentiable, too
    case("group_norm", Arg(dtype, [2, 6, 2, 2], "t"), 3, Arg(dtype, [6]), Arg(dtype, [6]))
    case("group_norm", Arg(dtype, [3, 6]), 2)
    case("instance_norm", Arg(dtype, [2, 3, 4], "t"), Arg(dtype, [3]), Arg(dtype, [3]), None, None, True, 0.1, 1e-5, False)
    case("instance_norm", Arg(dtype, [2, 3, 4]), None, None, Arg(dtype, [3], grad=False), positive(dtype, [3]), False, 0.1, 1e-5, False)
    for dim in (0, 1, -1):
        case("cosine_similarity", Arg(dtype, [3, 2], "t"), Arg(dtype, [3, 2]), dim)
    case("cosine_similarity", Arg(dtype, [2, 3]), Arg(dtype, [3]))
    case("cosine_similarity", Fixed(dtype, [[0.0, 0], [1, 2]], True), Arg(dtype, [2, 2]))
    for p in (1, 2, 3, inf):
        case("pairwise_distance", Arg(dtype, [2, 3]), Arg(dtype, [3]), float(p), 1e-6, rng.random() < 0.5)
    for p in (0, 0.5, 1, 1.5, 2, 3, inf):
        case("cdist", Arg(dtype, [2, 3, 2]), Arg(dtype, [2, 4, 2], "t"), float(p))
        case("pdist", Arg(dtype, [4, 3]), float(p))
    case("cdist", Arg(dtype, [3, 2]), Arg(dtype, [2, 2, 2], grad=False))
    for op in ("cummax", "cummin"):
        for dim in (0, -1):
            case(op, Arg(dtype, [3, 5], rng.choice("cts")), dim)
for dtype in ("Int", "Byte", "Bool", "BFloat16"):
    case("cummax", Arg(dtype, [3, 4], "t", 0, 3), 1)
    case("cummin", Arg(dtype, [2, 3, 2], "c", 0, 3), 1)
case("cummax", Fixed("Float", [1, float("nan"), 3, float("nan"), 2]), 0)
case("cummin", Fixed("Float", [-0.0, 0.0, -0.0, 1]), 0)
case("cummax", Arg("Float", []), 0)
case("cummax", Arg("Float", [0, 2]), 0)
case("cummax", Arg("ComplexFloat", [2]), 0)
case("layer_norm", Arg("Float", [2, 3]), [2])
case("layer_norm", Arg("Float", [2, 3]), [])
case("layer_norm", Arg("Float", [2, 3]), [3], Arg("Float", [2]))
case("layer_norm", Arg("Float", [0, 3]), [3])
case("batch_norm", Arg("Float", [2, 3]), None, None, None, None, False, 0.1, 1e-5, False)
case("batch_norm", Arg("Float", [2, 3]), Arg("Float", [2]), None, None, None, True, 0.1, 1e-5, False)
case("group_norm", Arg("Float", [2, 3]), 2)
case("instance_norm", Arg("Float", [2, 3, 2]), None, None, None, None, False, 0.1, 1e-5, False)
case("cdist", Arg("Float", [2, 3]), Arg("Float", [2, 2]))
case("cdist", Arg("Float", [2, 3]), Arg("Float", [2, 3]), -1.0)
case("cdist", Arg("Float", [0, 3]), Arg("Float", [2, 3]))
case("pdist", Arg("Float", [2]))
case("pdist", Arg("Float", [1, 2]))
case("cosine_similarity", Arg("Int", [2, 3]), Arg("Int", [2, 3]))
case("dropout", Arg("Float", [3]), 0.0, True)
case("dropout", Arg("Float", [3]), 0.5, False)
case("dropout", Arg("Float", [3]), 1.0, True)
case("dropout", Arg("Float", [3]), 1.5, True)

for dtype in FLOATING:
    for reduction in (0, 1, 2):
        case("nll_loss_nd", Arg(dtype, [2, 3, 2], "t"), classes([2, 2], 3), positive(dtype, [3]), reduction)
        case("nll_loss_nd", Arg(dtype, [2, 3, 2, 2]), classes([2, 2, 2], 3, (1,)), None, reduction)
        case("nll_loss2d", Arg(dtype, [2, 3, 2, 1]), classes([2, 2, 1], 3), None, reduction, 1)
        for smoothing in (0.0, 0.3):
            case("cross_entropy_loss", Arg(dtype, [3, 4]), classes([3], 4, (1,)), positive(dtype, [4]), reduction, -100, smoothing)
            case("cross_entropy_loss", Arg(dtype, [2, 3, 2]), classes([2, 2], 3), None, reduction, -100, smoothing)
            case("cross_entropy_loss", Arg(dtype, [3, 4]), positive(dtype, [3, 4]), positive(dtype, [4]), reduction, -100, smoothing)
            case("cross_entropy_loss", Arg(dtype, [4]), positive(dtype, [4]), None, reduction, -100, smoothing)
            case("cross_entropy_loss", Arg(dtype, [4]), classes([], 4), None, reduction, -100, smoothing)
        for p in (1, 2):
            case("multi_margin_loss", Arg(dtype, [3, 4], "t"), classes([3], 4), p, 0.7, positive(dtype, [4]), reduction)
        case("multi_margin_loss", Arg(dtype, [4]), classes([], 4), 1, 1, None, reduction)
        case("multilabel_margin_loss", Arg(dtype, [2, 4]), Fixed("Long", [[3, 0, -1, 1], [2, -1, 0, 0]]), reduction)
        case("multilabel_margin_loss", Arg(dtype, [4]), Fixed("Long", [3, 0, -1, 1]), reduction)
        case("triplet_margin_loss", Arg(dtype, [3, 4]), Arg(dtype, [3, 4]), Arg(dtype, [3, 4]), 1.5, 2.0, 1e-6, reduction == 1, reduction)
case("cross_entropy_loss", Arg("Float", [2, 3]), classes([3], 3))
case("cross_entropy_loss", Arg("Float", [2, 3]), classes([2], 3), None, 1, -100, 1.5)
case("nll_loss2d", Arg("Float", [2, 3, 2]), classes([2, 2], 3))
case("multi_margin_loss", Arg("Float", [2, 3]), classes([2], 3), 3)
case("multi_margin_loss", Arg("Float", [2, 3]), classes([3], 3))
case("triplet_margin_loss", Arg("Float", [2, 3]), Arg("Float", [3]), Arg("Float", [2, 3]))
write("normalization.jsonl")
