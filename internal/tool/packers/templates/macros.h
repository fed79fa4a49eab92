#ifndef __CUDACC_RTC__
#include <stddef.h>
#endif
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifndef PTXPARAM_AT
#ifdef __CUDACC_RTC__
#define PTXPARAM_AT(t, m, n) 1
#else
#define PTXPARAM_AT(t, m, n) (offsetof(t, m) == (n))
#endif
#ifdef __cplusplus
#define PTXPARAM_ALIGN(n) alignas(n)
#define PTXPARAM_ALIGNOF(t) alignof(t)
#define PTXPARAM_ASSERT(c, m) static_assert(c, m)
#else
#define PTXPARAM_ALIGN(n) _Alignas(n)
#define PTXPARAM_ALIGNOF(t) _Alignof(t)
#define PTXPARAM_ASSERT(c, m) _Static_assert(c, m)
#endif
#if defined(__GNUC__) && !defined(__CUDACC_RTC__)
#define PTXPARAM_EXTENSION __extension__
#else
#define PTXPARAM_EXTENSION
#endif
#endif
