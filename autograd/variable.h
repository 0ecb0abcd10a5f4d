#pragma once

#include <lanewise/autograd/autograd_meta.h>
#include <lanewise/dispatch_isa/api.h>
#include <lanewise/tensor/tensor.h>

namespace lanewise::autograd {

// The methods of Tensor that autograd defines are declared in tensor.h and documented here.
//
// requires_grad_()   only floating and complex leaves; turning it off on a result is an error
// grad()             of a leaf, or of a result after retain_grad(); undefined until a backward has run
// mutable_grad()     the same to assign to; assigning an undefined Tensor clears it
// grad_fn()          the node that a result came from; null for leaves; made anew for a view of a modified
//                    base
// is_leaf()          whether there is no grad_fn, so far: it does not make the one of a view of a modified base
// These, output_nr(), is_view(), _base(), retains_grad() and name() throw AutogradError for an undefined tensor.
// register_hook()    hook(grad) may return a replacement; returns a position for remove_hook(). On a leaf it
//                    runs before the gradient is accumulated. A hook that holds its own tensor makes a cycle,
//                    which leaks.
// detach()           shares memory and versions: modifying it is noticed by a backward that saved the
//                    original
// variable_data()    shares memory only: the escape hatch
// set_data()         the memory, shape and dtype of another tensor, keeping identity; a history stays, so it
//                    is for leaves
// _base()            of a differentiable view; an undefined Tensor otherwise

/// A leaf over the memory of `data`, as libtorch's make_variable.
LANEWISE_API Tensor make_variable(const Tensor& data, bool requires_grad = false);
/// The same, whose gradient flows along an edge.
LANEWISE_API Tensor make_variable(const Tensor& data, Edge gradient_edge);

}  // namespace lanewise::autograd

namespace lanewise {

inline Tensor detach(const Tensor& self) { return self.detach(); }
inline Tensor& detach_(Tensor& self) { return self.detach_(); }

}  // namespace lanewise
