package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/must"
)

// A large module, and one that is nearly all calls and parameters.
var benchModules = []string{"clang19-large", "clang19-records-words"}

func BenchmarkModule(b *testing.B) {
	for _, name := range benchModules {
		src := must.Read(b, "../testdata/real/"+name+".ptx")
		m := must.Parse(b, name, src)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, check.Module(m, check.Options{Lower: true}).Err())
			}
		})
	}
}

// BenchmarkSource is what "ptxabi check -c" does but for reading files.
func BenchmarkSource(b *testing.B) {
	for _, name := range benchModules {
		src := must.Read(b, "../testdata/real/"+name+".ptx")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				_, list := check.Source(name, src, check.Options{Compile: true})
				require.NoError(b, list.Err())
			}
		})
	}
}

// BenchmarkText is what "ptxabi check -c" does but for reading files: bodies are read one
// by one.
func BenchmarkText(b *testing.B) {
	for _, name := range benchModules {
		src := must.Read(b, "../testdata/real/"+name+".ptx")
		text := string(src)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				_, list := check.Text(name, text, check.Options{Compile: true})
				require.NoError(b, list.Err())
			}
		})
	}
}
