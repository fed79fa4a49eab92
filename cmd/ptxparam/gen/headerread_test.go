package gen

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
}
