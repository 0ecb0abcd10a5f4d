#pragma once

/// Before a loop whose rounds touch memory that no other round writes: in place is no dependence.
#if defined(__clang__)
#define LANEWISE_NO_LOOP_DEPENDENCE _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANEWISE_NO_LOOP_DEPENDENCE _Pragma("GCC ivdep")
#endif
