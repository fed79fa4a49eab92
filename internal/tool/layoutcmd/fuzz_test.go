package layoutcmd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// FuzzLoad reads any text as Go, C or C++ and prints it in every form: errors have a place, and a second run prints the
// same.
func FuzzLoad(f *testing.F) {
	names := []string{"x.go", "x.h", "x.cu"}
	for _, pattern := range []string{"../../../cmd/ptxabi/testdata/layout/*.txtar", "testdata/headers/*"} {
		files := must.Glob(f, pattern)
		for _, file := range files[:min(20, len(files))] {
			text := must.Read(f, file)
			f.Add(text, uint8(len(text)))
		}
	}
	for _, text := range []string{
		"package x\n\ntype T struct {\n\tA int32 `ptx:\"align=16\"`\n\tB [3]U\n\t_ [4]byte\n}\n\ntype U struct{ C, D uint8 }\n",
		"package x\n\ntype T struct{ A *T; B [4]T; C map[string]T; D G[T] }\n\ntype G[P any] struct{ X P }\n",
		"package x\n\ntype A = B\ntype B = A\ntype C struct{ A; *D }\ntype D [2]C\nconst N = len([N]int{})\n",
	} {
		f.Add([]byte(text), uint8(0))
	}
	f.Add([]byte("struct s { int a : 3, : 0; union { char c; double d[2]; }; } __attribute__((aligned(16)));"), uint8(1))
	f.Add([]byte("template <class T> struct v { T x[2]; };\n__global__ void k(v<float> a, int b) {}\n"), uint8(2))
	target := must.Target(f, "sm_80")
	f.Fuzz(func(t *testing.T, text []byte, kind uint8) {
		name := names[int(kind)%len(names)]
		var last [][]byte
		for range 2 {
			r, err := Load(name, text, Options{Partial: kind&64 != 0, GOARCH: "amd64", Target: target})
			if err != nil {
				return
			}
			for _, d := range append(r.Errors, r.Warnings...) {
				require.NotEmpty(t, d.Msg)
				require.Equal(t, name, d.File)
			}
			if len(r.Errors) > 0 {
				return
			}
			var all [][]byte
			for _, form := range Formats {
				out, err := r.Format(form)
				if err != nil {
					require.NotEmpty(t, err.Error())
				}
				all = append(all, out)
			}
			if last != nil {
				require.Equal(t, last, all)
			}
			last = all
		}
	})
}
