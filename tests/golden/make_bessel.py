#!/usr/bin/python3
"""Writes bessel.jsonl: Bessel functions beyond I and Airy's function. See golden.py.

PyTorch has no gradients for them. Its J, Y and Ai of doubles come from tables that are good to some nine digits here and there,
so those are left out; infinities too, where its J, Y and I are NaN.
"""
from golden import *

INEXACT = {"special_bessel_j0": (-2, 2), "special_bessel_j1": (-3, 3), "special_bessel_y0": (1.2, 3.5),
           "special_bessel_y1": (0.3, 1.9), "special_airy_ai": (-1.5, 3)}
EXACT = {"special_modified_bessel_i0": (-3, 3), "special_modified_bessel_i1": (-3, 3),
         "special_modified_bessel_k0": (0.2, 6), "special_modified_bessel_k1": (0.2, 6),
         "special_scaled_modified_bessel_k0": (0.2, 6), "special_scaled_modified_bessel_k1": (0.2, 6),
         "special_spherical_bessel_j0": (-2.5, 2.5)}

for op, (low, high) in {**INEXACT, **EXACT}.items():
    for dtype in ["Bool"] + INTEGRAL + FLOATING:
        for sizes, layout in (([2, 3], rng.choice("cts")), (rng.choice([[], [0], [3], [2, 1, 2]]), "c")):
            if dtype == "Double" and op in INEXACT:
                continue
            bounds = (math.ceil(low), math.floor(high)) if dtype in INTEGRAL else (low, high)
            case(op, Arg(dtype, sizes, layout, *bounds, grad=False))

write("bessel.jsonl")
