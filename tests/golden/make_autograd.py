#!/usr/bin/python3
"""Writes autograd/programs.jsonl: small programs of views, in-place ops, hooks and modes, and what PyTorch 1.13 makes of them.

A case has leaves, lines and what came out: the line that raised an error, or for each variable its graph node and edges, flags,
version and values, then the gradients after a backward and the order in which hooks saw what. autograd_golden_test runs the same
lines by name. Run it in this folder, with Debian's python3-torch.
"""
import itertools
import json
import random

import torch

rng = random.Random(7)
cases = []

# v -> a view of v. Names and arguments are ATen's.
VIEWS = [
    ("select", 0, 1), ("select", 1, 0), ("slice", 0, 0, 1, 1), ("slice", 1, 0, 3, 2), ("transpose", 0, 1), ("t",),
    ("view", [6]), ("unsqueeze", 1), ("narrow", 1, 1, 2), ("permute", [1, 0]), ("diagonal", 0, 0, 1),
]
VIEWS_1D = [("slice", 0, 0, 2, 1), ("unsqueeze", 0), ("select", 0, 1), ("slice", 0, 1, 3, 1)]
INPLACE = [("mul_", 2.5), ("add_", 1), ("sub_", 0.5), ("neg_",), ("sin_",), ("tanh_",), ("exp_",), ("zero_",), ("sigmoid_",), ("relu_",),
           ("sqrt_",), ("div_", 2)]


def number(x):
    return float(f"{x:.12g}")


def values(t):
    return [number(x) for x in t.detach().reshape(-1).tolist()]


def name_of(node):
    return None if node is None else type(node).__name__


class Machine:
    def __init__(self, leaves):
        self.vars, self.seen = {}, []
        for name, (shape, grad) in leaves.items():
            n = 1
            for s in shape:
                n *= s
            start = self.start(name, leaves)
            self.vars[name] = torch.tensor([0.25 * (start + i) for i in range(n)], dtype=torch.float64).reshape(shape).clone().requires_grad_(grad)

    @staticmethod
    def start(name, leaves):
        return 1 + list(leaves).index(name)

    def value(self, a):
        return self.vars[a[1:]] if isinstance(a, str) and a.startswith("$") else a

    def run(self, line):
        kind, *rest = line
        if kind == "call":
            out, op, *args = rest
            args = [self.value(a) for a in args]
            if op == "slice":
                result = torch.ops.aten.slice(*args)
            elif hasattr(args[0], op):
                result = getattr(args[0], op)(*args[1:])
            else:
                result = getattr(torch, op)(*args)
            if isinstance(result, (tuple, list)):
                for i, r in enumerate(result):
                    self.vars[f"{out}{i}"] = r
            elif out:
                self.vars[out] = result
        elif kind == "hook":
            name, label, factor = rest
            self.vars[name].register_hook(lambda g: self.see(label, g) * factor)
        elif kind == "prehook":
            name, label = rest
            self.vars[name].grad_fn.register_prehook(lambda gs: [self.see(label, gs[0])] and None)
        elif kind == "posthook":
            name, label = rest
            self.vars[name].grad_fn.register_hook(lambda ins, outs: [self.see(label, outs[0])] and None)
        elif kind == "retain":
            self.vars[rest[0]].retain_grad()
        elif kind == "no_grad":
            with torch.no_grad():
                self.run(rest[0])
        elif kind == "inference":
            with torch.inference_mode():
                self.run(rest[0])
        elif kind == "requires_grad":
            self.vars[rest[0]].requires_grad_(rest[1])
        elif kind == "detach_":
            self.vars[rest[0]].detach_()
        elif kind == "backward":
            names, retain = rest
            outs = [self.vars[n] for n in names]
            torch.autograd.backward(outs, [weights(o) for o in outs], retain_graph=retain)
        elif kind == "grad":
            out, inputs = rest
            found = torch.autograd.grad(self.vars[out], [self.vars[i] for i in inputs], weights(self.vars[out]), retain_graph=True, allow_unused=True)
            for i, g in zip(inputs, found):
                self.seen.append(["grad " + i, None if g is None else values(g)])
        else:
            raise AssertionError(kind)

    def see(self, label, g):
        self.seen.append([label, values(g)])
        return g


def weights(t):
    return torch.arange(1, t.numel() + 1, dtype=torch.float64).reshape(t.shape)


def state(t):
    # What is left out is the usual: no gradient, version 0, no view, a leaf unless there is a node.
    out = {"sizes": list(t.shape), "values": values(t)}
    if t.requires_grad:
        out["requires_grad"] = True
        if t._is_view():
            out["view"] = True
    if t.is_inference():
        out["inference"] = True
    elif t._version:
        out["version"] = t._version
    if t.grad_fn is not None:
        out["node"] = name_of(t.grad_fn)
        out["edges"] = [name_of(f) for f, _ in t.grad_fn.next_functions]
        if t.output_nr:
            out["output_nr"] = t.output_nr
    return out


def case(group, leaves, lines, backward=None, keep=()):
    """Runs the lines, notes the state, then runs a backward from the variables named. What is in `keep` has its grad noted."""
    machine = Machine(leaves)
    entry = {"group": group, "leaves": {k: {"sizes": s, "grad": g, "start": Machine.start(k, leaves)} for k, (s, g) in leaves.items()}, "lines": lines}
    for i, line in enumerate(lines):
        try:
            machine.run(line)
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            entry["error"] = {"line": i, "message": str(error).splitlines()[0][:100]}
            break
    else:
        entry["state"] = {}
        for name, t in machine.vars.items():
            if name in leaves and t.is_leaf and t._version == 0 and leaves[name][1] == t.requires_grad:
                continue
            try:
                entry["state"][name] = state(t)
            except RuntimeError as error:
                entry["state"][name] = {"error": str(error).splitlines()[0][:100]}
        if backward is not None and all("error" not in entry["state"].get(b, {}) for b in backward):
            entry["backward"] = backward
            try:
                machine.run(["backward", backward, False])
                entry["grads"] = {}
                for name, t in machine.vars.items():
                    if t.is_inference() or "error" in entry["state"].get(name, {}):
                        continue
                    if (t.is_leaf and t.requires_grad and not t._is_view()) or t.retains_grad:
                        entry["grads"][name] = None if t.grad is None else values(t.grad)
            except RuntimeError as error:
                entry["backward_error"] = str(error).splitlines()[0][:100]
    if machine.seen:
        entry["seen"] = machine.seen
    cases.append(entry)


X = {"x": ([2, 3], True)}
XW = {"x": ([2, 3], True), "w": ([3], True)}


def call(out, op, *args):
    return ["call", out, op, *args]


def shape_after(view):
    return list(getattr(torch.zeros(2, 3), view[0])(*view[1:]).shape) if view[0] != "slice" else list(torch.ops.aten.slice(torch.zeros(2, 3), *view[1:]).shape)


# Every view, modified by an op, itself and through its base; used afterwards on both sides.
for view in VIEWS:
    for op in rng.sample(INPLACE, 4):
        case("view", X, [call("y", "mul", "$x", 2), call("v", view[0], "$y", *view[1:]), call("", op[0], "$v", *op[1:]),
                         call("z", "mul", "$y", 3)], ["z"])
        case("base", X, [call("y", "mul", "$x", 2), call("v", view[0], "$y", *view[1:]), call("", op[0], "$y", *op[1:]),
                         call("z", "mul", "$v", 3)], ["z"])
    op = rng.choice(INPLACE)
    case("both", X, [call("y", "mul", "$x", 2), call("v", view[0], "$y", *view[1:]), call("", op[0], "$v", *op[1:]),
                     call("", "mul_", "$y", 2), call("", "add_", "$v", 1), call("z", "add", "$v", 0)], ["z", "y"])

# Views of views, siblings, several changes.
for first, second in itertools.product(VIEWS, VIEWS_1D):
    if rng.random() < 0.4:
        a, b = rng.sample(INPLACE, 2)
        case("view of view", X, [call("y", "mul", "$x", 2), call("v", first[0], "$y", *first[1:]), call("u", second[0], "$v", *second[1:]),
                                 call("", a[0], "$u", *a[1:]), call("", b[0], "$v", *b[1:])], ["y"])
for first, second in itertools.combinations(VIEWS, 2):
    if rng.random() < 0.4:
        a, b = rng.sample(INPLACE, 2)
        case("siblings", X, [call("y", "mul", "$x", 2), call("v", first[0], "$y", *first[1:]), call("u", second[0], "$y", *second[1:]),
                             call("", a[0], "$v", *a[1:]), call("", b[0], "$u", *b[1:]), call("z", "sin", "$v")], ["z", "u"])

# A constant that gets a history through what is written to it.
for view in VIEWS:
    w = {"w": (shape_after(view), True), "c": ([2, 3], False)}
    for op in ("mul_", "add_", "copy_", "sub_"):
        case("constant base", w, [call("v", view[0], "$c", *view[1:]), call("", op, "$v", "$w"), call("z", "mul", "$c", 2)], ["z"])
case("constant base", {"w": ([3], True), "c": ([2, 3], False)}, [call("", "mul_", "$c", "$w"), call("z", "sum", "$c")], ["z"])
case("constant base", {"w": ([3], True), "c": ([2, 3], False)}, [call("v", "view", "$c", [6]), call("", "add_", "$c", "$w"), call("z", "sin", "$v")], ["z"])

# Leaves, views of leaves, expanded tensors, results of several views.
for op in INPLACE[:6]:
    case("leaf", X, [call("", op[0], "$x", *op[1:])])
    case("leaf", X, [["no_grad", call("", op[0], "$x", *op[1:])], call("y", "mul", "$x", "$x")], ["y"])
    case("leaf", X, [call("v", "view", "$x", [6]), call("", op[0], "$v", *op[1:])])
    case("leaf", X, [call("y", "mul", "$x", "$x"), ["no_grad", call("", op[0], "$x", *op[1:])]], ["y"])
    case("expanded", {"x": ([3, 1], True)}, [call("y", "mul", "$x", 2), call("e", "expand", "$y", [3, 2]), call("", op[0], "$e", *op[1:])])
for split in (("unbind", 0), ("split", 1, 1), ("chunk", 2, 1)):
    for op in INPLACE[:4]:
        case("multiple views", X, [call("y", "mul", "$x", 2), call("p", split[0], "$y", *split[1:]), call("", op[0], "$p0", *op[1:])])
        case("multiple views", X, [call("y", "mul", "$x", 2), call("p", split[0], "$y", *split[1:]), call("", op[0], "$y", *op[1:]), call("z", "mul", "$y", 2)], ["z"])
        case("multiple views", X, [call("y", "mul", "$x", 2), call("p", split[0], "$y", *split[1:]), ["no_grad", call("", op[0], "$p1", *op[1:])]])
    case("multiple views", X, [call("y", "mul", "$x", 2), call("p", split[0], "$y", *split[1:]), call("z", "mul", "$p1", 3)], ["z"])
    case("multiple views", X, [call("y", "mul", "$x", 2), call("p", split[0], "$y", *split[1:]), call("v", "unsqueeze", "$p1", 0), call("", "mul_", "$v", 2)])

# Saved tensors that change.
for save in ("sin", "exp", "tanh", "sigmoid", "sqrt", "cos", "neg", "log", "relu"):
    for op in (("mul_", 2), ("zero_",)):
        case("saved", X, [call("y", "mul", "$x", 2), call("z", save, "$y"), call("", op[0], "$y", *op[1:])], ["z"])
        case("saved", X, [call("y", "mul", "$x", 2), call("z", save, "$y"), call("u", "mul", "$z", 2), call("", op[0], "$z", *op[1:])], ["u"])
        case("saved", X, [call("y", "mul", "$x", 2), call("v", "select", "$y", 0, 1), call("z", save, "$v"), call("", op[0], "$y", *op[1:])], ["z"])
    case("saved", X, [call("y", "mul", "$x", 2), call("d", "detach", "$y"), call("z", save, "$y"), call("", "mul_", "$d", 2)], ["z"])
case("saved", XW, [call("y", "mul", "$x", "$w"), ["no_grad", call("", "mul_", "$w", 2)]], ["y"])
case("saved", XW, [call("y", "add", "$x", "$w"), ["no_grad", call("", "mul_", "$w", 2)]], ["y"])

# Modes.
for mode in ("no_grad", "inference"):
    for view in VIEWS[:8]:
        case(mode, X, [call("y", "mul", "$x", 2), [mode, call("v", view[0], "$y", *view[1:])], call("z", "mul", "$v", "$v")])
        case(mode, X, [call("y", "mul", "$x", 2), [mode, call("v", view[0], "$y", *view[1:])], call("", "mul_", "$v", 2)])
        case(mode, X, [call("y", "mul", "$x", 2), [mode, call("v", view[0], "$y", *view[1:])], [mode, call("", "mul_", "$v", 2)], call("z", "mul", "$y", 2)], ["z"])
        case(mode, X, [call("y", "mul", "$x", 2), [mode, call("v", view[0], "$y", *view[1:])], call("", "mul_", "$y", 2)])
        case(mode, X, [call("y", "mul", "$x", 2), call("v", view[0], "$y", *view[1:]), [mode, call("", "mul_", "$v", 2)], call("z", "mul", "$v", 2)], ["z"])
    case(mode, X, [[mode, call("y", "mul", "$x", 2)], call("z", "mul", "$y", "$x")])
    case(mode, X, [[mode, call("y", "mul", "$x", 2)], call("z", "add", "$y", "$x")], ["z"])
    case(mode, X, [[mode, call("y", "mul", "$x", 2)], call("", "mul_", "$y", 2)])
    case(mode, X, [[mode, call("y", "mul", "$x", 2)], call("v", "view", "$y", [6])])
    case(mode, X, [[mode, call("y", "mul", "$x", 2)], ["requires_grad", "y", True]])

# detach, requires_grad.
case("detach", X, [call("y", "mul", "$x", 2), call("d", "detach", "$y"), call("", "mul_", "$d", 2), call("z", "mul", "$y", 2)], ["z"])
case("detach", X, [call("y", "mul", "$x", 2), ["detach_", "y"], call("z", "mul", "$y", "$x")], ["z"])
case("detach", X, [call("y", "mul", "$x", 2), call("v", "view", "$y", [6]), ["detach_", "v"]])
case("detach", X, [call("y", "mul", "$x", 2), call("v", "view", "$y", [6]), ["detach_", "y"], call("z", "mul", "$v", 2)])
case("detach", X, [call("y", "mul", "$x", 2), ["requires_grad", "y", False]])
case("detach", X, [["requires_grad", "x", False], call("y", "mul", "$x", 2)])
case("detach", {"c": ([2, 3], False)}, [call("v", "view", "$c", [6]), ["requires_grad", "c", True], call("z", "mul", "$v", 2)], ["z"])
case("detach", {"c": ([2, 3], False)}, [call("v", "view", "$c", [6]), ["requires_grad", "v", True], call("z", "mul", "$v", 2)], ["z"])

# Hooks: order, replacements, in-place after them, retained gradients.
Y = [call("y", "mul", "$x", 2)]
case("hooks", X, Y + [["hook", "y", "a", 2], ["hook", "y", "b", 3], call("z", "mul", "$y", 5)], ["z"])
case("hooks", X, Y + [["hook", "y", "a", 2], ["retain", "y"], ["hook", "x", "x", 10], call("z", "sin", "$y")], ["z"])
case("hooks", X, Y + [["retain", "y"], call("z", "mul", "$y", "$y")], ["z", "y"])
case("hooks", X, Y + [["retain", "y"], ["retain", "y"], call("z", "exp", "$y")], ["z"])
case("hooks", X, [["retain", "x"], call("y", "mul", "$x", "$x")], ["y"])
case("hooks", X, Y + [call("z", "mul", "$y", 5), ["hook", "y", "late", 2]], ["z"])
case("hooks", X, Y + [["hook", "y", "tensor", 1], ["prehook", "y", "pre"], ["posthook", "y", "post"], call("z", "mul", "$y", 5)], ["z"])
# A hook before an in-place op sees the old value's gradient since 2.0 (in 1.13 both see it), so tests/autograd/hooks_test.cpp has that.
case("hooks", X, Y + [["hook", "y", "a", 1], call("v", "select", "$y", 0, 1), ["hook", "v", "v", 1], call("", "mul_", "$v", 3), call("z", "mul", "$y", 5)], ["z"])
case("hooks", X, Y + [call("v", "select", "$y", 0, 1), call("", "mul_", "$v", 3), ["hook", "v", "v", 1], ["hook", "y", "y", 1], call("z", "mul", "$v", 5)], ["z"])
case("hooks", X, [["hook", "x", "x", 7], call("y", "mul", "$x", 2), call("z", "mul", "$x", 3), call("s", "add", "$y", "$z")], ["s"])
case("hooks", {"c": ([2], False)}, [["hook", "c", "c", 1]])
case("hooks", {"c": ([2], False)}, [["retain", "c"]])
for targets in (["y"], ["x"], ["x", "z"]):
    case("grad", X, Y + [call("z", "sin", "$y"), ["grad", "z", targets]], ["z"])
case("grad", XW, Y + [call("z", "sin", "$y"), ["grad", "z", ["w", "x"]]], ["z"])

# Names and edges of what ops record.
for op, *args in (("add", "$x", "$w"), ("add", "$x", 1), ("mul", "$x", "$w"), ("sub", "$x", "$w"), ("div", "$x", "$w"), ("pow", "$x", 2), ("pow", "$x", "$w"),
                  ("matmul", "$x", "$w"), ("sum", "$x"), ("mean", "$x", [0]), ("sum", "$x", [1], True), ("exp", "$x"), ("clone", "$x"), ("relu", "$x"),
                  ("softmax", "$x", 1), ("amax", "$x", [1]), ("unsqueeze", "$x", 0), ("expand", "$w", [2, 3]), ("where_x",), ("maximum", "$x", "$w"),
                  ("atan2", "$x", "$w"), ("flatten", "$x"), ("neg", "$x"), ("sqrt", "$x"), ("squeeze", "$x", 0), ("prod", "$x"), ("abs", "$x")):
    if op != "where_x":
        case("graph", XW, [call("y", op, *args), call("z", "mul", "$y", 2)], ["z"])

with open("autograd/programs.jsonl", "w", encoding="ascii") as file:
    for entry in cases:
        file.write(json.dumps(entry, separators=(",", ":")) + "\n")
print(len(cases), "cases")
