package packers

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// BenchmarkScale generates packers for every struct of a Go file and of a
// header, and launchers for the kernels of a PTX module. Of Go, the time of the
// smaller size is mostly that of loading a package.
func BenchmarkScale(b *testing.B) {
	for _, n := range []int{50, 400} {
		var types []string
		for i := range n {
			types = append(types, fmt.Sprintf("S%d", i))
		}
		b.Run(fmt.Sprintf("go/size=%d", n), func(b *testing.B) {
			generate(b, "p.go", bench.Structs(1, n), Config{Types: types, Output: "p_param.go"})
		})
		b.Run(fmt.Sprintf("header/size=%d", n), func(b *testing.B) {
			generate(b, "p.h", bench.Header(1, n), Config{Types: types, Output: "p_param.go", Package: "p"})
		})
	}
}

func generate(b *testing.B, name string, text []byte, cfg Config) {
	dir := b.TempDir()
	require.NoError(b, os.WriteFile(filepath.Join(dir, name), text, 0o666))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/p\n\ngo 1.26\n"), 0o666))
	cfg.Dir, cfg.Input = dir, name
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		files, err := Generate(cfg)
		if err != nil {
			b.Fatal(err)
		}
		if len(files) == 0 {
			b.Fatal("no files")
		}
	}
}
