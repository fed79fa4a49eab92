package packers

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
)

// TestToolkit reads types that CUDA's headers alone have, from where pip and toolkits put them.
func TestToolkit(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "k.cu", "#include <cuda_runtime.h>\n#include <optix.h>\n__global__ void k(cudaPos p, OptixThing t);\n")
	cfg := Config{Dir: dir, Input: "k.cu", Kernels: []string{"k"}, Output: "k.py", Env: []string{"PATH="}}
	_, err := Generate(cfg)
	require.Error(t, err)
	assert.Equal(t, `k.cu:3:30: error: k could not be read: unknown type OptixThing; not found: <optix.h>; -I DIR names the folder of a file [UndeclaredName]`, err.Error())

	pip := filepath.Join(dir, "v")
	writeFile(t, pip, "lib/python3.13/site-packages/nvidia/cuda_runtime/include/cuda_runtime.h", "#include \"driver_types.h\"\n")
	writeFile(t, pip, "lib/python3.13/site-packages/nvidia/cuda_runtime/include/driver_types.h", "struct cudaPos { int x; };\ntemplate <int N> struct Odd : decltype(N) {};\n")
	writeFile(t, dir, "cuda/include/optix.h", "typedef struct { long long handle[2]; } OptixThing;\n")
	cfg.Env = append(cfg.Env, "VIRTUAL_ENV="+pip, "CUDA_HOME="+filepath.Join(dir, "cuda"))
	files, err := Generate(cfg)
	require.NoError(t, err)
	assert.Contains(t, string(files[0].Data), "class OptixThing(")

	// Of a tensor map the header says the alignment, where one is found. Names in it are not suggested.
	writeFile(t, pip, "lib/python3.13/site-packages/nvidia/cuda_runtime/include/cuda.h", "typedef struct CUtensorMap_st { alignas(128) unsigned long long opaque[16]; } CUtensorMap;\nstruct Maps_v2 { int x; };\n")
	writeFile(t, dir, "t.cu", "#include <cuda.h>\nstruct Maps { char c; CUtensorMap m; };\n")
	for align, env := range map[string][]string{"ALIGN = 128": cfg.Env, "ALIGN = 64": {"PATH="}} {
		var warned []string
		cfg := Config{Dir: dir, Input: "t.cu", Types: []string{"Maps"}, Output: "t.py", Rules: "sysv", Env: env, Warn: func(d *diag.Diagnostic) { warned = append(warned, d.Error()) }}
		files, err := Generate(cfg)
		require.NoError(t, err)
		assert.Contains(t, string(files[0].Data), align)
		if align == "ALIGN = 64" {
			assert.Regexp(t, "^t.cu:2:35: warning: CUtensorMap is aligned to 64 bytes, as in CUDA 12", strings.Join(warned, "\n"))
		} else {
			assert.Empty(t, warned)
		}
		cfg.Types = []string{"Maps_v3"}
		_, err = Generate(cfg)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "Maps_v2")
	}
}

// TestCUDATypes has the same code with CUDA's headers as without them, in every language.
func TestCUDATypes(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "inc/cuda_runtime.h", "#pragma once\n#include \"vector_types.h\"\n#include \"driver_types.h\"\n")
	writeFile(t, dir, "inc/vector_types.h", "#pragma once\nstruct __attribute__((aligned(16))) float4 { float x, y, z, w; };\nstruct dim3 { unsigned int x, y, z; };\nstruct uchar3 { unsigned char x, y, z; };\n")
	writeFile(t, dir, "inc/driver_types.h", "#pragma once\nenum cudaMemcpyKind { cudaMemcpyHostToHost = 0, cudaMemcpyHostToDevice = 1 };\nenum ThingKind { ThingSmall };\n")
	writeFile(t, dir, "inc/cuda_fp16.h", "#pragma once\ntypedef struct __attribute__((aligned(2))) { unsigned short x; } __half_raw;\n#include \"cuda_fp16.hpp\"\n")
	writeFile(t, dir, "inc/cuda_fp16.hpp", "struct __attribute__((aligned(2))) __half { __half() = default; protected: unsigned short __x; };\ntypedef __half half;\n")
	writeFile(t, dir, "own.h", "#pragma once\nstruct __attribute__((aligned(16))) float3 { float x, y, z; };\n")
	writeFile(t, dir, "k.cu", "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include \"own.h\"\n"+
		"struct P { float4 v; half h; __half_raw r; dim3 d; uchar3 u; cudaMemcpyKind k; float3 own; };\n__global__ void k(P p, float4 f, half h, dim3 d, uchar3 u, cudaMemcpyKind k) {}\n")
	for _, output := range []string{"k.go", "k.rs", "k.py"} {
		cfg := Config{Dir: dir, Input: "k.cu", Types: []string{"P"}, Kernels: []string{"k"}, Output: output, Header: "out.h", Env: []string{"PATH=", "GOPACKAGE=p"}}
		without, err := Generate(cfg)
		require.NoError(t, err, output)
		cfg.Include = []string{"inc"}
		with, err := Generate(cfg)
		require.NoError(t, err, output)
		for i := range without {
			assert.Equal(t, string(without[i].Data), string(with[i].Data), output)
		}
		assert.True(t, strings.Contains(string(with[0].Data), "Float3"), output) // which is the project's own
	}

	// A file has one identity, whatever its path, and what is defined twice says where.
	writeFile(t, dir, "k.cu", "#include \"inc/../own.h\"\n#include <own.h>\n#include <twice.h>\nstruct Q { Twice t[2]; };\n__global__ void k(float3 f) {}\n__global__ void k2(Q q) {}\n")
	writeFile(t, dir, "twice.h", "struct Twice { int x; };\nstruct Twice { int x; };\n")
	cfg := Config{Dir: dir, Input: "k.cu", Kernels: []string{"k"}, Output: "k.py", Include: []string{filepath.ToSlash(dir)}, Env: []string{"PATH="}}
	_, err := Generate(cfg)
	require.NoError(t, err)
	cfg.Kernels, cfg.Include = []string{"k2"}, []string{"."}
	_, err = Generate(cfg)
	require.Error(t, err)
	assert.Equal(t, "twice.h:2:8: error: Q could not be read: Twice is defined at twice.h:1:1 already [RedefinedName]", err.Error())
}
