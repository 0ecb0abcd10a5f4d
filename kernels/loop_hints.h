#pragma once

/// Before a loop whose rounds touch memory that no other round writes: in place is no dependence.
#if defined(__clang__)
#define LANEWISE_NO_LOOP_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANEWISE_NO_LOOP_DEPENDENCE _Pragma("GCC ivdep")
#endif

/// A function that stays one: not inlined, nor copied for arguments that some callers give.
#if defined(__clang__)
#define LANEWISE_ONE_COPY [[gnu::noinline]]
#else
#define LANEWISE_ONE_COPY [[gnu::noinline, gnu::noclone]]
#endif
