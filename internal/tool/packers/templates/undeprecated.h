#if __CUDACC_VER_MAJOR__ >= 13
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444, 20199
#endif
#if defined(__GNUC__) && !defined(__CUDACC_RTC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

// The types.
#if defined(__GNUC__) && !defined(__CUDACC_RTC__)
#pragma GCC diagnostic pop
#endif
#if __CUDACC_VER_MAJOR__ >= 13
#pragma nv_diagnostic pop
#endif
