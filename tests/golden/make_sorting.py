"""Cases of sorting.jsonl: sort, topk, unique, quantiles, searching and counting."""
from golden import *

REAL_HERE = ["Float", "Double", "Long", "Int", "Byte", "Half"]


def apart(dtype, sizes, layout="c"):
    """No two alike, for what promises no order of equal elements."""
    x = Arg(dtype, sizes, layout)
    n = x.leaf.numel()
    order = torch.randperm(n).to(x.leaf.dtype) if n > 0 else x.leaf.detach()
    x.leaf = (order - (0 if dtype == "Byte" else n // 2)).reshape(x.leaf.shape)
    x.leaf.requires_grad_(x.grad)
    return x


nan, inf = float("nan"), float("inf")


def special(dtype="Float"):
    x = Arg(dtype, [7])
    x.leaf = torch.tensor([nan, 1.0, -inf, 0.5, inf, -2.0, 3.0], dtype=DTYPES[dtype])
    x.grad = False
    return x


for dtype in REAL_HERE + ["Bool"]:
    for layout in "cts":
        case("sort", Arg(dtype, [3, 5], layout), stable=True, dim=rng.choice([0, 1]), descending=rng.random() < 0.5)
    case("argsort", Arg(dtype, [4, 3]), stable=True, dim=0)
for dtype in REAL_HERE:
    case("sort", apart(dtype, [2, 3, 2]), 1)
    case("sort", apart(dtype, [3, 4], "t"), 0, True)
    case("argsort", apart(dtype, [3, 4]))
    case("msort", apart(dtype, [4, 2]))
    case("topk", apart(dtype, [3, 5]), 2)
    case("topk", apart(dtype, [5, 3], "t"), 3, 0, False)
    case("topk", apart(dtype, [40]), 3, 0, rng.random() < 0.5)
    case("kthvalue", apart(dtype, [3, 5]), 2)
    case("kthvalue", apart(dtype, [4, 3], "t"), 3, 0, True)
    case("_unique2", Arg(dtype, [3, 4], grad=False), True, True, True)
    case("_unique2", Arg(dtype, [10], grad=False))
    case("unique_consecutive", Arg(dtype, [12], grad=False, low=0, high=1), True, True)
    case("unique_consecutive", Arg(dtype, [6, 2], grad=False, low=0, high=1, layout="t"), True, True, 0)
    case("unique_dim", Arg(dtype, [6, 2], grad=False, low=0, high=1), 0, True, True, True)
    case("unique_dim", Arg(dtype, [2, 6], grad=False, low=0, high=1), 1, True, True, True)
    case("isin", Arg(dtype, [3, 4]), Arg(dtype, [3]))
    case("isin", Arg(dtype, [3, 4]), 1, invert=True)
    case("isin", Arg(dtype, [3, 4]), Arg(dtype, [50]))
    if dtype != "Half":
        line = Arg(dtype, [6], grad=False)
        line.leaf = line.leaf.sort().values
        lines = Arg(dtype, [3, 5], grad=False)
        lines.leaf = lines.leaf.sort(-1).values
        case("searchsorted", line, Arg(dtype, [2, 4]))
        case("searchsorted", line, Arg(dtype, [4], "s"), right=True, out_int32=True)
        case("searchsorted", lines, Arg(dtype, [3, 4], "t"), side="right")
        case("searchsorted", line, 1)
        case("bucketize", Arg(dtype, [3, 4]), line, right=True)
        case("bucketize", 2, line)
for dtype in ("Float", "Double", "Half", "BFloat16"):
    case("sort", special(dtype), stable=True)
    case("sort", special(dtype), stable=True, descending=True)
    case("topk", special(dtype), 3)
    case("topk", special(dtype), 3, largest=False)
    case("kthvalue", special(dtype), 6)
for dtype in INTEGRAL:
    case("bincount", Arg(dtype, [12], low=0, high=5))
    case("bincount", Arg(dtype, [12], low=0, high=5), Arg("Float", [12], grad=False))
    case("bincount", Arg(dtype, [3], low=0, high=5), Arg("Int", [3]), 9)
for dtype in FLOATING:
    case("histc", Arg(dtype, [30], grad=False), 5, -2, 2)
    case("histc", Arg(dtype, [30], grad=False), 4)
sorter = Arg("Long", [6], grad=False)
unsorted = Arg("Double", [6], grad=False)
sorter.leaf = unsorted.leaf.argsort()
case("searchsorted", unsorted, Arg("Double", [5], grad=False), sorter=sorter)
for empty in ([0], [3, 0], [0, 3]):
    case("sort", Arg("Float", empty))
    case("topk", Arg("Float", empty), 0)
    case("_unique2", Arg("Float", empty, grad=False), True, True, True)
case("sort", Arg("Float", []))
case("topk", Arg("Float", []), 1)
case("kthvalue", Arg("Float", []), 1)
case("sort", Arg("Float", [3]), 1)
case("sort", Arg("ComplexFloat", [3]))
case("topk", Arg("Float", [3]), 4)
case("topk", Arg("Float", [3]), -1)
case("kthvalue", Arg("Float", [3]), 0)
case("kthvalue", Arg("Float", [3]), 4)
case("searchsorted", Arg("Float", [3]), Arg("Double", [3]))
case("searchsorted", Arg("Float", [2, 3]), Arg("Float", [3, 3]))
case("searchsorted", Arg("Float", [3]), Arg("Float", [3]), right=True, side="left")
case("searchsorted", Arg("Float", [3]), Arg("Float", [3]), side="middle")
case("searchsorted", Arg("Float", [2, 3]), 1.0)
case("bucketize", Arg("Float", [3]), Arg("Float", [2, 3]))
case("bincount", Arg("Int", [3], low=-3, high=-1))
case("bincount", Arg("Int", [2, 2], low=0, high=2))
case("bincount", Arg("Float", [3]))
case("histc", Arg("Float", [3]), 0)
case("histc", Arg("Float", [3]), 3, 2, 1)
first_quantile = len(cases)
for dtype in FLOATING:
    for interpolation in ("linear", "lower", "higher", "midpoint", "nearest"):
        case("quantile", apart(dtype, [3, 5]), Arg(dtype, [4], grad=False, low=0, high=1), 1, interpolation=interpolation)
        case("nanquantile", special(dtype), 0.3, interpolation=interpolation)
    case("quantile", apart(dtype, [3, 5], "t"), 0.4)
    case("quantile", apart(dtype, [3, 5]), 0.25, 0, True)
    case("quantile", apart(dtype, [2, 3, 4], "t"), Arg(dtype, [], low=0, high=1), -2)
    case("quantile", apart(dtype, [2, 3, 4]), Arg(dtype, [3], low=0, high=1), 1, True)
    case("quantile", apart(dtype, [2, 3]), Arg(dtype, [2], low=0, high=1), keepdim=True)
    case("quantile", special(dtype), 0.5)
    case("nanquantile", special(dtype), Arg(dtype, [3], grad=False, low=0, high=1), 0)
    case("quantile", Arg(dtype, []), 0.5, 0)
case("quantile", Arg("Float", [3]), 1.5)
case("quantile", Arg("Float", [3]), Arg("Float", [2], low=-3, high=-1))
case("quantile", Arg("Float", [3]), Arg("Double", [2], low=0, high=1))
case("quantile", Arg("Float", [3]), Arg("Float", [1, 2], low=0, high=1))
case("quantile", Arg("Int", [3]), 0.5)
case("quantile", Arg("Float", [0]), 0.5)
case("quantile", Arg("Float", [3]), 0.5, 1)
case("nanquantile", Arg("Float", [3]), 0.5, interpolation="cubic")
for entry in cases[first_quantile:]:  # PyTorch shapes its result in place
    entry.pop("node", None)
    entry.pop("edges", None)
case("one_hot", Arg("Long", [5], low=0, high=4))
case("one_hot", Arg("Long", [2, 3], "t", low=0, high=4), 7)
case("one_hot", Arg("Long", [0]), 3)
case("one_hot", Arg("Long", []), 4)
case("one_hot", Arg("Long", [0]))
case("one_hot", Arg("Long", [3], low=3, high=4), 3)
case("one_hot", Arg("Long", [3], low=-3, high=-1))
case("one_hot", Arg("Int", [3], low=0, high=1))
write("sorting.jsonl")
