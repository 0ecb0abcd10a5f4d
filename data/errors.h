#pragma once

#include <lanewise/dispatch_isa/error.h>

namespace lanewise::data {

/// A data file that is missing, unreadable, truncated, or not what its name promises.
class LANEWISE_API DataError : public Error {
 public:
  using Error::Error;
};

}  // namespace lanewise::data
