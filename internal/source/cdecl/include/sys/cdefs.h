/* What libc's headers put around declarations. */
#pragma once
#define _FEATURES_H 1
#define _SYS_CDEFS_H 1
#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#define __THROW noexcept(true)
#define __NTH(f) f noexcept(true)
#else
#define __BEGIN_DECLS
#define __END_DECLS
#define __THROW
#define __NTH(f) f
#endif
#define __THROWNL __THROW
#define __P(args) args
#define __PMT(args) args
#define __CONCAT(x, y) x ## y
#define __STRING(x) #x
#define __ptr_t void *
#define __nonnull(params)
#define __attribute_nonnull__(params)
#define __returns_nonnull
#define __wur
#define __attribute_pure__
#define __attribute_const__
#define __attribute_malloc__
#define __attribute_deprecated__
#define __attribute_noinline__
#define __attribute_used__
#define __attribute_warn_unused_result__
#define __attribute_alloc_size__(params)
#define __attribute_format_arg__(x)
#define __attribute_format_strfmon__(a, b)
#define __attribute_maybe_unused__
#define __always_inline inline
#define __restrict_arr
#define __glibc_unlikely(c) (c)
#define __glibc_likely(c) (c)
#define __REDIRECT(name, proto, alias) name proto
#define __REDIRECT_NTH(name, proto, alias) name proto
#define __flexarr []
#define __GLIBC__ 2
#define __GLIBC_MINOR__ 36
#define __GLIBC_PREREQ(major, minor) ((2 << 16) + 36 >= ((major) << 16) + (minor))
#define __GNUC_PREREQ(major, minor) ((__GNUC__ << 16) + __GNUC_MINOR__ >= ((major) << 16) + (minor))
#define __USE_MISC 1
#define __USE_POSIX 1
#define __USE_XOPEN 1
