package ptx_test

import (
	"go/build"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/ptx"
)

// realModules reads the modules that benchmarks run over: those of the
// repository, or those that the glob in PTXABI_BENCH names.
func realModules(tb testing.TB) (texts [][]byte, total int64) {
	tb.Helper()
	glob := os.Getenv("PTXABI_BENCH")
	if glob == "" {
		glob = "../testdata/real/*.ptx"
	}
	files, err := filepath.Glob(glob)
	require.NoError(tb, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(tb, err)
		texts = append(texts, text)
		total += int64(len(text))
	}
	require.NotZero(tb, total, "no modules at %s", glob)
	return texts, total
}

func BenchmarkParse(b *testing.B) {
	texts, total := realModules(b)
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			if _, err := ptx.Parse("bench.ptx", text); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	texts, total := realModules(b)
	var modules []*ptx.Module
	for _, text := range texts {
		m, err := ptx.Parse("bench.ptx", text)
		if err != nil {
			b.Fatal(err)
		}
		modules = append(modules, m)
	}
	var buf []byte
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range modules {
			buf = m.AppendText(buf[:0])
		}
	}
}

// BenchmarkGoScanner is the measure for BenchmarkParse: the Go installation's
// own scanner on the Go source of the standard library's largest packages.
func BenchmarkGoScanner(b *testing.B) {
	var texts [][]byte
	var total int64
	for _, dir := range []string{"net/http", "go/types", "runtime"} {
		files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", dir, "*.go"))
		require.NoError(b, err)
		for _, f := range files {
			text, err := os.ReadFile(f)
			require.NoError(b, err)
			texts = append(texts, text)
			total += int64(len(text))
		}
	}
	require.NotZero(b, total, "no Go source under %s", build.Default.GOROOT)
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			fset := token.NewFileSet()
			var s scanner.Scanner
			s.Init(fset.AddFile("bench.go", -1, len(text)), text, nil, 0)
			for {
				if _, tok, _ := s.Scan(); tok == token.EOF {
					break
				}
			}
		}
	}
}
