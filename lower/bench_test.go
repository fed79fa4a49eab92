package lower_test

import (
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// benchModules are a large module, and one that is nearly all calls and
// parameters.
var benchModules = []string{"clang19-large", "clang19-records-words"}

// thousand is a module of 1,000 functions with random signatures.
const thousand = "thousand"

func BenchmarkModule(b *testing.B) {
	target, err := abi.Lookup("sm_90a")
	require.NoError(b, err)
	for _, name := range append(benchModules, thousand) {
		src := bench.Functions(1, 1000)
		if name != thousand {
			src, err = os.ReadFile("../testdata/real/" + name + ".ptx")
			require.NoError(b, err)
		}
		b.Run(name+"/parse", func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ptx.Parse(name, src); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/lower", func(b *testing.B) {
			m := must.Parse(b, name, src)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := lower.Module(m, target, lower.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/text", func(b *testing.B) {
			var out []byte
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				m, err := ptx.Parse(name, src)
				if err != nil {
					b.Fatal(err)
				}
				prog, err := lower.Module(m, target, lower.Options{})
				if err != nil {
					b.Fatal(err)
				}
				out = prog.AppendText(out[:0])
			}
		})
		b.Run(name+"/write", func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if err := lower.Write(io.Discard, string(src), lower.Options{Target: target}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReal is BenchmarkModule for all modules of testdata/real, one after
// the other, each for its own target.
func BenchmarkReal(b *testing.B) {
	type module struct {
		name   string
		src    string
		target *abi.Target
	}
	files := must.Glob(b, "../testdata/real/*.ptx")
	var list []module
	size := 0
	for _, file := range files {
		src := must.Read(b, file)
		m := must.Parse(b, file, src)
		target, err := abi.Lookup(m.Target)
		if err != nil {
			continue // it has not been measured
		}
		list = append(list, module{file, string(src), target})
		size += len(src)
	}
	require.NotEmpty(b, list)
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			for _, one := range list {
				if _, err := ptx.ParseString(one.name, one.src); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportAllocs()
		for b.Loop() {
			for _, one := range list {
				if err := lower.Write(io.Discard, one.src, lower.Options{Target: one.target}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
