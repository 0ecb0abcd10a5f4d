#pragma once

namespace lanewise::detail {

/// Whether tensors made by this thread are inference tensors; InferenceMode sets it.
extern constinit thread_local bool inference_mode __attribute__((tls_model("initial-exec")));

}  // namespace lanewise::detail
