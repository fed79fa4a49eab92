//go:build unix

package lsp

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// processor is the time that this process has had of processors, in milliseconds.
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Sec+u.Stime.Sec)*1e3 + float64(u.Utime.Usec+u.Stime.Usec)/1e3
}

// BenchmarkAnswer is what an answer after a key in a module of 4 MB costs, however busy the machine is: without the
// server around it, and the check that follows.
func BenchmarkAnswer(b *testing.B) {
	src := large()
	line := strings.Count(src[:strings.Index(src[len(src)/2:], ".visible")+len(src)/2], "\n") // the head of a function
	p := &params{Position: position{line, len(".visible .func f1")}, Range: span{position{line, 0}, position{line + 100, 0}}}
	key := []contentChange{{Range: &span{position{6, 0}, position{6, 0}}, Text: " "}}
	for method, answer := range answers {
		if method == "textDocument/formatting" {
			continue // which nothing asks for after each key
		}
		b.Run(strings.TrimPrefix(method, "textDocument/"), func(b *testing.B) {
			text := newText(src, false)
			before := processor(b)
			for b.Loop() {
				text = text.apply(key)
				_, err := json.Marshal(answer(newAnalysis("file:///x", text, configuration{}), p))
				require.NoError(b, err)
			}
			b.ReportMetric((processor(b)-before)/float64(b.N), "cpu-ms/op")
		})
	}
}
