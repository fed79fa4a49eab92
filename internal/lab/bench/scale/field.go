package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/cubin"
	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// A described is what assign says of the cubins of a library.
type described struct {
	Cubins, Kernels, Params int
	Named                   int // parameters with a type, from PTX, debug information or a mangled name
	Wrong                   int // parameters that are not as the records have them, and those that are lost
}

// fieldColumns are those of assign, images, stack and link on each library.
var fieldColumns = []string{"library", "MB", "cubins", "kernels", "parameters", "with a type", "not as recorded", "assign, s", "MB", "images, s", "MB", "stack, s", "MB", "link, s", "MB"}

// field is the row of one library.
func field(program string, x extract, count int) ([]string, error) {
	d, file := x.Described, x.file
	row := []string{filepath.Base(file), fmt.Sprintf("%.0f", float64(x.Size)/1e6)}
	for _, n := range []int{d.Cubins, d.Kernels, d.Params, d.Named, d.Wrong} {
		row = append(row, fmt.Sprint(n))
	}
	for _, args := range [][]string{{"assign", "-format", "jsonl", file}, {"images", file}, {"stack", file}, {"link", file}} {
		best, err := fastest(count, program, args)
		if err != nil {
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
				return nil, err
			}
			fmt.Fprintln(os.Stderr, "scale:", err)
			row = append(row, "failed", "")
			continue
		}
		row = append(row, fmt.Sprintf("%.1f", best.cpu.Seconds()), fmt.Sprintf("%.0f", float64(best.peak)/1e6))
	}
	return row, nil
}

// describe holds what assign says of a library against the records of its cubins.
func describe(program, file string, images []cubin.Image) (d described, err error) {
	counts := make(map[string]int) // of a parameter: how often it is recorded more than it is printed
	for _, m := range images {
		if m.Kind != cubin.Cubin {
			continue
		}
		contents, err := m.Contents()
		if err != nil {
			return d, err
		}
		f, err := cubin.Open(contents)
		if err != nil {
			return d, err
		}
		d.Cubins++
		for _, fn := range f.Functions {
			if fn.Kernel {
				d.Kernels++
				for _, p := range fn.Params {
					counts[fmt.Sprint(strings.TrimRight(m.Arch, "af"), fn.Name, " ", p.Ordinal, " ", uint16(p.Offset), " ", p.Size)]++
				}
			}
		}
	}
	cmd := exec.Command(program, "assign", "-format", "jsonl", file)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return d, err
	}
	in := bufio.NewScanner(out)
	in.Buffer(nil, 1<<30)
	for in.Scan() {
		var line struct {
			Result struct {
				Kind, Target string
				Functions    []struct {
					Name, Kind string
					Params     []struct {
						Type, Declared string
						Offset, Size   uint64
					}
				}
			}
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			return d, err
		}
		for _, f := range line.Result.Functions {
			if line.Result.Kind != "cubin" || f.Kind != "entry" {
				continue
			}
			for i, p := range f.Params {
				d.Params++
				if p.Type != "" {
					d.Named++
				}
				counts[fmt.Sprint(strings.TrimRight(line.Result.Target, "af"), f.Name, " ", i, " ", p.Offset, " ", p.Size)]--
			}
		}
	}
	for _, k := range counts {
		d.Wrong += max(k, -k)
	}
	return d, errors.Join(in.Err(), cmd.Wait())
}

// fieldTable is the table of all rows.
func fieldTable(rows [][]string) []byte { return append(bench.Table{fieldColumns}, rows...).Markdown() }
