"""What the make_*.py of this folder share: they write down what PyTorch 1.13 (Debian's python3-torch) answers to calls of
the ops that Lanewise has, each in a .jsonl of its own, and golden_test reads them all.

A line is a case: the op, its inputs (a leaf and the views that lead to the argument), its keyword arguments, and what came out:
values, dtypes, strides, the name of grad_fn, gradients of the leaves, or that it raised an error. Run a script without
arguments, in this folder; its output depends on nothing but itself, this file and PyTorch's version.
"""
import json
import math
import random
import warnings

import torch

warnings.simplefilter("ignore")

torch.manual_seed(0)
rng = random.Random(0)

DTYPES = {
    "Bool": torch.bool, "Byte": torch.uint8, "Char": torch.int8, "Short": torch.int16, "Int": torch.int32,
    "Long": torch.int64, "Half": torch.float16, "BFloat16": torch.bfloat16, "Float": torch.float32,
    "Double": torch.float64, "ComplexFloat": torch.complex64, "ComplexDouble": torch.complex128,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
FLOATING = ["Float", "Double"]
COMPLEX = ["ComplexFloat", "ComplexDouble"]
INTEGRAL = ["Byte", "Char", "Short", "Int", "Long"]


def number(x):
    if isinstance(x, complex):
        return [number(x.real), number(x.imag)]
    if isinstance(x, float):
        if math.isnan(x):
            return "nan"
        if math.isinf(x):
            return "inf" if x > 0 else "-inf"
        return float(f"{x:.17g}") if x != int(x) or abs(x) > 1e15 or (x == 0 and math.copysign(1, x) < 0) else int(x)
    return int(x)


def tensor_out(t):
    wide = t.detach()
    if wide.dtype in (torch.float16, torch.bfloat16):
        wide = wide.float()
    values = [number(v) for v in wide.reshape(-1).tolist()]
    return {"dtype": NAMES[t.dtype], "sizes": list(t.shape), "values": values}


def values_of(dtype, n, low=-3.0, high=3.0):
    t = DTYPES[dtype]
    if dtype == "Bool":
        return [rng.random() < 0.5 for _ in range(n)]
    if dtype in INTEGRAL:
        low = max(low, 0) if dtype == "Byte" else low
        return [rng.randint(math.ceil(low), math.floor(high)) for _ in range(n)]
    if dtype in COMPLEX:
        return [complex(round(rng.uniform(low, high), 2), round(rng.uniform(low, high), 2)) for _ in range(n)]
    return torch.tensor([round(rng.uniform(low, high), 2) for _ in range(n)], dtype=t).double().tolist()


class Arg:
    """A tensor argument: a contiguous leaf and the views that lead to the argument."""

    def __init__(self, dtype, sizes, layout="c", low=-3.0, high=3.0, grad=True):
        leaf_sizes, self.views = list(sizes), []
        if layout == "t" and len(sizes) >= 2:
            leaf_sizes[0], leaf_sizes[-1] = leaf_sizes[-1], leaf_sizes[0]
            self.views = [["transpose", 0, -1]]
        elif layout == "s" and len(sizes) >= 1:
            leaf_sizes[-1] *= 2
            self.views = [["slice", len(sizes) - 1, 0, leaf_sizes[-1], 2]]
        elif layout == "e" and len(sizes) >= 1:
            leaf_sizes[0] = 1
            self.views = [["expand", list(sizes)]]
        n = math.prod(leaf_sizes)
        self.leaf = torch.tensor(values_of(dtype, n, low, high), dtype=DTYPES[dtype]).reshape(leaf_sizes)
        self.grad = grad and dtype in FLOATING + COMPLEX
        self.leaf.requires_grad_(self.grad)

    def tensor(self):
        t = self.leaf
        for name, *args in self.views:
            if name == "slice":
                dim, start, end, step = args
                t = torch.ops.aten.slice(t, dim, start, end, step)
            else:
                t = getattr(t, name)(*args)
        return t

    def json(self):
        out = tensor_out(self.leaf)
        if self.views:
            out["views"] = self.views
        if self.grad:
            out["requires_grad"] = True
        return {"tensor": out}


def encode(a):
    if isinstance(a, Arg):
        return a.json()
    if isinstance(a, torch.dtype):
        return {"dtype": NAMES[a]}
    if a is None:
        return None
    if isinstance(a, bool):
        return {"bool": a}
    if isinstance(a, int):
        return {"int": a}
    if isinstance(a, float):
        return {"float": number(a)}
    if isinstance(a, complex):
        return {"complex": number(a)}
    if isinstance(a, str):
        return {"string": a}
    if is_tensor_list(a):
        return {"tensors": [None if t is None else t.json()["tensor"] for t in a]}
    return {"ints": list(a)}


def is_tensor_list(a):
    return isinstance(a, list) and any(isinstance(t, Arg) for t in a)


def live(a):
    """What PyTorch is called with."""
    if is_tensor_list(a):
        return [None if t is None else t.tensor() for t in a]
    return a.tensor() if isinstance(a, Arg) else a


# Of these torch's own function takes its tensors one by one, or does more than the op.
LISTED = {"index_put", "block_diag", "broadcast_tensors", "cartesian_prod", "meshgrid", "unique_consecutive", "split", "atleast_1d",
          "atleast_2d", "atleast_3d"}


def resolve(op):
    if op in LISTED:
        return getattr(torch.ops.aten, op)
    for place in (torch, torch._C._nn, torch.ops.aten):
        if hasattr(place, op):
            return getattr(place, op)
    return lambda self, *args, **kwargs: getattr(self, op)(*args, **kwargs)


cases = []


def case(op, *args, **kwargs):
    """Runs one call and records what came out. What PyTorch has no kernel for on the CPU is left out: there we do more."""
    function = resolve(op)
    entry = {"op": op, "args": [encode(a) for a in args]}
    if kwargs:
        entry["kwargs"] = {k: encode(v) for k, v in kwargs.items()}
    tensors = [t for a in list(args) + list(kwargs.values()) for t in (a if is_tensor_list(a) else [a]) if isinstance(t, Arg)]
    for t in tensors:
        t.leaf.grad = None  # of an earlier case
    given = [live(a) for a in args]
    if op.endswith("_"):
        given[0] = given[0].clone()
        function = lambda self, *rest, **kw: getattr(self, op)(*rest, **kw)
    try:
        result = function(*given, **{k: live(v) for k, v in kwargs.items()})
    except (RuntimeError, TypeError, IndexError, ValueError) as error:
        if "not implemented for" in str(error) or "not supported for" in str(error):
            return
        entry["error"] = str(error).splitlines()[0][:120]
        cases.append(entry)
        return
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    if op in ("div", "div_") and any(r.is_complex() and bool(torch.isnan(torch.view_as_real(r)).any()) for r in results):
        return  # its vector code gives NaN for a division by zero, its scalar code infinity as C does
    if any(r.dtype not in NAMES for r in results):
        return  # complex32: Lanewise has no such type
    entry["results"] = [tensor_out(r) for r in results]
    if op not in ("contiguous",):
        for out, r in zip(entry["results"], results):
            if r.numel() > 1:
                out["strides"] = list(r.stride())
    node = next((r.grad_fn for r in results if r.grad_fn is not None), None)
    if node is not None:
        if not op.endswith("_"):
            entry["node"] = type(node).__name__
            entry["edges"] = [None if f is None else type(f).__name__ for f, _ in node.next_functions]
        try:
            flat = [torch.view_as_real(r.contiguous()) if r.is_complex() else r for r in results if r.requires_grad]
            loss = sum((r * weights(r)).sum() for r in flat)
            loss.backward()
            entry["grads"] = [None if a.leaf.grad is None else tensor_out(a.leaf.grad) for a in tensors]
        except RuntimeError:
            pass  # a limit of the reference, not of the op
    cases.append(entry)


def weights(r):
    """1, 2, 3 ... in the result's logical order, so that a gradient in the wrong place shows."""
    return torch.arange(1, r.numel() + 1, dtype=torch.float64).to(r.dtype).reshape(r.shape)


PAIRS = [([2, 3], [2, 3]), ([2, 3], [3]), ([2, 1], [1, 3]), ([], [3]), ([2, 3], []), ([], []), ([0, 3], [3]), ([2, 1, 2], [3, 1])]
ALL = list(DTYPES)
REAL = [d for d in ALL if d not in COMPLEX]


def binary(op, dtypes=ALL, low=-3.0, high=3.0, scalars=(2, 0.5, True, 1.5 + 1j), pairs=40, **kwargs):
    for _ in range(pairs):
        a, b = rng.choice(dtypes), rng.choice(dtypes)
        shape = rng.choice(PAIRS)
        layouts = [rng.choice("ccctse") for _ in range(2)]
        case(op, Arg(a, shape[0], layouts[0], low, high), Arg(b, shape[1], layouts[1], low, high), **kwargs)
    for s in scalars:
        for d in rng.sample(dtypes, min(4, len(dtypes))):
            case(op, Arg(d, rng.choice([[2, 2], [], [3]]), rng.choice("ct"), low, high), s, **kwargs)
    for d in ("Float", "Double", "ComplexDouble"):
        if d in dtypes:
            case(op, Arg(d, [2, 2], "c", low, high), Arg(d, [2], "c", low, high), **kwargs)
    case(op, Arg("Float", [2, 3]), Arg("Float", [4]), **kwargs)


def inplace(op, dtypes=ALL, pairs=14, **kwargs):
    for _ in range(pairs):
        a, b = rng.choice(dtypes), rng.choice(dtypes)
        shapes = rng.choice([([2, 3], [2, 3]), ([2, 3], [3]), ([2, 3], []), ([3], [2, 3])])
        case(op, Arg(a, shapes[0], "c", 1, 3), Arg(b, shapes[1], rng.choice("ce"), 1, 3), **kwargs)
    for s in (2, 0.5):
        for d in rng.sample(dtypes, min(3, len(dtypes))):
            case(op, Arg(d, [3], "c", 1, 3), s, **kwargs)


def write(name):
    """Ends a script: the cases go to the file `name`."""
    with open(name, "w", encoding="ascii") as file:
        for entry in cases:
            file.write(json.dumps(entry, separators=(",", ":")) + "\n")
    print(len(cases), "cases")
