#include <lanewise/autograd/grad_mode.h>
#include <lanewise/data/save.h>
#include <lanewise/tensor/errors.h>

namespace lanewise::data {

NamedTensors named_tensors(const Tensor& value) { return {{"0", value}}; }

NamedTensors named_tensors(const std::vector<Tensor>& value) {
  NamedTensors all;
  for (std::size_t i = 0; i < value.size(); ++i) all[std::to_string(i)] = value[i];
  return all;
}

void take_named_tensors(Tensor& value, const NamedTensors& tensors) {
  const auto found = tensors.find("0");
  LANEWISE_CHECK(ValueError, found != tensors.end(),
                 "load: No such serialized tensor '0'; data::read_safetensors() reads tensors of any name");
  if (!value.defined()) {
    value = found->second;
    return;
  }
  const NoGradGuard no_grad;
  value.set_data(found->second);
}

void take_named_tensors(std::vector<Tensor>& value, const NamedTensors& tensors) {
  std::vector<Tensor> read;
  for (auto next = tensors.find("0"); next != tensors.end();
       next = tensors.find(std::to_string(read.size()))) {
    read.push_back(next->second);
  }
  LANEWISE_CHECK(ValueError, read.size() == tensors.size(), "load: ", tensors.size(),
                 " tensors were read, of which ", read.size(),
                 " are of a list; data::read_safetensors() reads tensors of any name");
  value.insert(value.end(), read.begin(), read.end());
}

}  // namespace lanewise::data
