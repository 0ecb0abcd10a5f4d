#!/usr/bin/python3
"""Writes linalg.jsonl: products of vectors, matrices and more dimensions. See golden.py."""
import golden
from golden import *

golden.resolve = lambda op: getattr(torch.ops.aten, op)  # the C++ signatures


class Arg(golden.Arg):
    """In halves, so that sums of products are exact, and short to write down."""

    def __init__(self, dtype, *args, **kwargs):
        super().__init__(dtype, *args, **kwargs)
        if self.grad:
            with torch.no_grad():
                parts = torch.view_as_real(self.leaf) if dtype in COMPLEX else self.leaf
                parts.copy_((parts * 2).round() / 2)


NUMBERS = FLOATING + COMPLEX + ["Int", "Byte", "BFloat16"]
NAMELESS = {  # composed of other ops there, so that another node comes last
    "kron", "einsum", "matrix_power", "linalg_matrix_power", "bilinear", "linalg_multi_dot", "chain_matmul", "tensordot",
}


def product(op, *args, **kwargs):
    """A case. Bool, half precision in some ops, and factors that lose their fraction are left to other tests."""
    if op.startswith("baddbmm") and kwargs.get("beta") == 0 and args[0].leaf.dtype == torch.bfloat16:
        return  # multiplies what was in memory by 0 there
    before = len(cases)
    case(op, *args, **kwargs)
    # Limits that Lanewise does not have.
    cases[before:] = [e for e in cases[before:] if not any(t in e.get("error", "") for t in ("does not support automatic", "expected scalar type Long", "view size is not compatible"))]
    for entry in cases[before:]:
        folded = op == "matmul" and len(args[0].tensor().shape) == 2 and len(args[1].tensor().shape) > 2
        if op in NAMELESS or folded or kwargs.get("left") is False:
            entry.pop("node", None)
            entry.pop("edges", None)
        if op in ("linalg_inv", "inverse", "linalg_solve", "matrix_power"):  # LAPACK's columns first
            for result in entry.get("results", []):
                result.pop("strides", None)
        if op in ("einsum", "kron", "matmul", "linear", "tensordot", "inner"):
            for result in entry.get("results", []):
                if 1 in result["sizes"] or op == "einsum":
                    result.pop("strides", None)  # of views of size 1 anything goes


def layouts(n):
    return [rng.choice("ccts") for _ in range(n)]


for dtype in NUMBERS:
    real = dtype not in COMPLEX
    exact = dtype != "BFloat16"  # sums are rounded after each step there
    a, b, c = layouts(3)
    scales = ({}, {"beta": 2, "alpha": 3}, {"beta": 0}, {"beta": 0.5, "alpha": -1.5} if dtype in FLOATING + COMPLEX else {"alpha": 2})
    for scale in scales if dtype in ("Double", "ComplexDouble") else rng.sample(scales, 1):
        product("addmv", Arg(dtype, [2]), Arg(dtype, [2, 3], a), Arg(dtype, [3], b), **scale)
        product("addr", Arg(dtype, rng.choice([[2, 3], [3], [2, 1], []]), c), Arg(dtype, [2], a), Arg(dtype, [3], b), **scale)
        product("baddbmm", Arg(dtype, rng.choice([[2, 2, 3], [3], [2, 1], [2, 1, 3]])), Arg(dtype, [2, 2, 4], a), Arg(dtype, [2, 4, 3], b), **scale)
        product("addmm", Arg(dtype, rng.choice([[2, 3], [3], [2, 1], []])), Arg(dtype, [2, 4], a), Arg(dtype, [4, 3], b), **scale)
        if exact:
            product("addbmm", Arg(dtype, rng.choice([[2, 3], [3], [2, 1]])), Arg(dtype, [2, 2, 4], a), Arg(dtype, [2, 4, 3], b), **scale)
        product("addmv_", Arg(dtype, [2]), Arg(dtype, [2, 3], a), Arg(dtype, [3], b), **scale)
        product("addr_", Arg(dtype, [2, 3]), Arg(dtype, [2], a), Arg(dtype, [3], b), **scale)
        product("addmm_", Arg(dtype, [2, 3], c), Arg(dtype, [2, 4], a), Arg(dtype, [4, 3], b), **scale)
        product("baddbmm_", Arg(dtype, [2, 2, 3], c), Arg(dtype, [2, 2, 4], a), Arg(dtype, [2, 4, 3], b), **scale)
    product("bmm", Arg(dtype, [3, 2, 3], a), Arg(dtype, [3, 3, 2], b))
    product("mv", Arg(dtype, [4, 3], a), Arg(dtype, [3], b))
    product("linear", Arg(dtype, [2, 3], a), Arg(dtype, [4, 3], b), Arg(dtype, [4]))
    product("kron", Arg(dtype, [2, 2], a), Arg(dtype, [3], b))
    product("kron", Arg(dtype, [2]), Arg(dtype, [2, 3], b))
    product("outer", Arg(dtype, [3], a), Arg(rng.choice(NUMBERS), [2], b))
    product("cross", Arg(dtype, [2, 3], a), Arg(dtype, [2, 3], b))
    product("linalg_cross", Arg(dtype, [3, 2], a), Arg(dtype, [3, 1], b), dim=0)
    product("trace", Arg(dtype, [3, 2], a))
    product("tensordot", Arg(dtype, [2, 3, 4], a), Arg(dtype, [4, 3], b), [1, -1], [1, 0])
    product("tensordot", Arg(dtype, [2, 3], a), Arg(dtype, [1, 2], b), [1], [0])
    product("inner", Arg(dtype, [2, 3], a), Arg(dtype, [4, 3], b))
    if real and exact:  # Debian's dot of complex numbers is 0
        product("vdot", Arg(dtype, [4], "s"), Arg(dtype, [4]))
        product("inner", Arg(dtype, [3]), Arg(dtype, [3]))
        product("inner", Arg(dtype, []), Arg(dtype, [3]))
    if dtype not in ("Double", "ComplexFloat", "Int", "BFloat16"):
        continue
    for sa, sb in (([2, 2, 3], [3]), ([3], [2, 3, 2]), ([3], [3, 2]), ([2, 1, 2, 3], [2, 3, 2]), ([2, 3], [2, 3, 2]), ([2, 2, 3], [2, 3, 4]), ([1, 2, 3], [2, 3, 1])):
        product("matmul", Arg(dtype, sa), Arg(dtype, sb))
    for n in (0, 1, 2, 3, 4, 5):
        product("matrix_power", Arg(dtype, [2, 2, 2] if n % 2 else [3, 3], "c", -2, 2), n)
    product("linear", Arg(dtype, [2, 2, 3]), Arg(dtype, [4, 3]), Arg(dtype, [4]))
    product("linear", Arg(dtype, [2, 2, 3], "t"), Arg(dtype, [4, 3]))
    product("linear", Arg(dtype, [3]), Arg(dtype, [4, 3]), Arg(dtype, [4]))
    product("bilinear", Arg(dtype, [2, 3]), Arg(dtype, [2, 2]), Arg(dtype, [4, 3, 2]), Arg(dtype, [4]))
    product("linalg_multi_dot", [Arg(dtype, [2, 3], "c", -1, 1), Arg(dtype, [3, 4], "t", -1, 1), Arg(dtype, [4, 2], "c", -1, 1)])
    product("linalg_multi_dot", [Arg(dtype, [3], "c", -1, 1), Arg(dtype, [3, 4], "c", -1, 1), Arg(dtype, [4], "c", -1, 1)])
    product("chain_matmul", [Arg(dtype, [1, 3], "c", -1, 1), Arg(dtype, [3, 3], "c", -1, 1), Arg(dtype, [3, 2], "c", -1, 1), Arg(dtype, [2, 2], "c", -1, 1)])
for dtype in FLOATING + COMPLEX:
    product("linalg_vecdot", Arg(dtype, [2, 3]), Arg(dtype, [3]))
    product("linalg_vecdot", Arg(dtype, [2, 3], "t"), Arg(dtype, [2, 3]), dim=0)

for a, b, c in (("Float", "Int", "Double"), ("Int", "Int", "Float"), ("Bool", "Int", "Int"), ("Int", "Bool", "Bool"), ("Bool", "Bool", "Bool"),
                ("Float", "ComplexFloat", "Float"), ("BFloat16", "Float", "Int")):
    product("addr", Arg(a, [2, 3]), Arg(b, [2]), Arg(c, [3]))
    product("addr", Arg(a, [3]), Arg(b, [2]), Arg(c, [3]), beta=0)
product("addr", Arg("Bool", [2, 3]), Arg("Bool", [2]), Arg("Bool", [3]), beta=0, alpha=1)
product("addr", Arg("Bool", [2, 3]), Arg("Bool", [2]), Arg("Bool", [3]), alpha=0)

for dtype in FLOATING + COMPLEX:
    exact = dtype in ("Double", "ComplexDouble")
    for op, sizes in (("linalg_det", [3, 3]), ("linalg_inv", [2, 2]), ("inverse", [2, 3, 3]), ("det", [2, 2, 2])) if exact else (("linalg_det", [2, 2]),):
        product(op, Arg(dtype, sizes, rng.choice("ct") if len(sizes) == 2 else "c", 1, 3))
    if exact:
        product("linalg_solve", Arg(dtype, [3, 3]), Arg(dtype, [3, 2]))
        product("linalg_solve", Arg(dtype, [2, 2]), Arg(dtype, [2]))
        product("linalg_solve", Arg(dtype, [2, 2, 2]), Arg(dtype, [2, 2]))
        product("linalg_solve", Arg(dtype, [1, 2, 2]), Arg(dtype, [2, 2, 3]))
        product("linalg_solve", Arg(dtype, [2, 2]), Arg(dtype, [3, 2]), left=False)
        product("matrix_power", Arg(dtype, [2, 2]), -3)
product("linalg_det", Arg("Double", [0, 0]))
product("linalg_inv", Arg("Double", [2, 0, 0]))
for op, args in (("linalg_det", [Arg("Float", [2, 3])]), ("linalg_inv", [Arg("Int", [2, 2])]), ("linalg_inv", [Arg("Float", [2])]),
                 ("linalg_solve", [Arg("Float", [2, 2]), Arg("Double", [2])]), ("linalg_solve", [Arg("Float", [2, 2]), Arg("Float", [3])])):
    product(op, *args)

# K is zero, or there is nothing to write.
product("mm", Arg("Float", [2, 0]), Arg("Float", [0, 3]))
product("addmm", Arg("Float", [3]), Arg("Float", [2, 0]), Arg("Float", [0, 3]), beta=2)
product("addmv", Arg("Float", [2]), Arg("Float", [2, 0]), Arg("Float", [0]), beta=3)
product("baddbmm", Arg("Float", [2, 2, 3]), Arg("Float", [2, 2, 0]), Arg("Float", [2, 0, 3]), beta=3)
product("addbmm", Arg("Float", [2, 3]), Arg("Float", [0, 2, 4]), Arg("Float", [0, 4, 3]), beta=3)
product("bmm", Arg("Float", [0, 2, 3]), Arg("Float", [0, 3, 2]))
product("matmul", Arg("Float", [2, 2, 0]), Arg("Float", [0, 3]))
product("mv", Arg("Float", [0, 3]), Arg("Float", [3]))

EINSUM = [
    ("ij,jk", [2, 3], [3, 4]), ("ij,jk->ki", [2, 3], [3, 4]), ("ba,jk->", [2, 3], [3, 4]), ("ba", [2, 3]), ("Ab", [2, 3]), ("bA", [2, 3]),
    (" i j , j k -> i k ", [2, 3], [3, 4]), ("ij,jk,kl->il", [2, 3], [3, 4], [4, 2]), ("ij,kj->ik", [2, 3], [1, 1]), ("->", []),
    ("i...->...", [2, 3]), ("...i->...", [2, 3, 4]), ("...", [2, 3]), ("...,...", [2, 3, 2], [3, 2]), ("...i,...i->...", [2, 3, 4], [3, 4]),
    ("...ij,...jk->...", [5, 2, 3], [3, 4]), ("...ij,...jk", [5, 2, 3], [3, 4]), ("i->...i", [5]), ("...i->i", [5, 2]), ("iij->ji", [3, 3, 2]),
    ("ii", [3, 3]), ("ii->i", [3, 3]), ("iii->i", [2, 2, 2]), ("iji->ij", [2, 3, 2]), ("ii,ii", [2, 2], [2, 2]), ("i,i->i", [3], [3]), ("i,i", [3], [3]),
    ("i,j", [3], [2]), ("i,ij->j", [3], [3, 2]), ("bi,bi->b", [3, 2], [3, 2]), ("ij->", [3, 2]), ("ij->j", [3, 2]), ("ij,jk->ijk", [3, 2], [2, 2]),
    ("ij,jk->ikj", [3, 2], [2, 2]), ("i,j,k->kji", [3], [2], [2]), ("ik,jk->ij", [3, 0], [2, 0]), ("ab...,b->a...", [3, 2, 2, 2], [2]),
    (",i->i", [], [3]), ("ijkl,jmkn->imln", [2, 3, 2, 2], [3, 2, 2, 2]), ("bn,anm,bm->ba", [2, 3], [4, 3, 2], [2, 2]), ("bhqd,bhkd->bhqk", [2, 2, 3, 2], [2, 2, 4, 2]),
    ("i...j,j...->i...", [2, 3, 4], [4, 3]), ("a...,...->a...", [2, 3], [2, 2, 3]), ("...a,a->...", [2, 3], [3]),
    # errors
    ("ij,jk->il", [2, 3], [3, 4]), ("ij,jk->ii", [2, 3], [3, 4]), ("ij,jk->i->k", [2, 3], [3, 4]), ("ij,jk-ik", [2, 3], [3, 4]), ("ij,jk->i$", [2, 3], [3, 4]),
    ("i1,jk->i", [2, 3], [3, 4]), ("ij,jk", [2, 3], [4, 4]), ("ii", [2, 3]), ("ijk", [2, 3]), ("i", [2, 3]), ("ij", [2, 3], [2, 3]), ("ij,ij", [2, 3]),
    ("i......", [5, 2, 3]), ("i..", [5, 2, 3]), ("i.j", [5, 2, 3]), ("...->......", [5]), ("i", []), ("i,i->i", [3], [4]), ("ij,jk->ik", [2, 3]),
]
for equation, *shapes in EINSUM:
    product("einsum", equation, [Arg("Double", s) for s in shapes])
for dtype in ("ComplexDouble", "Int"):
    for equation, sa, sb in (("ij,jk", [2, 3], [3, 4]), ("bij,bjk->ki", [2, 2, 3], [2, 3, 2]), ("i,j->ij", [2], [3]), ("ij,ij->i", [2, 3], [2, 3])):
        product("einsum", equation, [Arg(dtype, sa, rng.choice("ct")), Arg(dtype, sb, rng.choice("ct"))])
product("einsum", "ij,jk->ik", [Arg("Float", [2, 3]), Arg("Double", [3, 4])])

F = lambda *sizes: Arg("Float", list(sizes))
for op, args in [
    ("mm", (F(2, 3), F(3))), ("mv", (F(2, 3), F(2))), ("mv", (F(2), F(2))), ("bmm", (F(2, 2, 3), F(3, 3, 2))), ("bmm", (F(2, 2, 3), F(2, 4, 2))), ("bmm", (F(2, 3), F(2, 4, 2))),
    ("baddbmm", (F(3, 2, 2), F(2, 2, 3), F(2, 3, 2))), ("baddbmm_", (F(2, 2), F(2, 2, 3), F(2, 3, 2))), ("baddbmm_", (F(1, 2, 2), F(2, 2, 3), F(2, 3, 2))),
    ("addbmm", (F(3, 2), F(2, 2, 3), F(2, 3, 2))), ("addbmm", (F(2, 2), F(2, 2, 3), F(3, 3, 2))), ("addbmm", (F(2, 2), F(2, 2, 3), F(2, 4, 2))),
    ("addmv", (F(2, 1), F(2, 3), F(3))), ("addmv", (F(3), F(2, 3), F(3))), ("addmv", (F(2), F(2, 3), F(4))), ("addmv_", (F(1), F(2, 3), F(3))),
    ("addr", (F(4, 2, 3), F(2), F(3))), ("addr", (F(3, 3), F(2), F(3))), ("addr", (F(2, 3), F(2, 1), F(3))), ("addr_", (F(3), F(2), F(3))),
    ("addmm", (F(2, 2, 2), F(2, 3), F(3, 2))), ("addmm_", (F(2), F(2, 3), F(3, 2))), ("outer", (F(3, 1), F(3))), ("inner", (F(2, 3), F(4))),
    ("matmul", (F(), F(3))), ("matmul", (F(2, 3), F(4, 2))), ("matmul", (F(2, 2, 3), F(4, 2))), ("matmul", (F(2, 2, 3), F(3, 3, 2))), ("matmul", (F(2, 2, 3), F(4))),
    ("tensordot", (F(2, 3), F(4, 3), [1], [0])), ("tensordot", (F(2, 3), F(4, 3), [1, 0], [0])), ("tensordot", (F(2, 3), F(4, 3), [1, 1], [1, 1])),
    ("tensordot", (F(2, 3), F(4, 3), [2], [1])), ("matrix_power", (F(2, 3), 2)), ("matrix_power", (F(2), 2)), ("cross", (F(2, 2), F(2, 2))), ("cross", (F(3, 2), F(2, 3))),
    ("cross", (F(3), F(2, 3))), ("linalg_cross", (F(3, 2), F(3, 2))), ("trace", (F(3),)), ("linalg_vecdot", (F(2, 3), F(2))), ("linalg_vecdot", (F(2, 3), Arg("Double", [2, 3]))),
    ("linalg_multi_dot", ([F(2, 3)],)), ("linalg_multi_dot", ([F(3), F(4, 2), F(2)],)), ("linalg_multi_dot", ([F(3), F(4, 2, 2), F(2)],)), ("linalg_multi_dot", ([F(3, 3, 3), F(4, 2)],)),
    ("linalg_multi_dot", ([F(3, 3), Arg("Double", [3, 2])],)), ("chain_matmul", ([F(3), F(3, 3)],)), ("linear", (F(2, 3), F(4, 4), F(4))), ("linear", (F(2, 3), F(4, 3), F(5))),
    ("linear", (F(2, 3), F(2, 4, 3))), ("linear", (F(), F(4, 3))), ("bilinear", (F(2, 3), F(3, 4), F(5, 3, 4))), ("bilinear", (F(2, 3), F(2, 5), F(5, 3, 4))),
    ("bilinear", (F(2, 3), F(2, 4), F(5, 3, 4), F(6))), ("addmm", (Arg("Double", [2, 2]), F(2, 3), F(3, 2))), ("bmm", (F(2, 2, 3), Arg("Double", [2, 3, 2]))),
]:
    product(op, *args)

write("linalg.jsonl")
