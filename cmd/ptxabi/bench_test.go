package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// BenchmarkCommands runs whole commands in this process, from a file to a
// discarded output: on the largest real module and on generated ones.
func BenchmarkCommands(b *testing.B) {
	dir := b.TempDir()
	inputs := []struct{ name, path string }{{"real", filepath.Join("..", "..", "testdata", "real", "clang19-large.ptx")}}
	for _, size := range []int{1e3, 1e5, 1e7} {
		path := filepath.Join(dir, fmt.Sprintf("%d.ptx", size))
		require.NoError(b, os.WriteFile(path, bench.Module(1, size), 0o666))
		inputs = append(inputs, struct{ name, path string }{fmt.Sprintf("%dKB", size/1000), path})
	}
	header := filepath.Join(dir, "records.h")
	require.NoError(b, os.WriteFile(header, bench.Header(1, 1000), 0o666))
	for _, in := range inputs {
		for _, args := range [][]string{{"lower"}, {"check", "-c"}, {"assign"}, {"assign", "-format", "json"}} {
			benchCommand(b, strings.Join(args, "")+"/"+in.name, append(args, in.path))
		}
	}
	for _, form := range []string{"text", "json"} {
		benchCommand(b, "layout-"+form, []string{"layout", "-format", form, header})
	}
}

func benchCommand(b *testing.B, name string, args []string) {
	info, err := os.Stat(args[len(args)-1])
	require.NoError(b, err)
	b.Run(name, func(b *testing.B) {
		b.SetBytes(info.Size())
		b.ReportAllocs()
		for b.Loop() {
			e := env{stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
			if status := run(args, e); status != 0 {
				b.Fatalf("%q: exit status %d", args, status)
			}
		}
	})
}
