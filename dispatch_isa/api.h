#pragma once

/// Marks the symbols that a shared Lanewise library exports; everything else is hidden.
#define LANEWISE_API __attribute__((visibility("default")))
