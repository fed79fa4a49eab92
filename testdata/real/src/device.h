// What these sources need of their compilers. Nothing comes from a vendor's headers: the few names of
// CUDA that are used are declared here.

#ifndef DEVICE_H
#define DEVICE_H

#define NOINLINE __attribute__((noinline))

#if defined(__CUDACC__) || defined(__CUDA__) // CUDA C++: NVIDIA's front end (with -D__CUDACC__), clang -x cuda
#define LINKAGE extern "C"
#define DEVICE LINKAGE __attribute__((device))
#define LOCAL static __attribute__((device))
#define METHOD __attribute__((device))
#define KERNEL LINKAGE __attribute__((global)) void
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
#define GLOBAL __attribute__((device))
#else // C: clang --target=nvptx64, GCC as an offload compiler
#define LINKAGE
#define DEVICE
typedef _Bool bool;
#define LOCAL static
#if defined(__NVPTX__)
#define KERNEL __attribute__((nvptx_kernel)) void
#define SHARED __attribute__((address_space(3)))
#define CONSTANT __attribute__((address_space(4))) const
#define GLOBAL __attribute__((address_space(1)))
#endif
#endif

#if defined(__clang__) && (defined(__NVPTX__) || defined(__CUDA__))
#define THREAD ((int)__nvvm_read_ptx_sreg_tid_x())
#define BLOCK ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define BLOCKSIZE ((int)__nvvm_read_ptx_sreg_ntid_x())
#define BARRIER __syncthreads()
#elif defined(__CUDACC__)
struct __attribute__((device_builtin)) uint3 {
  unsigned x, y, z;
};
struct __attribute__((device_builtin)) dim3 {
  unsigned x, y, z;
};
extern const __attribute__((device)) __attribute__((device_builtin)) uint3 threadIdx, blockIdx;
extern const __attribute__((device)) __attribute__((device_builtin)) dim3 blockDim;
#define THREAD ((int)threadIdx.x)
#define BLOCK ((int)blockIdx.x)
#define BLOCKSIZE ((int)blockDim.x)
#define BARRIER __syncthreads()
#endif

#endif
