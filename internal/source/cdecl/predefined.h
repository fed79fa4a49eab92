// What compilers define and headers ask for, where the sizes of some types, __cplusplus and the system are known.
#define __STDC__ 1
#define __STDC_HOSTED__ 1
#define __NVPTX__ 1
#define __CHAR_BIT__ 8
#define __INT_MAX__ 2147483647
#define __LONG_LONG_MAX__ 9223372036854775807LL
#define __SHRT_MAX__ 32767
#define __SCHAR_MAX__ 127
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_FLOAT__ 4
#define __SIZEOF_DOUBLE__ 8
#define __BIGGEST_ALIGNMENT__ 8
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __BYTE_ORDER__ 1234
#define __ORDER_PDP_ENDIAN__ 3412
#define __LITTLE_ENDIAN__ 1
#define __USER_LABEL_PREFIX__
#define __INT8_TYPE__ signed char
#define __UINT8_TYPE__ unsigned char
#define __INT16_TYPE__ short
#define __UINT16_TYPE__ unsigned short
#define __INT32_TYPE__ int
#define __UINT32_TYPE__ unsigned int
#define __INT64_TYPE__ int64_t
#define __UINT64_TYPE__ uint64_t
#define __INTMAX_TYPE__ intmax_t
#define __UINTMAX_TYPE__ uintmax_t
#define __INTPTR_TYPE__ intptr_t
#define __UINTPTR_TYPE__ uintptr_t
#define __SIZE_TYPE__ size_t
#define __PTRDIFF_TYPE__ ptrdiff_t
#define __WCHAR_TYPE__ wchar_t
#define __WINT_TYPE__ unsigned int
#define __CHAR16_TYPE__ unsigned short
#define __CHAR32_TYPE__ unsigned int
#define __INT8_MAX__ 127
#define __UINT8_MAX__ 255
#define __INT16_MAX__ 32767
#define __UINT16_MAX__ 65535
#define __INT32_MAX__ 2147483647
#define __UINT32_MAX__ 4294967295U
#define __INT64_MAX__ 9223372036854775807LL
#define __UINT64_MAX__ 18446744073709551615ULL
#define __INTMAX_MAX__ 9223372036854775807LL
#define __UINTMAX_MAX__ 18446744073709551615ULL
#define __INT_WIDTH__ 32
#if __SIZEOF_LONG__ == 8
#define __LP64__ 1
#define _LP64 1
#define __LONG_MAX__ 9223372036854775807L
#else
#define __LONG_MAX__ 2147483647L
#endif
#if __SIZEOF_POINTER__ == 4
#define __INTPTR_MAX__ 2147483647
#define __UINTPTR_MAX__ 4294967295U
#define __SIZE_MAX__ 4294967295U
#else
#define __INTPTR_MAX__ 9223372036854775807L
#define __UINTPTR_MAX__ 18446744073709551615UL
#define __SIZE_MAX__ 18446744073709551615UL
#endif
#if __SIZEOF_WCHAR_T__ == 2
#define __WCHAR_MAX__ 65535
#else
#define __WCHAR_MAX__ 2147483647
#endif
#ifdef _WIN32
#define _WIN64 1
#define _MSC_VER 1930
#else
#define __unix__ 1
#define __GNUC__ 4
#define __GNUC_MINOR__ 2
#define __SIZEOF_INT128__ 16
#endif
#ifdef __cplusplus
#define __CUDACC__ 1
#else
#define __STDC_VERSION__ 201710L
#endif
