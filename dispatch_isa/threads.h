#pragma once

#include <lanewise/dispatch_isa/api.h>

namespace lanewise {

inline constexpr int kMaxThreads = 1024;

/// The number of threads that an op may use. Until set_num_threads it is LANEWISE_NUM_THREADS, else what
/// default_num_threads says of this machine. Results do not depend on it. LANEWISE_BIND=cores binds the
/// threads of loops to cores, one each; node:<number> to those of one NUMA node, which are then as many as
/// are used unless told otherwise.
/// Throws   Error, until one is set, if LANEWISE_NUM_THREADS is not a whole number from 1 to 1024,
///          or LANEWISE_BIND is not none, cores or node:<number>. Empty ones count as unset. LANEWISE_BIND is read by the
///          first loop of several threads
LANEWISE_API int get_num_threads();

/// Sets the number for all ops that begin from now on, in all threads; may be called at any time from any
/// thread.
/// Throws   Error if it is not from 1 to 1024
LANEWISE_API void set_num_threads(int threads);

/// True while the calling thread runs a part of parallel_for; nested loops then run in the calling thread.
LANEWISE_API bool in_parallel_region() noexcept;

/// Which of the loop's threads the caller is, from 0; 0 outside of parallel_for.
LANEWISE_API int get_thread_num() noexcept;

}  // namespace lanewise
