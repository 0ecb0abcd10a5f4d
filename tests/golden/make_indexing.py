"""Cases of indexing.jsonl: tensors as indices, gather, scatter, masks."""
from golden import *

FOUR = ["Float", "Double", "Long", "ComplexFloat"]
MOVED = FOUR + ["Bool", "Byte", "Half", "Short"]


def at(n, sizes, low=None, dtype="Long"):
    """Random indices below n."""
    return Arg(dtype, sizes, low=-n if low is None else low, high=n - 1)


def mask(sizes):
    return Arg("Bool", sizes)


for dtype in MOVED:
    layout = rng.choice("cts")
    x = Arg(dtype, [3, 4, 2], layout)
    case("index", x, [at(3, [2, 2])])
    case("index", x, [None, at(4, [3])])
    case("index", x, [at(3, [3]), None, at(2, [2, 1])])
    case("index", x, [mask([3, 4])])
    case("index", x, [at(3, [2]), mask([4])] if dtype != "Bool" else [mask([3]), None, at(2, [1])])
    case("index_select", x, 1, at(4, [3], 0))
    case("gather", x, rng.choice([0, 1, 2]), at(2, [2, 3, 2], 0))
    case("take", x, at(24, [2, 2]))
    y = Arg(dtype, [3, 4, 2])  # of a transposed one the gradient comes in memory order in 1.13, a bug
    case("masked_select", y, mask([3, 4, 2]))
    case("masked_select", y, mask([4, 1]))
    case("nonzero", Arg(dtype, [3, 4], layout, -1, 1))
    y = Arg(dtype, [3, 4], layout)
    case("index_put", y, [at(1, [2], 0)], Arg(dtype, [4]))
    case("index_put_", y, [Arg("Long", [1], low=2, high=2), at(1, [1], 0)], Arg(dtype, []))
    case("index_put", y, [None, at(4, [5])], Arg(dtype, [3, 5], "t"), dtype != "Half")
    case("scatter_add", y, 1, at(4, [2, 4], 0), Arg(dtype, [2, 4], "t"))
    case("scatter", y, 0, Arg("Long", [1, 4], low=2, high=2), Arg(dtype, [2, 4]))
    case("scatter", y, 1, at(4, [3, 2], 0), 1)
    case("index_copy", y, 0, Arg("Long", [1], low=1, high=1), Arg(dtype, [1, 4]))
    case("index_fill", y, 1, at(4, [2], 0), 1)
    case("index_fill", y, 1, at(4, [2], 0), Arg(dtype, []))
    case("put", y, Arg("Long", [1, 2], low=7, high=7), Arg(dtype, [2]), True)
    case("masked_scatter", y, mask([3, 4]), Arg(dtype, [12]))
    case("masked_scatter", y, mask([4]), Arg(dtype, [3, 4], "t"))
    case("take_along_dim", y, at(4, [1, 3], 0), 1)
    case("take_along_dim", Arg(dtype, [3, 4]), at(12, [3], 0))  # of a transposed one an error in 1.13
for dtype in FOUR:
    case("index_add", Arg(dtype, [3, 4], "t"), 0, at(3, [5], 0), Arg(dtype, [5, 4], "t"))
    case("index_add", Arg(dtype, [3, 4]), 1, at(4, [2], 0), Arg(dtype, [3, 2]), alpha=2)
    case("index_add_", Arg(dtype, [3, 4]), 1, at(4, [2], 0, "Int"), Arg(dtype, [3, 2]))
    case("index_select", Arg(dtype, []), 0, Arg("Long", [1], low=0, high=0))
    case("gather", Arg(dtype, []), 0, Arg("Long", [], low=0, high=0))
    case("scatter_add", Arg(dtype, [3]), 0, at(3, [6], 0), Arg(dtype, [7], grad=False))
for dtype in ["Float", "Double", "Long", "Int"]:
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            case("scatter_reduce", Arg(dtype, [3, 4]), rng.choice([0, 1]), at(3, [3, 3], 0), Arg(dtype, [3, 3]), reduce, include_self=include_self)
    case("scatter", Arg(dtype, [3, 4], grad=False), 0, at(3, [3, 3], 0), Arg(dtype, [3, 3], grad=False), reduce="add")
    case("scatter", Arg(dtype, [3, 4], grad=False), 0, at(3, [3, 3], 0), 2, reduce="multiply")
    case("scatter_", Arg(dtype, [3, 4], grad=False), 0, at(3, [3, 3], 0), 2, reduce="multiply")
for dtype in FLOATING:
    for reduce in ("prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            case("index_reduce", Arg(dtype, [3, 4], grad=False), 0, at(3, [5], 0), Arg(dtype, [5, 4], grad=False), reduce, include_self=include_self)
    case("embedding", Arg(dtype, [5, 3]), at(5, [2, 3], 0))
    case("embedding", Arg(dtype, [5, 3]), at(5, [2, 3], 0), 2)
    case("embedding", Arg(dtype, [5, 3]), at(5, [4], 0, "Int"), -1, True)
    case("embedding_dense_backward", Arg(dtype, [4, 3], grad=False), at(5, [4], 0), 5, 1, False)
nothing = Arg("Long", [0], low=0, high=0)
case("index", Arg("Float", [3, 0]), [at(3, [2])])
case("index", Arg("Float", [3, 2]), [nothing])
case("index_select", Arg("Float", [3, 2]), 1, nothing)
case("gather", Arg("Float", [3, 2]), 0, Arg("Long", [0, 2], low=0, high=0))
case("nonzero", Arg("Float", [], low=1, high=2))
case("argwhere", Arg("Int", [2, 3], low=0, high=1))
case("nonzero_numpy", Arg("Int", [2, 3], low=0, high=1))
case("where", Arg("Int", [2, 3], low=0, high=1))
# Errors.
f, l = Arg("Float", [3, 4]), Arg("Long", [2], low=0, high=1)
case("index", f, [Arg("Long", [1], low=3, high=3)])
case("index", f, [None, Arg("Long", [1], low=-5, high=-5)])
case("index", f, [Arg("Float", [2])])
case("index", f, [l, l, l])
case("index", f, [l, at(3, [3])])
case("index", f, [mask([4])])
case("index_put", f, [l], Arg("Double", [2, 4]))
case("index_put", f, [l], Arg("Float", [3, 4]))
case("index_select", f, 2, l)
case("index_select", f, 0, Arg("Float", [2]))
case("index_select", f, 0, at(1, [2, 2], 0))
case("index_select", f, 0, Arg("Long", [1], low=-1, high=-1))
case("gather", f, 0, l)
case("gather", f, 0, Arg("Long", [2, 5], low=0, high=0))
case("gather", f, 0, Arg("Long", [2, 4], low=3, high=3))
case("gather", f, 0, Arg("Float", [2, 4]))
case("scatter", f, 0, at(3, [2, 4], 0), Arg("Float", [1, 4]))
case("scatter", f, 0, at(3, [2, 4], 0), Arg("Double", [2, 4]))
case("scatter_add", f, 0, at(3, [2, 5], 0), Arg("Float", [2, 5]))
case("scatter_reduce", f, 0, at(3, [2, 4], 0), Arg("Float", [2, 4]), "median")
case("index_add", f, 0, l, Arg("Float", [3, 4]))
case("index_add", f, 0, l, Arg("Double", [2, 4]))
case("index_copy", f, 0, l, Arg("Float", [2, 3]))
case("index_fill", f, 0, l, Arg("Float", [1]))
case("take", f, Arg("Long", [1], low=12, high=12))
case("take", f, Arg("Float", [1]))
case("put", f, l, Arg("Float", [3]))
case("masked_select", f, Arg("Float", [3, 4]))
case("masked_scatter", f, Arg("Bool", [3, 4], low=1), Arg("Double", [12]))
case("take_along_dim", f, Arg("Int", [1, 3], low=0, high=1), 1)
case("embedding", f, Arg("Float", [2]))
write("indexing.jsonl")
