// The smallest test harness that fails loudly.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (false)

#define CHECK_THROWS(expression, Type)                                                \
  do {                                                                                \
    bool thrown = false;                                                              \
    try {                                                                             \
      (void)(expression);                                                             \
    } catch (const Type&) {                                                           \
      thrown = true;                                                                  \
    }                                                                                 \
    if (!thrown) {                                                                    \
      std::fprintf(stderr, "%s:%d: expected %s from %s\n", __FILE__, __LINE__, #Type, \
                   #expression);                                                      \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (false)
