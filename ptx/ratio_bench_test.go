package ptx_test

import (
	"slices"
	"testing"
	"time"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
)

// turns are the times of things that are done in turns, so that all of them
// meet the same machine.
type turns [3][]time.Duration

func (t *turns) timed(i int, f func()) {
	start := time.Now()
	f()
	t[i] = append(t[i], time.Since(start))
}

// median returns the seconds that the i-th thing took.
func (t *turns) median(i int) float64 {
	slices.Sort(t[i])
	return t[i][len(t[i])/2].Seconds()
}

// BenchmarkAgainstGoScanner reads real modules, generated ones and Go source in
// turns, so that all meet the same machine, and reports how many times the
// bytes per second of go/scanner the parser reads. The goal is 1.
func BenchmarkAgainstGoScanner(b *testing.B) {
	source, sourceBytes := goSource(b)
	var spent turns
	parse := func(texts ...[]byte) {
		for _, text := range texts {
			if _, err := ptx.Parse("bench.ptx", text); err != nil {
				b.Fatal(err)
			}
		}
	}
	texts, textBytes := realModules(b)
	generated := bench.Functions(1, 1000)
	for b.Loop() {
		spent.timed(0, func() { scanGo(source) })
		spent.timed(1, func() { parse(texts...) })
		spent.timed(2, func() { parse(generated) })
	}
	measure := float64(sourceBytes) / spent.median(0)
	b.ReportMetric(measure/1e6, "go/scanner-MB/s")
	b.ReportMetric(float64(textBytes)/spent.median(1)/measure, "real-ratio")
	b.ReportMetric(float64(len(generated))/spent.median(2)/measure, "generated-ratio")
}

// values are formals with bytes as the convention takes them.
func values(list []ptx.Formal) (out []abi.Value) {
	for i := range list {
		out = append(out, abi.Value{Size: list[i].Size(), Align: list[i].Alignment()})
	}
	return out
}

// BenchmarkAssignAgainstScan assigns the signatures of generated functions and
// walks over the tokens of their heads in turns, and reports how many times as
// long the tokens take. The goal is more than 1.
func BenchmarkAssignAgainstScan(b *testing.B) {
	m := must.Parse(b, "bench.ptx", bench.Functions(1, 1000))
	target := must.Target(b, "sm_80")
	var heads []string
	var sigs []abi.Signature
	for _, it := range m.Items {
		if f, ok := it.(*ptx.Func); ok {
			heads = append(heads, f.Head)
			sigs = append(sigs, abi.Signature{Params: values(f.Params), Results: values(f.Results)})
		}
	}
	var spent turns
	var a abi.Assignment
	b.ReportAllocs()
	for b.Loop() {
		spent.timed(0, func() {
			for _, s := range sigs {
				if err := a.Assign(s, target); err != nil {
					b.Fatal(err)
				}
			}
		})
		spent.timed(1, func() {
			for _, head := range heads {
				ptx.CountTokens(head)
			}
		})
	}
	each := 1e9 / float64(len(sigs))
	b.ReportMetric(spent.median(0)*each, "ns/assignment")
	b.ReportMetric(spent.median(1)*each, "ns/head")
	b.ReportMetric(spent.median(1)/spent.median(0), "ratio")
}
