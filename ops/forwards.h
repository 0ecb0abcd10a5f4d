#pragma once

/// Every hand-written forward that derivatives.yaml names.
#include <lanewise/ops/activations.h>
#include <lanewise/ops/advanced_indexing.h>
#include <lanewise/ops/cat.h>
#include <lanewise/ops/copy.h>
#include <lanewise/ops/distributions.h>
#include <lanewise/ops/dot.h>
#include <lanewise/ops/gather_scatter.h>
#include <lanewise/ops/linear_systems.h>
#include <lanewise/ops/loss.h>
#include <lanewise/ops/masks.h>
#include <lanewise/ops/matmul.h>
#include <lanewise/ops/median.h>
#include <lanewise/ops/norm.h>
#include <lanewise/ops/pointwise_forms.h>
#include <lanewise/ops/pointwise_losses.h>
#include <lanewise/ops/reductions.h>
#include <lanewise/ops/scan.h>
#include <lanewise/ops/softmax.h>
#include <lanewise/ops/variance.h>
#include <lanewise/ops/view_backward.h>
#include <lanewise/ops/views.h>
