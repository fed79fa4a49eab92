// Command large writes the C source of the large module of this corpus: records of every shape, functions
// that pass them to each other, kernels that begin it all. The same seed gives the same bytes.
//
//	go run ./large >large.c
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the random choices")
	records := flag.Int("records", 48, "number of record types")
	functions := flag.Int("functions", 240, "number of functions, kernels not counted")
	flag.Parse()

	out := bufio.NewWriter(os.Stdout)
	write(out, *seed, *records, *functions)
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "large:", err)
		os.Exit(1)
	}
}

// write writes a module with the given number of record types and functions to out. Errors are left to
// the writer, which keeps the first one.
func write(out io.Writer, seed uint64, records, functions int) {
	g := &generator{rand: rand.New(rand.NewPCG(seed, 0)), out: out}
	g.printf("// Written by large, seed %d.\n\n", seed)
	g.printf("#define NOINLINE __attribute__((noinline))\n#define KERNEL __attribute__((nvptx_kernel)) void\n\n")
	for range records {
		g.record()
	}
	g.printf("\nint awayVariadic(int, ...);\n\n")
	for i := range functions {
		g.function()
		if i%40 == 39 {
			g.kernel()
		}
	}
}

// generator holds what the module has so far.
type generator struct {
	rand      *rand.Rand
	out       io.Writer
	records   []*record
	functions []*function
	kernels   int
	indent    int
}

func (g *generator) printf(format string, args ...any) {
	fmt.Fprintf(g.out, format, args...)
}

// line writes one statement at the current depth.
func (g *generator) line(format string, args ...any) {
	g.printf("%*s%s\n", 2*g.indent, "", fmt.Sprintf(format, args...))
}

// chance is true in one of n cases.
func (g *generator) chance(n int) bool { return g.rand.IntN(n) == 0 }

// pick returns one element of s, which must not be empty.
func pick[T any](g *generator, s []T) T { return s[g.rand.IntN(len(s))] }
