#pragma once

/// Everything that Lanewise offers to programs. <iostream>, because tensors are there to be printed.

#include <iostream>

#include <lanewise/autograd/autograd.h>
#include <lanewise/autograd/checkpoint.h>
#include <lanewise/autograd/custom_function.h>
#include <lanewise/autograd/forward_ad.h>
#include <lanewise/autograd/functional.h>
#include <lanewise/autograd/grad_mode.h>
#include <lanewise/autograd/gradcheck.h>
#include <lanewise/autograd/graph_printer.h>
#include <lanewise/autograd/hooks.h>
#include <lanewise/autograd/node.h>
#include <lanewise/autograd/registry.h>
#include <lanewise/autograd/vmap.h>
#include <lanewise/data/batches.h>
#include <lanewise/data/errors.h>
#include <lanewise/data/idx.h>
#include <lanewise/dispatch_isa/error.h>
#include <lanewise/dispatch_isa/flush_denormal.h>
#include <lanewise/dispatch_isa/isa.h>
#include <lanewise/dispatch_isa/parallel.h>
#include <lanewise/dispatch_isa/threads.h>
#include <lanewise/dispatch_isa/topology.h>
#include <lanewise/dispatch_isa/version.h>
#include <lanewise/generated/functions.h>
#include <lanewise/iterator/tensor_iterator.h>
#include <lanewise/ops/factories.h>
#include <lanewise/ops/indexing.h>
#include <lanewise/optim/adagrad.h>
#include <lanewise/optim/adam.h>
#include <lanewise/optim/lr_scheduler.h>
#include <lanewise/optim/rmsprop.h>
#include <lanewise/optim/sgd.h>
#include <lanewise/tensor/dtype.h>
#include <lanewise/tensor/errors.h>
#include <lanewise/tensor/formatting.h>
#include <lanewise/tensor/half.h>
#include <lanewise/tensor/promotion.h>
#include <lanewise/tensor/scalar.h>
#include <lanewise/tensor/tensor.h>
#include <lanewise/tensor/tensor_options.h>
