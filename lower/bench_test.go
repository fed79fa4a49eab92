package lower_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/bench"
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
			m, err := ptx.Parse(name, src)
			require.NoError(b, err)
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
				if out, err = lower.AppendText(out[:0], m, target, lower.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/heads", func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				m, err := new(ptx.Reader).Heads(name, string(src))
				if err != nil {
					b.Fatal(err)
				}
				if _, ok, err := lower.Heads(m, target, lower.Options{}); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}
