package packers

import (
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
	out := map[string]cudaType{}
	for line := range strings.Lines(text("cuda.txt")) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 5 {
			declared := "defined(" + strings.ReplaceAll(f[2], ",", ") || defined(") + ")"
			out[f[0]] = cudaType{f[1], f[4], strings.TrimPrefix(f[3], "-"), declared}
		}
	}
	return out
})
