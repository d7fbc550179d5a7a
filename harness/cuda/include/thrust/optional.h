// SPDX-License-Identifier: Apache-2.0
// In place of Thrust's own header of this name (1.x), which Thrust's futures need: a function there
// calls one that does not exist, and clang refuses that since version 19 although nobody calls it.
// The standard's class does the same, also in kernels. Before C++17 it is Thrust's header.
#ifndef NEARBANK_THRUST_OPTIONAL_H
#define NEARBANK_THRUST_OPTIONAL_H
#include <thrust/version.h>
#if __cplusplus < 201703L || THRUST_VERSION >= 200000
#include_next <thrust/optional.h>
#else
#include <optional>
#include <thrust/detail/config.h>
THRUST_NAMESPACE_BEGIN
using std::bad_optional_access;
using std::in_place;
using std::in_place_t;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
THRUST_NAMESPACE_END
#endif
#endif
