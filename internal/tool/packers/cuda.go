package packers

import (
	"fmt"
	"strings"
	"sync"
)

// A cudaType is a type that CUDA's headers declare.
type cudaType struct {
	name     string // by which its header declares it
	members  string // in C, where its header is not there; "" is bytes
	header   string // that declares it; "" of those that a CUDA compiler has by itself
	declared string // the condition of the preprocessor under which it is declared; "" is never
}

// cudaTypes are the types of CUDA by name. Of others that begin as they do, the bytes alone are known.
var cudaTypes = sync.OnceValue(func() map[string]cudaType {
	const vectors = "defined(__CUDACC__) || defined(__VECTOR_TYPES_H__)"
	vector := func(name, elem string, n int) cudaType {
		var members []string
		for _, m := range []string{"x", "y", "z", "w"}[:n] {
			members = append(members, elem+" "+m)
		}
		return cudaType{name: name, members: strings.Join(members, "; "), declared: vectors}
	}
	out := map[string]cudaType{"dim3": vector("dim3", "unsigned int", 3)}
	for _, e := range []struct{ base, ctype string }{
		{"char", "signed char"},
		{"uchar", "unsigned char"},
		{"short", "short"},
		{"ushort", "unsigned short"},
		{"int", "int"},
		{"uint", "unsigned int"},
		{"long", "long long"},
		{"ulong", "unsigned long long"},
		{"longlong", "long long"},
		{"ulonglong", "unsigned long long"},
		{"float", "float"},
		{"double", "double"},
	} {
		for n := 1; n <= 4; n++ {
			name := fmt.Sprintf("%s%d", e.base, n)
			out[name] = vector(name, e.ctype, n)
		}
	}
	for _, h := range []struct{ header, declared, members, names string }{
		{"cuda_fp16.h", "__CUDA_FP16_TYPES_EXIST__", "unsigned short __x", "half __half"},
		{"cuda_fp16.h", "__CUDA_FP16_TYPES_EXIST__", "unsigned short x; unsigned short y", "half2 __half2"},
		{"cuda_bf16.h", "__CUDA_BF16_TYPES_EXIST__", "unsigned short __x", "nv_bfloat16 __nv_bfloat16"},
		{"cuda_bf16.h", "__CUDA_BF16_TYPES_EXIST__", "unsigned short x; unsigned short y", "nv_bfloat162 __nv_bfloat162"},
		{"cuda_fp8.h", "__CUDA_FP8_TYPES_EXIST__", "unsigned char __x", "__nv_fp8_e4m3 __nv_fp8_e5m2"},
	} {
		for name := range strings.FieldsSeq(h.names) { // the short names of numbers are not always declared
			out[name] = cudaType{"__" + strings.TrimPrefix(name, "__"), h.members, h.header, "defined(" + h.declared + ")"}
		}
	}
	const size = "unsigned long long "
	for name, members := range map[string]string{
		"cudaExtent":     size + "width; " + size + "height; " + size + "depth",
		"cudaPos":        size + "x; " + size + "y; " + size + "z",
		"cudaPitchedPtr": "void *ptr; " + size + "pitch; " + size + "xsize; " + size + "ysize",
	} {
		out[name] = cudaType{name: "struct " + name, members: members, declared: "defined(__CUDACC__) || defined(__DRIVER_TYPES_H__)"}
	}
	return out
})
