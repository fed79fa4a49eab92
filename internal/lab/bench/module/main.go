// Module writes a PTX module to measure with to standard output, or a listing of machine code.
//
//	go run ./internal/lab/bench/module -functions 1000 > thousand.ptx
//	go run ./internal/lab/bench/module -size 100000000 > large.ptx
//	go run ./internal/lab/bench/module -shape calls -n 1000000 > calls.ptx
//	go run ./internal/lab/bench/module -shape jumps -n 100000 > jumps.sass
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

func main() {
	functions := flag.Int("functions", 0, "a module of this many functions")
	size := flag.Int("size", 0, "a module of about this many bytes")
	shape := flag.String("shape", "", "a module of a shape that is hard on an algorithm; \"list\" lists them")
	n := flag.Int("n", 0, "how many of what the shape has many of")
	seed := flag.Uint64("seed", 1, "what decides everything random")
	flag.Parse()
	text, err := module(*functions, *size, *shape, *n, *seed)
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(2)
	}
}

func module(functions, size int, shape string, n int, seed uint64) ([]byte, error) {
	switch {
	case functions > 0:
		return bench.Functions(seed, functions), nil
	case size > 0:
		return bench.Module(seed, size), nil
	case shape == "list":
		var list []byte
		for _, s := range slices.Concat(bench.Shapes, bench.Listings) {
			list = fmt.Appendf(list, "%-10s %s\n", s.Name, s.What)
		}
		return list, nil
	case shape != "" && n > 0:
		for _, s := range slices.Concat(bench.Shapes, bench.Listings) {
			if s.Name == shape {
				return s.Text(n), nil
			}
		}
		return nil, fmt.Errorf("no shape %q; -shape list says which there are", shape)
	}
	return nil, fmt.Errorf("one of -functions, -size and -shape with -n, each above 0, says what to write")
}
