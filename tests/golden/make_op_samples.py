#!/usr/bin/python3
"""Writes op_samples.jsonl: calls like those of PyTorch's own samples of its ops (torch.testing's OpInfo) at the edges of dtypes and
shapes: integers with fractional numbers, sums of integers, new dimensions of size 1, nothing at all. See golden.py."""
from golden import *

for op in ("expand", "broadcast_to"):
    for sizes in ([1, 1, 5], [1, 3, 1, 5], [2, 1, 3, 5]):
        case(op, Arg("Double", [1, 5]), sizes)
    case(op, Arg("Double", []), [1, 1])
case("ravel", Arg("Float", [3, 4], "s"))
case("ravel", Arg("Float", [6], "s"))
case("movedim", Arg("Double", []), [], [])
for factor in (1, 2):
    case("pixel_shuffle", Arg("Float", [1, 0, 1, 1]), factor)
case("pixel_unshuffle", Arg("Float", [1, 0, 2, 2]), 1)
for pad in ([-1, 1, -2, 1], [1, -2, 2, 2], [-1, -1, 0, 0], [2, -1, -1, 2]):
    case("pad", Arg("Double", [1, 2, 4, 4]), pad, "circular")
    del cases[-1]["node"], cases[-1]["edges"]  # of copies there, of an index_select here

for dtype in INTEGRAL + ["Bool"]:
    for sizes, to in (([], []), ([5], [1]), ([2, 3], [3]), ([2, 3], [2, 3]), ([2, 3], [])):
        case("sum_to_size", Arg(dtype, sizes), to)
for dtype in INTEGRAL:
    case("einsum", "iji->j", [Arg(dtype, [1, 3, 1])])
    case("einsum", "ik,j->ij", [Arg(dtype, [2, 3]), Arg(dtype, [3])])
    case("einsum", "ij,jk->ik", [Arg(dtype, [2, 3]), Arg(dtype, [3, 2])])
    matrices = Arg(dtype, [2, 3]), Arg(dtype, [3, 2])
    for beta, alpha in ((0.6, 0.2), (1.7, 2.9), (-1.5, 1)):
        if dtype == "Byte" and beta < 0:
            continue
        case("addmm", Arg(dtype, [2, 2]), *matrices, beta=beta, alpha=alpha)
        case("addmv", Arg(dtype, [2]), matrices[0], Arg(dtype, [3]), beta=beta, alpha=alpha)
        case("baddbmm", Arg(dtype, [2, 2, 2]), Arg(dtype, [2, 2, 3]), Arg(dtype, [2, 3, 2]), beta=beta, alpha=alpha)
        case("addbmm", Arg(dtype, [2, 2]), Arg(dtype, [2, 2, 3]), Arg(dtype, [2, 3, 2]), beta=beta, alpha=alpha)
    case("logspace", 4.3, 2, 4, 2.0, dtype=DTYPES[dtype])
    case("logspace", 0.9, 5.7, 6, 2.0, dtype=DTYPES[dtype])
    case("arange", 0, 7.9, 2, dtype=DTYPES[dtype])
case("arange", 0, -8.000001, -4, dtype=torch.int64)
case("arange", 0.9, 5.2, 1.8, dtype=torch.int64)
case("arange", 0, 5, 0.5, dtype=torch.int64)

for dtype in ("Half", "BFloat16"):
    case("histc", Arg(dtype, [20], grad=False), 4, -2, 2)
    case("histc", Arg(dtype, [], grad=False), 5, 0, 0)
for dtype in ("Byte", "Float"):
    case("gather", Arg("Double", [5]), 0, Arg(dtype, [0], grad=False))
    case("scatter_add", Arg("Double", [5]), 0, Arg(dtype, [0], grad=False), Arg("Double", [2]))

for dtype in ("Float", "Double"):
    for op in ("bartlett_window", "blackman_window", "hann_window", "hamming_window", "kaiser_window"):
        for length in (0, 1, 2, 7):
            case(op, length, dtype=DTYPES[dtype])
            case(op, length, False, dtype=DTYPES[dtype])
    case("hamming_window", 6, False, 0.5, dtype=DTYPES[dtype])
    case("hamming_window", 6, True, 0.5, 0.25, dtype=DTYPES[dtype])
    case("kaiser_window", 6, False, 2.5, dtype=DTYPES[dtype])
case("hann_window", -1)
case("hann_window", 3, dtype=torch.int64)
# Its gradients go through copies into slices there, through padding here.
for dtype in ("Float", "Long"):
    for batch_first in (False, True):
        case("pad_sequence", [Arg(dtype, [2, 3], grad=False), Arg("Float", [4, 3], grad=False)], batch_first, 2.0)
case("pad_sequence", [])
case("pad_sequence", [Arg("Float", [2, 3], grad=False), Arg("Float", [2, 4], grad=False)])
write("op_samples.jsonl")
