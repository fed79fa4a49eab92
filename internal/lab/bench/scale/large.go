package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// less is by how much the smaller module of a pair is smaller.
const less = 8

// large runs a command on each shape that has a size for commands, and on an eighth
// of it, and judges by what factor the time grows. It runs on one core: on more, the
// processor time has that of a collector in it which takes cores that nothing else wants.
func large(command string, shapes []bench.Shape, only string, count int, tolerance float64) (text []byte, ok bool, err error) {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return nil, false, err
	}
	skipped := func(s bench.Shape) bool { return s.Large == 0 || !wanted.MatchString(s.Name) }
	shapes = slices.DeleteFunc(slices.Clone(shapes), skipped)
	if len(shapes) == 0 {
		return nil, false, fmt.Errorf("no shape is called %s", only)
	}
	dir, program, module, err := programs()
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	text = fmt.Appendf(nil, "`ptxabi %s`, %s, on one core, the fastest of %d runs, tolerance %g.\n\n", command, runtime.Version(), count, tolerance)
	table := bench.Table{{"shape", "parts", "input", "processor", "MB/s of processor", "peak memory", "input grows", "time grows", "verdict"}}
	ok = true
	for _, s := range shapes {
		var sizes [2]float64
		var costs [2]cost
		for i, n := range []int{s.Large / less, s.Large} {
			file := filepath.Join(dir, "shape")
			if sizes[i], err = write(file, module, "-shape", s.Name, "-n", fmt.Sprint(n)); err != nil {
				return nil, false, err
			}
			if costs[i], err = fastest(count, program, []string{command, file}, "GOMAXPROCS=1"); err != nil {
				return nil, false, err
			}
			if err := os.Remove(file); err != nil {
				return nil, false, err
			}
		}
		row, linear := largeRow(&s, sizes, costs, tolerance)
		ok = ok && linear
		table = append(table, row)
	}
	return append(text, table.Markdown()...), ok, nil
}

// largeRow is the row of a shape. The time may grow as the input does, within the
// tolerance.
func largeRow(s *bench.Shape, sizes [2]float64, costs [2]cost, tolerance float64) (row []string, linear bool) {
	work, time := sizes[1]/sizes[0], costs[1].cpu.Seconds()/costs[0].cpu.Seconds()
	linear = time <= work*tolerance
	verdict := "linear"
	if !linear {
		verdict = "TOO SLOW"
	}
	return []string{
		s.Name, fmt.Sprint(s.Large), fmt.Sprintf("%.1f MB", sizes[1]/1e6), fmt.Sprintf("%.2f s", costs[1].cpu.Seconds()),
		fmt.Sprintf("%.1f", sizes[1]/1e6/costs[1].cpu.Seconds()),
		fmt.Sprintf("%.0f MB", float64(costs[1].peak)/1e6), fmt.Sprintf("×%.1f", work), fmt.Sprintf("×%.1f", time), verdict,
	}, linear
}
