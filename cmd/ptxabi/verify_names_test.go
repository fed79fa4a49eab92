package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestVerifyMangled finds the kernels of a header in a cubin of C++.
func TestVerifyMangled(t *testing.T) {
	file := writeSource(t, "k.cu", `struct Particle { double pos[2]; int id; };
__global__ void step(float dt, Particle p, double *x);
namespace sim { __global__ void run(long n); }
__global__ void add(long n);
`)
	r := ptxabi(nil, "verify", "-no-demangle", cxxCubin, file)
	assert.Equal(t, 1, r.status, r.stderr)
	for _, want := range []string{
		"\nkernel _Z4stepf8ParticlePd: same, c[0x0][0x160], 40 bytes, the inside of p is unknown\n",
		"\nkernel _ZN3sim3runEi: differs\n  parameter 0 (n) has 4 bytes, 8 in ",
		"\nkernel add: differs\n", "k.cu:4 may mean any of _Z3addf, _Z3addi: ",
		"\nkernel _Z4fillIfEvPT_: only in cubin\n",
	} {
		assert.Contains(t, r.stdout, want)
	}
	assert.NotContains(t, r.stdout, "kernel _Z3add")
	// Overloads by their parameters, and what CUDA's keyword stands for. One that
	// the cubin has not is not taken for another.
	file = writeSource(t, "k.cu", `__global__ void add(int n);
void __attribute__((global)) add(float x);
__global__ void add(const float *p);
`)
	r = ptxabi(nil, "verify", "-no-demangle", cxxCubin, file)
	for _, want := range []string{
		"\nkernel _Z3addi: same, c[0x0][0x160], 4 bytes\n", "\nkernel _Z3addf: same, c[0x0][0x160], 4 bytes\n",
		"\nkernel add: only in source\n  not here; it stands in ",
	} {
		assert.Contains(t, r.stdout, want)
	}
	file = writeSource(t, "k.cu", "__global__ void add(int n);\n__global__ void add(long n);\n")
	r = ptxabi(nil, "verify", "-no-demangle", cxxCubin, file)
	assert.Contains(t, r.stdout, "\nkernel _Z3addf: differs\n  parameter 0 (n) has 4 bytes, 8 in ")
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)

	// Types of one size, and a name that is not mangled.
	file = writeSource(t, "k.cu", `namespace sim { __global__ void run(unsigned n); }
extern "C" { __global__ void add(float x); }
__global__ void add(int n);
`)
	r = ptxabi(nil, "verify", "-no-demangle", cxxCubin, file)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stdout, "\nkernel _ZN3sim3runEi: differs\n  named _ZN3sim3runEi, "+file+":1 declares _ZN3sim3runEj, which is sim::run(unsigned int)\n")
	assert.Contains(t, r.stdout, "\nkernel _Z3addf: differs\n  named _Z3addf, "+file+":2 declares add (extern \"C\" is in "+file+" alone)\n")
	file = writeSource(t, "k.cu", "struct S { int a; };\nnamespace sim { __global__ void run(int (S::*n)[1]); }\n")
	assert.Contains(t, ptxabi(nil, "verify", "-no-demangle", cxxCubin, file).stdout, ", found by its name alone, the types of its parameters are not compared\n")
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)

	// A header that is not called C++ and has templates.
	file = writeSource(t, "k.h", `struct Particle { double pos[2]; int id; };
template <class T> struct Vec { T x, y; };
template <class T> __global__ void fill(T *p);
__global__ void step(float dt, Particle p, double *x);
namespace sim { __global__ void run(int n); }
__global__ void add(int n);
__global__ void add(float x);
`)
	r = ptxabi(nil, "verify", "-no-demangle", cxxCubin, file)
	assert.Equal(t, 0, r.status, r.stdout)
	assert.Contains(t, r.stderr, "k.h:3:1: warning: fill is a template of kernels, which is not read; the PTX or the cubin that it is compiled to has its instances [UnsupportedC]")
	assert.Contains(t, r.stdout, "\nkernel _Z4fillIfEvPT_: not compared, the instance of a template, c[0x0][0x160], 8 bytes\n")
	assert.Contains(t, r.stdout, "\nno difference; 1 kernel not compared\n")
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)
	file = writeSource(t, "k.h", "template <class... T> struct Vec { float x, y; };\n__global__ void step(Vec<float> v);\n")
	r = ptxabi(nil, "verify", "-no-demangle", cxxCubin, file)
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stderr, "k.h:2:22: warning: Vec<…>: parameter packs are not supported; the kernel step is left out")
	assert.Contains(t, r.stdout, "\nkernel _Z4stepf8ParticlePd: not compared, Vec<…>: parameter packs are not supported")
	assert.Contains(t, r.stdout, "\n4 kernels: only in cubin\n    _Z3addf\n    _Z3addi\n")
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)
	// The others are compared all the same, whatever attributes stand before the name.
	file = writeSource(t, "k.h", `template <class... T> struct Vec { float x, y; };
extern "C" __attribute__((global)) void __launch_bounds__(128) step(Vec<float> v);
namespace sim { __global__ void run(long n); __global__ void gone(Vec<int> *v); }
__global__ void add(int n);
__global__ void add(float n) { Vec<int> v; }
__device__ int helper(int n);
`)
	r = ptxabi(nil, "verify", "-no-demangle", cxxCubin, file)
	assert.Equal(t, 1, r.status)
	for _, want := range []string{
		"\nkernel _Z4stepf8ParticlePd: not compared, Vec<…>: parameter packs", "\nkernel _ZN3sim3runEi: differs\n",
		"\nkernel sim::gone: only in source\n", "\nkernel _Z3addi: same, ", "\nkernel _Z3addf: same, ",
	} {
		assert.Contains(t, r.stdout, want)
	}
	// What a mistake leaves is compared, and what the cubin has beside that is no difference.
	r = ptxabi(nil, "verify", "-no-demangle", cxxCubin, writeSource(t, "k.h", "template <class... T> struct Vec { int x; };\nvoid f(Vec<int> v);\n__global__ void add(int n);\n"))
	assert.Equal(t, 1, r.status)
	assert.Contains(t, r.stdout, "\nkernel _Z3addi: same, ")
	assert.Contains(t, r.stdout, "\nno difference; 4 kernels not compared\n")
	assert.Contains(t, r.stderr, "k.h:2:")
	// One that is C alone.
	file = writeSource(t, "k.h", "struct class { int new; };\nvoid __attribute__((global)) add(int n);\n")
	r = ptxabi(nil, "verify", "-no-demangle", cxxCubin, file)
	assert.Contains(t, r.stdout, "\nkernel _Z3addi: same, ")
}

// TestVerifyLeftOut has records that are not read: the kernels that take them are
// not compared, all others are.
func TestVerifyLeftOut(t *testing.T) {
	file := writeSource(t, "k.cu", `template <class... T> struct Vec { double x, y; };
struct Particle { Vec<double> pos; int id; };
struct Other { Particle p[2]; };
struct Shape { virtual int area(); };
__global__ void step(float dt, Particle p, double *x);
__global__ void add(int n);
__global__ void add(float x);
namespace sim { __global__ void run(long n); __global__ void gone(Other o, Shape s); }
`)
	r := ptxabi(nil, "verify", "-no-demangle", cxxCubin, file)
	assert.Equal(t, 1, r.status, r.stderr)
	for _, want := range []string{
		"\nkernel _Z4stepf8ParticlePd: not compared, Particle: Vec<…>: parameter packs are not supported",
		"\nkernel _Z3addi: same, ", "\nkernel _Z3addf: same, ", "\nkernel _ZN3sim3runEi: differs\n", "\nkernel sim::gone: only in source\n",
	} {
		assert.Contains(t, r.stdout, want)
	}
	for _, want := range []string{
		"k.cu:2:19: warning: Vec<…>: parameter packs are not supported; struct Particle is left out [UnsupportedC]",
		"k.cu:5:41: warning: Particle: Vec<…>: parameter packs", "; the kernel step is left out [UnsupportedC]",
		"k.cu:4:16: warning: virtual functions are not supported; struct Shape is left out [UnsupportedC]",
	} {
		assert.Contains(t, r.stderr, want)
	}
	readSchema(t, "verify").check(t, ptxabi(nil, "verify", "-format=json", cxxCubin, file).stdout)

	// With -strict they fail, one by one and in groups, in each format.
	file = writeSource(t, "k.cu", `struct Shape { virtual int area(); };
extern "C" __global__ void step(Shape s);
__global__ void add(int n);
__global__ void add(float x);
namespace sim { __global__ void run(int n); }
template <class T> __global__ void fill(T *p);
`)
	r = ptxabi(nil, "verify", cxxCubin, file)
	assert.Equal(t, 0, r.status, r.stdout)
	assert.Contains(t, r.stdout, "\nno difference; 2 kernels not compared\n")
	r = ptxabi(nil, "verify", "-strict", cxxCubin, file)
	assert.Equal(t, 1, r.status, r.stdout)
	for _, want := range []string{
		"\nkernel step(float, Particle, double*): not compared, ", "\nkernel fill<float>(float*): not compared, the instance of a template, ",
		"\n2 differences; 2 kernels not compared\n",
	} {
		assert.Contains(t, r.stdout, want)
	}
	assert.Equal(t, 0, ptxabi(nil, "verify", "-strict", "-kernel", "sim::run", cxxCubin, file).status)
	json := ptxabi(nil, "verify", "-strict", "-format=json", cxxCubin, file)
	assert.Equal(t, 1, json.status)
	assert.Contains(t, json.stdout, `"message": "not compared, the instance of a template"`)
	readSchema(t, "verify").check(t, json.stdout)
	for _, format := range []string{"sarif", "github"} {
		r := ptxabi(nil, "verify", "-strict", "-format", format, cxxCubin, file)
		assert.Equal(t, 1, r.status, format)
		assert.Contains(t, r.stdout, ": not compared, the instance of a template", format)
	}

	// A template whose arguments are given is read.
	file = writeSource(t, "k.cu", `template <class T> struct Vec { T x, y; };
struct Particle { Vec<double> pos; int id; };
__global__ void step(float dt, Particle p, double *x);
`)
	assert.Contains(t, ptxabi(nil, "verify", "-no-demangle", cxxCubin, file).stdout, "\nkernel _Z4stepf8ParticlePd: same, ")
}

// TestVerifyKernelName asks for a kernel by the names that reports print.
func TestVerifyKernelName(t *testing.T) {
	file := writeSource(t, "k.cu", "__global__ void add(int n);\n__global__ void add(float x);\n")
	r := ptxabi(nil, "verify", "-kernel", "add(int)", cxxCubin, file)
	assert.Equal(t, 0, r.status, r.stderr)
	assert.Contains(t, r.stdout, "\nkernel add(int): same, ")
	assert.NotContains(t, r.stdout, "add(float)")
	r = ptxabi(nil, "verify", "-kernel", "add(double)", cxxCubin, file)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "neither has a kernel add(double)")
	r = ptxabi(nil, "verify", "-kernel", "fill<float>", cxxCubin, file)
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "k.cu has no kernel fill<float>")

	types := writeSource(t, "s.go", "package s\n\ntype Args struct{ P uint64 }\n")
	r = ptxabi(nil, "verify", "-type", "Args", "-kernel", "fill<float>", cxxCubin, types)
	assert.Equal(t, 0, r.status, r.stdout+r.stderr)
	assert.Contains(t, r.stdout, "\nkernel fill<float>(float*): same as struct Args, ")

	// The module of a library that has it.
	library := writeLibrary(t, cubinData+"/cubins/wide-sm_80-12.4.cubin", cxxCubin)
	r = ptxabi(nil, "verify", "-kernel", "add( int )", library, file)
	assert.Equal(t, 0, r.status, r.stdout+r.stderr)
	assert.Contains(t, r.stderr, " is module 2 of 2, ")
	r = ptxabi(nil, "verify", "-kernel", "add(int)", library, writeSource(t, "x.ptx", wideHead+".visible .entry wade () { ret; }\n"))
	assert.Equal(t, 2, r.status)
	assert.Contains(t, r.stderr, "x.ptx has no kernel add(int)")
}
