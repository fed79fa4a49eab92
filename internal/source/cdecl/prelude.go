package cdecl

import (
	"path"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/layout"
)

// preludeTypes are the names that are known without a header, as C. What
// stands in the input goes before them.
var preludeTypes = map[string]string{
	"int8_t": "signed char", "int16_t": "short", "int32_t": "int",
	"uint8_t": "unsigned char", "uint16_t": "unsigned short", "uint32_t": "unsigned int",
	"int_least8_t": "signed char", "int_least16_t": "short", "int_least32_t": "int", "int_least64_t": "int64_t",
	"uint_least8_t": "unsigned char", "uint_least16_t": "unsigned short", "uint_least32_t": "unsigned int", "uint_least64_t": "uint64_t",
	"int_fast8_t": "signed char", "int_fast16_t": "long", "int_fast32_t": "long", "int_fast64_t": "int64_t",
	"uint_fast8_t": "unsigned char", "uint_fast16_t": "unsigned long", "uint_fast32_t": "unsigned long", "uint_fast64_t": "uint64_t",
	"intmax_t": "int64_t", "uintmax_t": "uint64_t", "__int8_t": "signed char", "__uint8_t": "unsigned char",
	"ptrdiff_t": "intptr_t", "ssize_t": "intptr_t",
	"wint_t": "unsigned int", "va_list": "__builtin_va_list",
	"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long",

	"__u8": "unsigned char", "__s8": "signed char", "__u16": "unsigned short", "__s16": "short",
	"__u32": "unsigned int", "__s32": "int", "__u64": "unsigned long long", "__s64": "long long",
	"__le16": "__u16", "__be16": "__u16", "__le32": "__u32", "__be32": "__u32", "__le64": "__u64", "__be64": "__u64",
	"__sum16": "__u16", "__wsum": "__u32", "__poll_t": "unsigned int",

	"cudaTextureObject_t": "unsigned long long", "cudaSurfaceObject_t": "unsigned long long",
	"CUtexObject": "unsigned long long", "CUsurfObject": "unsigned long long",
	"CUdeviceptr": "unsigned long long", "CUdevice": "int",
	"cudaStream_t": "struct CUstream_st *", "cudaEvent_t": "struct CUevent_st *", "CUstream": "struct CUstream_st *",
	"cudaArray_t": "struct cudaArray *", "CUarray": "struct CUarray_st *", "cudaGraphExec_t": "struct CUgraphExec_st *",
	"cuComplex": "float2", "cuFloatComplex": "float2", "cuDoubleComplex": "double2",

	"__half_raw":            "struct __attribute__((aligned(2))) { unsigned short x; }",
	"__half2_raw":           "struct __attribute__((aligned(4))) { unsigned short x, y; }",
	"__nv_bfloat16_raw":     "struct __attribute__((aligned(2))) { unsigned short x; }",
	"__nv_bfloat162_raw":    "struct __attribute__((aligned(4))) { unsigned short x, y; }",
	"__nv_fp8_storage_t":    "unsigned char",
	"__nv_fp8x2_storage_t":  "unsigned short",
	"__nv_fp8x4_storage_t":  "unsigned int",
	"__nv_fp6_storage_t":    "unsigned char",
	"__nv_fp6x2_storage_t":  "unsigned short",
	"__nv_fp6x4_storage_t":  "unsigned int",
	"__nv_fp4_storage_t":    "unsigned char",
	"__nv_fp4x2_storage_t":  "unsigned char",
	"__nv_fp4x4_storage_t":  "unsigned short",
	"__nv_fp8_e4m3":         "struct { unsigned char __x; }",
	"__nv_fp8_e5m2":         "struct { unsigned char __x; }",
	"__half":                "struct __attribute__((aligned(2))) { unsigned short __x; }",
	"__half2":               "struct __attribute__((aligned(4))) { __half x, y; }",
	"__nv_bfloat16":         "struct __attribute__((aligned(2))) { unsigned short __x; }",
	"__nv_bfloat162":        "struct __attribute__((aligned(4))) { __nv_bfloat16 x, y; }",
	"__nv_fp8x2_e5m2":       "struct __attribute__((aligned(2))) { unsigned short __x; }",
	"__nv_fp8x4_e5m2":       "struct __attribute__((aligned(4))) { unsigned int __x; }",
	"__nv_fp8x2_e4m3":       "struct __attribute__((aligned(2))) { unsigned short __x; }",
	"__nv_fp8x4_e4m3":       "struct __attribute__((aligned(4))) { unsigned int __x; }",
	"__nv_fp8_e8m0":         "struct { unsigned char __x; }",
	"__nv_fp8x2_e8m0":       "struct __attribute__((aligned(2))) { unsigned short __x; }",
	"__nv_fp8x4_e8m0":       "struct __attribute__((aligned(4))) { unsigned int __x; }",
	"__nv_fp6_e3m2":         "struct { __nv_fp6_storage_t __x; }",
	"__nv_fp6x2_e3m2":       "struct __attribute__((aligned(2))) { __nv_fp6x2_storage_t __x; }",
	"__nv_fp6x4_e3m2":       "struct __attribute__((aligned(4))) { __nv_fp6x4_storage_t __x; }",
	"__nv_fp6_e2m3":         "struct { __nv_fp6_storage_t __x; }",
	"__nv_fp6x2_e2m3":       "struct __attribute__((aligned(2))) { __nv_fp6x2_storage_t __x; }",
	"__nv_fp6x4_e2m3":       "struct __attribute__((aligned(4))) { __nv_fp6x4_storage_t __x; }",
	"__nv_fp4_e2m1":         "struct { __nv_fp4_storage_t __x; }",
	"__nv_fp4x2_e2m1":       "struct { __nv_fp4x2_storage_t __x; }",
	"__nv_fp4x4_e2m1":       "struct __attribute__((aligned(2))) { __nv_fp4x4_storage_t __x; }",
	"nv_half":               "__half",
	"nv_half2":              "__half2",
	"__nv_half":             "__half",
	"__nv_half2":            "__half2",
	"half":                  "__half",
	"half2":                 "__half2",
	"nv_bfloat16":           "__nv_bfloat16",
	"nv_bfloat162":          "__nv_bfloat162",
	"dim3":                  "struct { unsigned int x, y, z; }",
	"cudaError_t":           "cudaError",
	"cudaExtent":            "struct { size_t width, height, depth; }",
	"cudaPos":               "struct { size_t x, y, z; }",
	"cudaPitchedPtr":        "struct { void *ptr; size_t pitch, xsize, ysize; }",
	"cudaChannelFormatDesc": "struct { int x, y, z, w; enum cudaChannelFormatKind { cudaChannelFormatKindSigned } f; }",
	"cudaDataType":          "cudaDataType_t",
	"cudaDataType_t":        "enum { CUDA_R_32F }",
	"cudaError_enum":        "enum { CUDA_SUCCESS }",
	"CUresult":              "cudaError_enum",
	"CUcontext":             "struct CUctx_st *",
	"CUmodule":              "struct CUmod_st *",
	"CUfunction":            "struct CUfunc_st *",
	"cudaGraph_t":           "struct CUgraph_st *",
	"cudaGraphNode_t":       "struct CUgraphNode_st *",

	"curandStateTest_t": "curandStateTest", "curandStateTest": "struct { unsigned int v; }",
	"curandStateXORWOW":             "struct { unsigned int d, v[5]; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; }",
	"curandStateMRG32k3a":           "struct { unsigned int s1[3], s2[3]; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; }",
	"curandStatePhilox4_32_10":      "struct { uint4 ctr, output; uint2 key; unsigned int STATE; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; }",
	"curandStateMtgp32":             "struct { unsigned int s[1024]; int offset, pIdx; void *k; }",
	"curandStateSobol32":            "struct { unsigned int i, x, c, direction_vectors[32]; }",
	"curandStateScrambledSobol32":   "struct { unsigned int i, x, c, direction_vectors[32]; }",
	"curandStateSobol64":            "struct { unsigned long long i, x, c, direction_vectors[64]; }",
	"curandStateScrambledSobol64":   "struct { unsigned long long i, x, c, direction_vectors[64]; }",
	"curandState":                   "curandStateXORWOW",
	"curandState_t":                 "curandStateXORWOW",
	"curandStateXORWOW_t":           "curandStateXORWOW",
	"curandStateMRG32k3a_t":         "curandStateMRG32k3a",
	"curandStatePhilox4_32_10_t":    "curandStatePhilox4_32_10",
	"curandStateMtgp32_t":           "curandStateMtgp32",
	"curandStateSobol32_t":          "curandStateSobol32",
	"curandStateScrambledSobol32_t": "curandStateScrambledSobol32",
	"curandStateSobol64_t":          "curandStateSobol64",
	"curandStateScrambledSobol64_t": "curandStateScrambledSobol64",

	"max_align_t": "struct { long long a __attribute__((aligned(8))); long double b __attribute__((aligned(8))); }",
}

// preludeLinux are the names that headers of libc for Linux declare, and of which every
// 64-bit machine has the same idea. A tag stands after its keyword.
var preludeLinux = map[string]string{
	"FILE": "struct _IO_FILE", "time_t": "long", "clock_t": "long", "clockid_t": "int", "timer_t": "void *",
	"suseconds_t": "long", "useconds_t": "unsigned int", "off_t": "long", "off64_t": "long", "loff_t": "long", "pid_t": "int",
	"uid_t": "unsigned int", "gid_t": "unsigned int", "mode_t": "unsigned int", "ino_t": "unsigned long", "dev_t": "unsigned long",
	"id_t": "unsigned int", "iconv_t": "void *", "DIR": "struct __dirstream", "key_t": "int", "blkcnt_t": "long", "daddr_t": "int", "caddr_t": "char *",
	"socklen_t": "unsigned int", "sa_family_t": "unsigned short", "in_addr_t": "unsigned int", "in_port_t": "unsigned short",
	"nfds_t": "unsigned long", "locale_t": "struct __locale_struct *", "pthread_t": "unsigned long", "pthread_key_t": "unsigned int",
	"pthread_once_t": "int", "sig_atomic_t": "int", "__time_t": "long", "__off_t": "long", "__off64_t": "long", "__pid_t": "int",
	"u_int8_t": "unsigned char", "u_int16_t": "unsigned short", "u_int32_t": "unsigned int", "u_int64_t": "unsigned long",
	"u_char": "unsigned char", "u_short": "unsigned short", "u_int": "unsigned int", "u_long": "unsigned long",
	"__int16_t": "short", "__int32_t": "int", "__int64_t": "long", "__uint16_t": "unsigned short", "__uint32_t": "unsigned int",
	"__uint64_t": "unsigned long", "__kernel_size_t": "unsigned long", "__kernel_ssize_t": "long", "__kernel_time_t": "long",
	"__kernel_long_t": "long", "__kernel_ulong_t": "unsigned long", "__kernel_pid_t": "int", "__kernel_rwf_t": "int",
	"sigset_t": "struct { unsigned long __val[16]; }", "fd_set": "struct { long __fds_bits[16]; }",
	"__gnuc_va_list": "__builtin_va_list", "wctype_t": "unsigned long",

	"pthread_spinlock_t": "int", "pthread_cond_t": "union { char __size[48]; long __align; }",
	"pthread_rwlock_t": "union { char __size[56]; long __align; }", "pthread_rwlockattr_t": "union { char __size[8]; long __align; }",
	"pthread_barrier_t": "union { char __size[32]; long __align; }", "sem_t": "union { char __size[32]; long __align; }",

	"struct timeval":           "struct { time_t tv_sec; suseconds_t tv_usec; }",
	"struct timespec":          "struct { time_t tv_sec; long tv_nsec; }",
	"struct itimerval":         "struct { struct timeval it_interval, it_value; }",
	"struct itimerspec":        "struct { struct timespec it_interval, it_value; }",
	"struct tm":                "struct { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst; long tm_gmtoff; const char *tm_zone; }",
	"struct iovec":             "struct { void *iov_base; size_t iov_len; }",
	"struct pollfd":            "struct { int fd; short events, revents; }",
	"struct termios":           "struct { unsigned int c_iflag, c_oflag, c_cflag, c_lflag; unsigned char c_line, c_cc[32]; unsigned int c_ispeed, c_ospeed; }",
	"struct __kernel_timespec": "struct { long long tv_sec, tv_nsec; }",
	"struct winsize":           "struct { unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel; }",
	"struct in_addr":           "struct { in_addr_t s_addr; }",
	"struct in6_addr":          "struct { union { uint8_t __u6_addr8[16]; uint16_t __u6_addr16[8]; uint32_t __u6_addr32[4]; } __in6_u; }",
	"struct sockaddr":          "struct { sa_family_t sa_family; char sa_data[14]; }",
	"struct sockaddr_in":       "struct { sa_family_t sin_family; in_port_t sin_port; struct in_addr sin_addr; unsigned char sin_zero[8]; }",
	"struct sockaddr_in6":      "struct { sa_family_t sin6_family; in_port_t sin6_port; uint32_t sin6_flowinfo; struct in6_addr sin6_addr; uint32_t sin6_scope_id; }",
	"struct sockaddr_storage":  "struct { sa_family_t ss_family; char __ss_padding[118]; unsigned long __ss_align; }",
}

// preludeMachine are names of libc that have another size on each machine, by the macro
// that says which it is.
var preludeMachine = map[string]map[string]string{
	"__x86_64__": {
		"pthread_mutex_t": "union { char __size[40]; long __align; }", "pthread_attr_t": "union { char __size[56]; long __align; }",
		"pthread_mutexattr_t": "union { char __size[4]; int __align; }", "pthread_condattr_t": "union { char __size[4]; int __align; }",
	},
	"__aarch64__": {
		"pthread_mutex_t": "union { char __size[48]; long __align; }", "pthread_attr_t": "union { char __size[64]; long __align; }",
		"pthread_mutexattr_t": "union { char __size[8]; int __align; }", "pthread_condattr_t": "union { char __size[8]; int __align; }",
	},
}

// preludeClasses are those of the prelude that C++ gives constructors, which
// keeps them from being POD.
var preludeClasses = map[string]bool{
	"dim3": true, "__half": true, "__half2": true, "__nv_bfloat16": true, "__nv_bfloat162": true,
	"__nv_fp8_e4m3": true, "__nv_fp8_e5m2": true,
	"__nv_fp8x2_e5m2": true, "__nv_fp8x4_e5m2": true, "__nv_fp8x2_e4m3": true, "__nv_fp8x4_e4m3": true,
	"__nv_fp8_e8m0": true, "__nv_fp8x2_e8m0": true, "__nv_fp8x4_e8m0": true, "__nv_fp6_e3m2": true,
	"__nv_fp6x2_e3m2": true, "__nv_fp6x4_e3m2": true, "__nv_fp6_e2m3": true, "__nv_fp6x2_e2m3": true,
	"__nv_fp6x4_e2m3": true, "__nv_fp4_e2m1": true, "__nv_fp4x2_e2m1": true, "__nv_fp4x4_e2m1": true,
}

// preludeCopied are those whose copy constructor is their own: nvcc passes them by address, as releases 11.8, 12.9
// and 13.5 were seen to (cuda_half2 and cuda_nv_bfloat162 in testdata/measured/producers).
var preludeCopied = map[string]bool{"__half2": true, "__nv_bfloat162": true}

// CopiedAsBytes reports whether copies of a type are its bytes, though its copy constructor is its own: CUDA's half2 and
// nv_bfloat162, and records and arrays of which these are the only such parts.
func CopiedAsBytes(l *layout.Layout) bool {
	if l.Elem != nil {
		return CopiedAsBytes(l.Elem)
	}
	if rec, ok := layout.Unalias(l.Type).(*layout.Record); ok && (rec.NonTrivial && !preludeCopied[rec.Name] || rec.Dynamic) {
		return false
	}
	for i := range l.Members {
		if !CopiedAsBytes(l.Members[i].Layout) {
			return false
		}
	}
	return true
}

// preludeTemplates are names that headers of CUDA and C++ declare as templates.
var preludeTemplates = map[string]bool{"texture": true, "surface": true}

// knownHeader reports whether the prelude stands for a header.
func knownHeader(name string) bool {
	switch name {
	case "type_traits",
		"cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h", "library_types.h", "curand_kernel.h", "cuComplex.h",
		"vector_types.h", "vector_functions.h", "device_launch_parameters.h", "builtin_types.h", "texture_types.h",
		"surface_types.h", "host_defines.h", "crt/host_defines.h", "driver_types.h", "device_types.h", "cuda_device_runtime_api.h":
		return true
	}
	return false
}

// InCUDA reports whether a place is in a header of CUDA that the prelude stands for.
func InCUDA(at string) bool {
	for range 2 { // the line and the column
		at = at[:max(strings.LastIndexByte(at, ':'), 0)]
	}
	return knownHeader(strings.TrimSuffix(path.Base(at), "pp")) // cuda_fp8.hpp is a part of cuda_fp8.h
}

// OfCUDA reports whether a record or an enumeration, by its name and the place of its declaration, is one of CUDA's that
// need no header: it is the same with the header as without.
func OfCUDA(name, at string) bool {
	_, n, _ := vectorName(name)
	known := n > 0 || preludeTypes[name] != "" || name == "CUtensorMap_st" || isRuntimeEnum(name)
	return strings.HasPrefix(at, "<prelude>") || known && (at == "" || InCUDA(at))
}

// A limit is a constant of a system header.
type limit struct {
	kind layout.Kind
	bits int64
}

// limits are the constants of limits.h and stdint.h.
var limits = map[string]limit{
	"CHAR_BIT": {layout.Int, 8}, "SCHAR_MIN": {layout.Int, -128}, "SCHAR_MAX": {layout.Int, 127}, "UCHAR_MAX": {layout.Int, 255},
	"CHAR_MIN": {layout.Int, -128}, "CHAR_MAX": {layout.Int, 127},
	"SHRT_MIN": {layout.Int, -1 << 15}, "SHRT_MAX": {layout.Int, 1<<15 - 1}, "USHRT_MAX": {layout.Int, 1<<16 - 1},
	"INT_MIN": {layout.Int, -1 << 31}, "INT_MAX": {layout.Int, 1<<31 - 1}, "UINT_MAX": {layout.UInt, 1<<32 - 1},
	"LLONG_MIN": {layout.LongLong, -1 << 63}, "LLONG_MAX": {layout.LongLong, 1<<63 - 1}, "ULLONG_MAX": {layout.ULongLong, -1},
	"LONG_MIN": {layout.Long, -1 << 63}, "LONG_MAX": {layout.Long, 1<<63 - 1}, "ULONG_MAX": {layout.ULong, -1},
	"INT8_MIN": {layout.Int, -128}, "INT8_MAX": {layout.Int, 127}, "UINT8_MAX": {layout.Int, 255},
	"INT16_MIN": {layout.Int, -1 << 15}, "INT16_MAX": {layout.Int, 1<<15 - 1}, "UINT16_MAX": {layout.Int, 1<<16 - 1},
	"INT32_MIN": {layout.Int, -1 << 31}, "INT32_MAX": {layout.Int, 1<<31 - 1}, "UINT32_MAX": {layout.UInt, 1<<32 - 1},
	"INT64_MIN": {layout.Long, -1 << 63}, "INT64_MAX": {layout.Long, 1<<63 - 1}, "UINT64_MAX": {layout.ULong, -1},
	"SIZE_MAX": {layout.ULong, -1}, "NULL": {layout.Long, 0},
}

func (p *parser) limit(l limit) value {
	if l.kind == layout.Long && p.sizeOf(layout.Scalar{Kind: layout.Long}) == 4 && (l.bits == 1<<63-1 || l.bits == -1<<63) {
		l.bits >>= 32
	}
	return p.convert(value{typ: layout.Scalar{Kind: layout.LongLong}, bits: uint64(l.bits), known: true}, layout.Scalar{Kind: l.kind})
}

// prelude declares a name of the prelude in the outermost scope, or returns
// nil if there is none.
func (p *parser) prelude(name string) *object {
	if p.prep || p.preludes[name] {
		return nil
	}
	g := p.global()
	if o := g.names[name]; o != nil {
		return o
	}
	typ := p.preludeType(name)
	if typ == nil && p.cxx {
		typ = p.preludeTag("struct " + name)
	}
	if typ == nil {
		if preludeTemplates[name] && p.cxx {
			return &object{kind: badObj, why: "a template"}
		}
		return nil
	}
	o := &object{kind: typeObj, typ: typ}
	g.names[name] = o
	return o
}

func (p *parser) preludeType(name string) layout.Type {
	scalar := func(k layout.Kind) layout.Type {
		return &layout.Alias{Name: name, Type: layout.Scalar{Kind: k}}
	}
	long := p.sizeOf(layout.Scalar{Kind: layout.Long}) == 8
	switch name {
	case "bool":
		return &layout.Alias{Name: "_Bool", Type: layout.Scalar{Kind: layout.Bool}}
	case "wchar_t":
		switch p.opts.Rules.WChar {
		case 2:
			return scalar(layout.UShort)
		default:
			return scalar(layout.Int)
		}
	case "char16_t":
		return scalar(layout.UShort)
	case "char32_t":
		return scalar(layout.UInt)
	case "char8_t":
		return scalar(layout.UChar)
	case "CUtensorMap":
		return p.tensorMap()
	case "nullptr_t":
		return scalar(layout.NullPtr)
	case "int64_t":
		if long {
			return scalar(layout.Long)
		}
		return scalar(layout.LongLong)
	case "uint64_t":
		if long {
			return scalar(layout.ULong)
		}
		return scalar(layout.ULongLong)
	case "size_t", "uintptr_t":
		return scalar(p.sizeType().Kind)
	case "intptr_t":
		return scalar(map[layout.Kind]layout.Kind{layout.UInt: layout.Int, layout.ULong: layout.Long, layout.ULongLong: layout.LongLong}[p.sizeType().Kind])
	}
	if r := p.vectorType(name); r != nil {
		return r
	}
	if e := p.runtimeEnum(name); e != nil {
		return e
	}
	text, ok := preludeTypes[name]
	if !ok {
		text, ok = preludeLinux[name]
		if t, of := preludeMachine[p.machine][name]; of {
			text, ok = t, true
		}
		if !ok || !p.linux() {
			return nil
		}
	}
	return p.preludeText(name, text)
}

// runtimeEnums are the enumerations of the headers of the runtime, all of which have 32 bits and no value below 0.
const runtimeEnums = ` cudaAccessProperty cudaAtomicOperation cudaAtomicOperationCapability cudaCGScope cudaChannelFormatKind
cudaClusterSchedulingPolicy cudaComputeMode cudaDevResourceType cudaDevSmResourceGroup_flags
cudaDevSmResourceSplitByCount_flags cudaDevWorkqueueConfigScope cudaDeviceAttr cudaDeviceNumaConfig
cudaDeviceP2PAttr cudaDriverEntryPointQueryResult cudaError cudaExternalMemoryHandleType
cudaExternalSemaphoreHandleType cudaFabricOpStatusInfo cudaFabricOpStatusSource
cudaFlushGPUDirectRDMAWritesOptions cudaFlushGPUDirectRDMAWritesScope cudaFlushGPUDirectRDMAWritesTarget
cudaFuncAttribute cudaFuncCache cudaGPUDirectRDMAWritesOrdering cudaGetDriverEntryPointFlags
cudaGraphChildGraphNodeOwnership cudaGraphConditionalHandleFlags cudaGraphConditionalNodeType
cudaGraphDebugDotFlags cudaGraphExecUpdateResult cudaGraphInstantiateFlags cudaGraphKernelNodeField
cudaGraphMemAttributeType cudaGraphNodeType cudaGraphRecaptureStatus cudaGraphicsCubeFace cudaGraphicsMapFlags
cudaGraphicsRegisterFlags cudaHostTaskSyncMode cudaJitOption cudaJit_CacheMode cudaJit_Fallback
cudaKernelFunctionType cudaLibraryOption cudaLimit cudaMemAccessFlags cudaMemAllocationHandleType
cudaMemAllocationType cudaMemLocationType cudaMemPoolAttr cudaMemRangeAttribute cudaMemcpy3DOperandType
cudaMemcpyFlags cudaMemcpyKind cudaMemcpySrcAccessOrder cudaMemoryAdvise cudaMemoryType cudaResourceType
cudaResourceViewFormat cudaRoundMode cudaSharedCarveout cudaSharedMemConfig cudaStreamCaptureMode
cudaStreamCaptureStatus cudaStreamUpdateCaptureDependenciesFlags cudaSurfaceBoundaryMode cudaSurfaceFormatMode
cudaSynchronizationPolicy cudaTextureAddressMode cudaTextureFilterMode cudaTextureReadMode cudaUserObjectFlags
cudaUserObjectRetainFlags `

func isRuntimeEnum(name string) bool {
	return strings.HasPrefix(name, "cuda") && slices.Contains(strings.Fields(runtimeEnums), name)
}

// runtimeEnum returns the enumeration of that name; nil if the runtime has none.
func (p *parser) runtimeEnum(name string) layout.Type {
	if p.prep || !isRuntimeEnum(name) {
		return nil
	}
	return &layout.Alias{Name: name, Type: &layout.Enum{Name: name, Underlying: layout.Scalar{Kind: layout.UInt}}}
}

// tensorMap is CUtensorMap, whose alignment cuda.h of CUDA 13 raised. Without the header the macro CUDA_VERSION says
// which it is.
func (p *parser) tensorMap() layout.Type {
	align := int64(64)
	switch {
	case p.cuda >= 13000:
		align = 128
	case p.cuda == 0:
		p.warn(p.tok.pos, Ignored, "CUtensorMap is aligned to 64 bytes, as in CUDA 12; CUDA 13 aligns it to 128: define CUDA_VERSION as 13000, or include its cuda.h")
	}
	return &layout.Alias{Name: "CUtensorMap", Type: &layout.Record{Name: "CUtensorMap_st", Align: align, Fields: []layout.Field{
		{Name: "opaque", Type: &layout.Array{Elem: &layout.Alias{Name: "cuuint64_t", Type: layout.Scalar{Kind: layout.ULongLong}}, Len: 16}},
	}}}
}

// GuessedTensorMap is the warning that nothing says which alignment CUtensorMap has; nil where something does.
func GuessedTensorMap(u *Unit) *diag.Diagnostic {
	if u != nil {
		for _, d := range u.Warnings {
			if d.Code == Ignored && strings.HasPrefix(d.Msg, "CUtensorMap is ") {
				return d
			}
		}
	}
	return nil
}

// linux reports whether the types of [preludeLinux] are those of the rules.
func (p *parser) linux() bool {
	return p.opts.Rules.ABI != layout.Microsoft && p.pointerSize() == 8 && p.sizeOf(layout.Scalar{Kind: layout.Long}) == 8
}

// preludeTag makes the record of libc with a tag, "struct tm"; nil if there is none.
func (p *parser) preludeTag(tag string) layout.Type {
	text, ok := preludeLinux[tag]
	if p.prep || !ok || !p.linux() || p.preludes[tag] {
		return nil
	}
	g := p.global()
	if o := g.names[tag]; o != nil { // which no name is
		return o.typ
	}
	typ := p.preludeText(tag, text)
	if rec, ok := typ.(*layout.Record); ok {
		rec.Name = lastName("::" + tag[len("struct "):])
		g.names[tag] = &object{kind: typeObj, typ: typ}
	}
	return typ
}

// preludeText reads a type of the prelude that is written as C.
func (p *parser) preludeText(name, text string) layout.Type {
	if p.preludes == nil {
		p.preludes = map[string]bool{}
	}
	p.preludes[name] = true
	defer delete(p.preludes, name)
	var errs findings
	sc := newScanner("<prelude>", []byte(text), &errs)
	sub := &parser{
		toks: append(restOfLine(sc), token{kind: eof}), i: -1, opts: p.opts, cxx: p.cxx, inPrelude: true,
		memo: layout.Memo{Rules: p.opts.Rules}, unit: &Unit{}, scope: p.global(), preludes: p.preludes,
		recordScopes: p.recordScopes, open: map[*layout.Record]bool{},
	}
	sub.advance()
	var typ layout.Type
	if !sub.try(func() { typ = sub.typeName() }) {
		return nil
	}
	if rec, ok := typ.(*layout.Record); ok {
		rec.Name = name
		rec.Scope = ""
		rec.NonPOD = p.cxx && preludeClasses[name]
		rec.NonTrivial = p.cxx && preludeCopied[name]
		return rec
	}
	if e, ok := typ.(*layout.Enum); ok {
		e.Name = name
		return e
	}
	return &layout.Alias{Name: name, Type: typ}
}

// vectorBases are the element types of CUDA's built-in vector types.
var vectorBases = map[string]layout.Kind{
	"char": layout.SChar, "uchar": layout.UChar, "short": layout.Short, "ushort": layout.UShort,
	"int": layout.Int, "uint": layout.UInt, "long": layout.Long, "ulong": layout.ULong,
	"longlong": layout.LongLong, "ulonglong": layout.ULongLong, "float": layout.Float, "double": layout.Double,
}

// vectorName takes the name of a vector type apart, char1 to double4, or those of CUDA 13 whose alignment stands in their
// name; n is 0 for others.
func vectorName(name string) (kind layout.Kind, n, align int64) {
	base := name
	if b, ok := strings.CutSuffix(name, "_16a"); ok {
		base, align = b, 16
	} else if b, ok := strings.CutSuffix(name, "_32a"); ok {
		base, align = b, 32
	}
	if base == "" {
		return 0, 0, 0
	}
	n = int64(base[len(base)-1] - '0')
	kind, ok := vectorBases[base[:len(base)-1]]
	if !ok || n < 1 || n > 4 || align > 0 && n < 4 {
		return 0, 0, 0
	}
	return kind, n, align
}

// vectorType makes a vector type by its name; nil if it is none.
func (p *parser) vectorType(name string) layout.Type {
	kind, n, align := vectorName(name)
	if n == 0 {
		return nil
	}
	l, err := p.memo.Of(layout.Scalar{Kind: kind})
	if err != nil || align != 0 && l.Size != 8 {
		return nil
	}
	rec := &layout.Record{Name: name}
	for _, f := range []string{"x", "y", "z", "w"}[:n] {
		rec.Fields = append(rec.Fields, layout.Field{Name: f, Type: layout.Scalar{Kind: kind}})
	}
	switch {
	case align != 0:
		rec.Align = align
	case n == 2 || n == 4:
		rec.Align = min(n*l.Size, 16)
	}
	return rec
}
