#!/usr/bin/python3
"""Writes promotion.txt: what PyTorch 1.13 answers for every pair of operands.

One line per left operand, one word per right operand, in the order of the first line: d_f32 is an f32 tensor with a dimension,
z_f32 a 0-dim one, w_f64 a wrapped number. Then, after "can_cast", a row of 0 and 1 for each dtype. complex32, which Lanewise
does not have, is written as c64.
"""
import torch

NAMES = {
    "bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "c64": torch.complex64, "c128": torch.complex128,
}
WORDS = {dtype: name for name, dtype in NAMES.items()}
WORDS[torch.complex32] = "c64"

operands = {f"d_{n}": torch.zeros(2).to(t) for n, t in NAMES.items()}
operands |= {f"z_{n}": torch.zeros(()).to(t) for n, t in NAMES.items()}
operands |= {"w_bool": True, "w_i64": 1, "w_f64": 1.5, "w_c128": 1j}

with open("promotion.txt", "w") as out:
    print(*operands, file=out)
    for name, a in operands.items():
        print(name, *(WORDS[torch.result_type(a, b)] for b in operands.values()), file=out)
    print("can_cast", file=out)
    for name, a in NAMES.items():
        print(name, *(int(torch.can_cast(a, b)) for b in NAMES.values()), file=out)
