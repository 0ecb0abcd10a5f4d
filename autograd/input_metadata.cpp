#include <cstring>

#include <lanewise/autograd/input_metadata.h>
#include <lanewise/tensor/make_tensor.h>

namespace lanewise::autograd {

Tensor InputMetadata::zeros_like() const {
  Tensor zeros = lanewise::detail::empty_cpu(shape(), dtype_);
  if (zeros.nbytes() > 0) std::memset(zeros.data_ptr(), 0, zeros.nbytes());  // zero bits are 0 in every dtype
  return zeros;
}

}  // namespace lanewise::autograd
