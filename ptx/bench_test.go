package ptx_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/must"
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
	files := must.Glob(tb, glob)
	for _, f := range files {
		text := must.Read(tb, f)
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

// BenchmarkScan walks over the tokens and builds nothing.
func BenchmarkScan(b *testing.B) {
	texts, total := realModules(b)
	var sources []string
	for _, text := range texts {
		sources = append(sources, string(text))
	}
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range sources {
			if ptx.CountTokens(src) == 0 {
				b.Fatal("no tokens")
			}
		}
	}
}

// BenchmarkOutline reads the same body by body.
func BenchmarkOutline(b *testing.B) {
	texts, total := realModules(b)
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			if err := readOutline(new(ptx.Reader), string(text)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// readOutline reads a module body by body.
func readOutline(r *ptx.Reader, src string) error {
	outline, err := ptx.ParseOutline("bench.ptx", src)
	if err != nil {
		return err
	}
	for _, it := range outline.Module().Items {
		if f, ok := it.(*ptx.Func); ok {
			if _, err := r.Func(outline, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// sizes are those of the generated modules that are measured with. The largest
// takes a while to make, and gigabytes: it is left to the command, which
// internal/lab/bench/page holds against its size.
var sizes = []struct {
	name  string
	bytes int
}{{"1KB", 1e3}, {"10KB", 1e4}, {"100KB", 1e5}, {"1MB", 1e6}, {"10MB", 1e7}, {"100MB", 1e8}}

// BenchmarkSizes reads generated modules in both ways: as a whole and body by body.
func BenchmarkSizes(b *testing.B) {
	for _, size := range sizes {
		if testing.Short() && size.bytes > 1e7 {
			continue
		}
		text := bench.Module(1, size.bytes)
		src := string(text)
		run := func(how string, read func() error) {
			b.Run(how+"/"+size.name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if err := read(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("Parse", func() error {
			_, err := ptx.Parse("bench.ptx", text)
			return err
		})
		run("Outline", func() error { return readOutline(new(ptx.Reader), src) })
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
