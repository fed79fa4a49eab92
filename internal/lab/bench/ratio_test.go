package bench_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/effort"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/annotate"
	"github.com/ptxabi/ptxabi/lower"
	"github.com/ptxabi/ptxabi/ptx"
)

// ratios are the speeds of tasks that people wait for, against reading the tokens of the
// same text by go/scanner: so many times as many bytes a second. They are measured and rounded
// down. A program that is half as fast fails; benchstat finds smaller changes.
var ratios = []struct {
	name string
	want float64
	run  func(t *testing.T, text string)
}{
	{"ptx.ParseString", 0.8, func(t *testing.T, text string) {
		_, err := ptx.ParseString("x.ptx", text)
		require.NoError(t, err)
	}},
	{"check.Text", 0.7, func(t *testing.T, text string) {
		_, list := check.Text("x.ptx", text, check.Options{Compile: true})
		require.NoError(t, list.Err())
	}},
	{"lower.Write", 0.17, func(t *testing.T, text string) { lowered(t, sm90(t), text) }},
	{"lower.Write, sass.Reader and annotate", 0.11, func(t *testing.T, text string) {
		target := sm90(t)
		listing := lowered(t, target, text)
		a := annotate.New(annotate.Options{Target: target})
		r := annotate.NewReader("x.sass", bytes.NewReader(listing))
		for {
			s, err := r.Next()
			if s == nil {
				require.Equal(t, io.EOF, err)
				return
			}
			require.NoError(t, err)
			_, err = a.WriteText(io.Discard, s)
			require.NoError(t, err)
		}
	}},
}

func sm90(t *testing.T) *abi.Target {
	t.Helper()
	target := must.Target(t, "sm_90")
	return target
}

func lowered(t *testing.T, target *abi.Target, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, lower.Write(&out, text, lower.Options{Target: target, Workers: runtime.GOMAXPROCS(0)}))
	return out.Bytes()
}

// TestRatios measures them in turns, and takes the best of each.
func TestRatios(t *testing.T) {
	effort.NeedLong(t, "measures speed")
	src := bench.Functions(1, 300)
	text := string(src)
	reference := func() {
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile("x", -1, len(src)), src, func(token.Position, string) {}, 0)
		for tok := token.ILLEGAL; tok != token.EOF; _, tok, _ = s.Scan() {
		}
	}
	timed := func(run func()) time.Duration {
		start := time.Now()
		run()
		return time.Since(start)
	}
	// On a machine that does other things too, what takes memory is slower for some rounds: more
	// rounds distinguish that from slow code.
	const rounds, most = 10, 100
	var base []time.Duration
	times := make([][]time.Duration, len(ratios))
	ratio := func(k int) float64 { return float64(slices.Min(base)) / float64(slices.Min(times[k])) }
	for i := 0; i < most; i++ {
		base = append(base, timed(reference))
		slow := false
		for k, r := range ratios {
			times[k] = append(times[k], timed(func() { r.run(t, text) }))
			slow = slow || ratio(k) <= r.want/2
		}
		if i >= rounds && !slow {
			break
		}
	}
	for k, r := range ratios {
		got := ratio(k)
		t.Logf("%s: ×%.2f of go/scanner", r.name, got)
		assert.Greater(t, got, r.want/2, "%s is half as fast as it was, or less", r.name)
	}
}
