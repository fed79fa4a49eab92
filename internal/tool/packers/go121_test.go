package packers

import (
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// of121 are the packages of Go 1.21 that generated files may import. What else they use of the language
// of 1.21 is compiled as such in TestGolden.
var of121 = []string{"bytes", "encoding/binary", "errors", "fmt", "math", "math/rand", "runtime", "slices", "sync", "testing", "unsafe"}

// TestImports holds that generated files import nothing that is younger than Go 1.21.
func TestImports(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "go.mod", "module example.org/p\n\ngo 1.21\n")
	writeFile(t, dir, "x.go", "package p\n\ntype P struct {\n\tA [100]float32\n\tB bool\n\tC complex64\n\tU [8]byte `ptxabi:\"union=I:int64|F:[2]float32\"`\n\tF uint32 `ptxabi:\"bits=a:3\"`\n}\n")
	writeFile(t, dir, "k.cu", "__global__ void k(float x, long long y, bool z);\n")
	for _, cfg := range []Config{
		{Input: "x.go", Types: []string{"P"}, Test: true, Dir: dir},
		{Input: "k.cu", Kernels: []string{"all"}, Test: true, Dir: dir},
	} {
		files, err := Generate(cfg)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(files), 2)
		for _, f := range files {
			tree, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.ImportsOnly)
			require.NoError(t, err)
			for _, imp := range tree.Imports {
				path, err := strconv.Unquote(imp.Path.Value)
				require.NoError(t, err)
				assert.True(t, slices.Contains(of121, path), "%s imports %s", f.Path, path)
			}
		}
	}
}
