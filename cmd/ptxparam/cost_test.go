package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCost generates from texts of some shapes, and from others with eight times as much: memory grows as they do. That of cmd/ptxabi
// is over what reads them.
func TestCost(t *testing.T) {
	each := func(n int, text string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	for _, s := range []struct {
		file, args string
		n          int
		text       func(n int) string
		says       string // of the larger one
	}{
		{"x.cu", "-kernel all -o x.py", 40, func(n int) string { return each(n, "struct t#{int x;};__global__ void k(t# a){}\n") }, ""},
		{"x.cu", "-kernel all -o x.rs", 40, func(n int) string { return each(n, "__global__ void k#(int a){}\n") }, ""},
		{"x.cu", "-kernel all -pkg x -o x.go", 300, func(n int) string {
			return "struct s{" + each(n, "int x#;") + "};" + each(n, "__global__ void k#(s a){}\n")
		}, "take more than 65536 fields in all; generate several files, of kernels that -kernel names"},
		{"x.ptx", "-kernel all -o x.py", 40, func(n int) string {
			return ".version 8.7\n.target sm_90\n.address_size 64\n" + each(n, ".visible .entry k#(.param .b32 a){ret;}\n")
		}, ""},
		{"x.go", "-type T -o x_param.go", 40, func(n int) string { return "package x\ntype T struct{" + each(n, "A# int32;") + "}\n" }, ""},
	} {
		var bytes [2]uint64
		for i := range bytes {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, s.file), []byte(s.text(s.n*(1+7*i))), 0o666))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, stderr, _ := invoke(dir, append(strings.Fields(s.args+" -rules sysv -target sm_90"), s.file)...)
			runtime.ReadMemStats(&after)
			bytes[i] = after.TotalAlloc - before.TotalAlloc
			if s.says == "" {
				assert.Empty(t, stderr)
			} else {
				assert.Contains(t, stderr, s.says)
			}
		}
		t.Logf("%-6s %-28s %12d %12d", s.file, s.args, bytes[0], bytes[1])
		assert.Less(t, bytes[1], 12*bytes[0]+1<<20, "%s of %s", s.args, s.file)
	}
}
