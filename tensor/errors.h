#pragma once

#include <lanewise/dispatch_isa/error.h>

namespace lanewise {

/// Sizes, strides or dims that do not fit.
class LANEWISE_API ShapeError : public Error {
 public:
  using Error::Error;
};

/// An element type that the op does not take, or a result that the output cannot hold.
class LANEWISE_API DtypeError : public Error {
 public:
  using Error::Error;
};

/// A dimension or an index out of range.
class LANEWISE_API IndexError : public Error {
 public:
  using Error::Error;
};

/// An argument whose value the op does not take.
class LANEWISE_API ValueError : public Error {
 public:
  using Error::Error;
};

/// A misuse of automatic differentiation: in-place on a leaf, a saved tensor that changed, a graph that was
/// freed.
class LANEWISE_API AutogradError : public Error {
 public:
  using Error::Error;
};

/// Something that Lanewise does not offer (yet).
class LANEWISE_API NotImplementedError : public Error {
 public:
  using Error::Error;
};

/// Memory that overlaps, is too small, or cannot be resized.
class LANEWISE_API StorageError : public Error {
 public:
  using Error::Error;
};

/// Memory that the system does not give.
class LANEWISE_API AllocationError : public Error {
 public:
  using Error::Error;
};

}  // namespace lanewise
