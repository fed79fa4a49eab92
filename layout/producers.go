package layout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Family returns the producer from which p differs only in details: Clang for Clang14 and
// Clang15, and p for all others.
func (p Producer) Family() Producer {
	switch p {
	case Clang14, Clang15:
		return Clang
	}
	return p
}

// A release is a compiler that was measured.
type release struct {
	name string // "clang-19"
	by   Producer
}

// releases are those of testdata/measured/producers, by major number, or
// by both where NVIDIA's are named by both.
var releases = []release{
	{"cicc-11.8", NVCC},
	{"cicc-12.4", NVCC},
	{"clang-14", Clang14},
	{"clang-15", Clang15},
	{"clang-16", Clang15},
	{"clang-17", Clang},
	{"clang-18", Clang},
	{"clang-19", Clang},
	{"clang-20", Clang},
	{"clang-21", Clang},
	{"clang-22", Clang},
	{"clang-23", Clang},
	{"g++-12", GCC},
	{"gcc-12", GCC},
	{"nvrtc-11.8", NVCC},
	{"nvrtc-12.1", NVCC},
	{"nvrtc-12.4", NVCC},
	{"nvrtc-12.8", NVCC},
	{"nvrtc-12.9", NVCC},
	{"nvrtc-13.0", NVCC},
	{"nvrtc-13.5", NVCC},
	{"rustc-1.95", Rustc},
	{"rustc-1.97", Rustc},
	{"rustc-nightly-1.97", Rustc},
	{"warp-1.19", NVCC},
	{"warp-llvm-1.19", Clang},
}

// ProducerNames returns all names that ParseProducer accepts: those of the conventions,
// and those of releases that were measured.
func ProducerNames() []string {
	names := slices.Clone(producers[:])
	for _, r := range releases {
		names = append(names, r.name)
	}
	return names
}

// ParseProducer returns the convention of a name, as ProducerNames lists them: nvcc,
// clang, gcc, manual, and releases that were measured, such as clang-14 or nvrtc-12.8.
// The error for another release lists those that were measured.
func ParseProducer(name string) (Producer, error) {
	for i, n := range producers {
		if n == name {
			return Producer(i), nil
		}
	}
	if release, ok := strings.CutPrefix(name, "nvrtc-headers-"); ok {
		if _, err := ParseProducer("nvrtc-" + release); err == nil {
			return 0, fmt.Errorf("%s is NVRTC with CUDA's headers: nvrtc-%s is the producer", name, release)
		}
	}
	var others []string
	kind, _, versioned := strings.Cut(name, "-")
	for _, r := range releases {
		if r.name == name {
			return r.by, nil
		}
		if strings.HasPrefix(r.name, kind+"-") {
			others = append(others, r.name)
		}
	}
	if others != nil && (versioned || kind == "warp") {
		return 0, fmt.Errorf("%s was not measured; measured are %s", name, strings.Join(others, ", "))
	}
	switch kind {
	case "numba":
		return 0, fmt.Errorf("numba takes a record apart, into a parameter for each field: ptxabi adapt writes such declarations, with -from or -to %s", numba(name))
	case "tilelang":
		return 0, fmt.Errorf("%s writes kernels of CUDA C++ for nvcc: nvcc is the producer", name)
	case "triton":
		return 0, fmt.Errorf("%s passes scalars alone, those of 32 and 64 bits as nvcc does", name)
	}
	return 0, fmt.Errorf("unknown producer %q; known are %s, and releases that were measured, such as nvrtc-13.5", name, strings.Join(producers[:], ", "))
}

// numba returns what ptxabi adapt calls a convention of numba: numba-c for numba-cuda-c-0.30.
func numba(name string) string {
	switch word, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, "numba-"), "cuda-"), "-"); word {
	case "mlir":
		return "numba-cuda-mlir"
	case "c":
		return "numba-c"
	}
	return "numba"
}

// String returns the name of the convention, which ParseProducer accepts: "nvcc".
func (p Producer) String() string {
	if int(p) < len(producers) {
		return producers[p]
	}
	for _, r := range releases {
		if r.by == p {
			return r.name
		}
	}
	return "Producer(" + strconv.Itoa(int(p)) + ")"
}

var producers = [...]string{"nvcc", "clang", "gcc", "manual"}
