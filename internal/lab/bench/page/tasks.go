package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// A task is something that a user waits for.
type task struct {
	name   string
	size   float64 // bytes of its input; 0 if they do not count
	run    func() (cost, error)
	clock  time.Duration // goals; 0 for none
	memory float64       // in sizes of the input
}

// firsts are the commands with a small input each, in the root of the repository.
var firsts = []string{
	"assign docs/images/bar.ptx", "check -c docs/images/bar.ptx", "lower docs/images/bar.ptx", "layout examples/header/sim.h",
	"annotate examples/drift/step.sass", "verify examples/drift/step.cubin examples/drift/step.ptx",
	"diff examples/drift/step.ptx examples/drift/step.ptx", "link examples/recursion/main.cubin examples/recursion/walk.cubin",
	"stack examples/recursion/tree.cubin", "adapt -from numba -to clang examples/adapt/norm.h", "export -lang c", "targets sm_90",
	"explain F5", "images examples/drift/step.cubin", "compare examples/compare/add.ptx examples/compare/add.sass",
}

// The sizes of the tasks that have many of something.
const (
	requests  = 10_000
	structs   = 300
	inPackage = 10
)

// count is how many runs of a task are made, of which the fastest counts.
const count = 3

// waits measures what users wait for: by the clock, the fastest of some runs.
func waits(dir, library string) ([]byte, error) {
	program, err := build(dir, "cmd/ptxabi")
	if err != nil {
		return nil, err
	}
	packer, err := build(dir, "cmd/ptxparam")
	if err != nil {
		return nil, err
	}
	module, err := build(dir, "internal/lab/bench/module")
	if err != nil {
		return nil, err
	}
	var list []task
	for _, line := range firsts {
		args := strings.Fields(line)
		list = append(list, task{
			name: "first answer of `" + args[0] + "`", clock: 10 * time.Millisecond,
			run: func() (cost, error) { return fastest(5*count, "", program, args...) },
		})
	}
	for _, bytes := range []int{1_000, 1_000_000, 100_000_000} {
		file := filepath.Join(dir, fmt.Sprintf("%d.ptx", bytes))
		size, err := generated(file, module, "-size", strconv.Itoa(bytes))
		if err != nil {
			return nil, err
		}
		for _, args := range [][]string{{"check", "-c"}, {"assign"}, {"lower"}} {
			t := task{
				name: fmt.Sprintf("`%s` of %s", strings.Join(args, " "), inBytes(size)), size: size,
				run: func() (cost, error) { return fastest(count, "", program, append(args[:len(args):len(args)], file)...) },
			}
			switch bytes {
			case 1_000:
				t.clock = 10 * time.Millisecond
			case 1_000_000:
				t.clock = 30 * time.Millisecond
			default:
				t.clock, t.memory = time.Second, 3
			}
			list = append(list, t)
		}
	}
	if library != "" {
		info, err := os.Stat(library)
		if err != nil {
			return nil, err
		}
		size := float64(info.Size())
		list = append(list, task{
			name: fmt.Sprintf("`assign` of a library, %s of %s", filepath.Base(library), inBytes(size)), size: size,
			clock: time.Duration(size / 400e6 * float64(time.Second)), run: func() (cost, error) { return fastest(count, "", program, "assign", library) },
		})
	}
	edited := filepath.Join(dir, "edited.ptx")
	if _, err := generated(edited, module, "-size", strconv.Itoa(4_000_000)); err != nil {
		return nil, err
	}
	list = append(list,
		task{name: fmt.Sprintf("`batch` of %d requests", requests), run: func() (cost, error) { return batch(program) }},
		task{name: fmt.Sprintf("`ptxparam -check ./...` of %d structs in %d packages", structs, structs/inPackage), run: func() (cost, error) { return checked(dir, packer) }},
		task{name: "a key in the editor, 4 MB of PTX, and an answer after it", clock: 16 * time.Millisecond, run: func() (cost, error) { return key(program, edited, 10*count) }})
	text := fmt.Appendf(nil, "%s, %d cores, by the clock, the fastest of %d runs or more.\n\n", runtime.Version(), runtime.NumCPU(), count)
	table, err := held(list)
	return append(text, table.Markdown()...), err
}

// generated writes the output of a program to a file, and returns its size in bytes. Modules are made by a process
// of its own: the peak that the system reports for a child is at least its parent's.
func generated(file, program string, args ...string) (size float64, err error) {
	text, err := os.Create(file)
	if err != nil {
		return 0, err
	}
	defer text.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = text, os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%v: %w", cmd.Args, err)
	}
	info, err := text.Stat()
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}

// held runs the tasks and holds each against its goals.
func held(list []task) (bench.Table, error) {
	table := bench.Table{{"what", "clock", "peak memory", "goal"}}
	for _, t := range list {
		c, err := t.run()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		var goals []string
		if t.clock != 0 {
			goals = append(goals, inTime(t.clock))
		}
		if t.memory != 0 {
			goals = append(goals, fmt.Sprintf("%g times the input", t.memory))
		}
		if t.clock != 0 && c.wall > t.clock || t.memory != 0 && float64(c.peak) > t.memory*t.size {
			goals = append(goals, "**missed**")
		}
		row := []string{t.name, inTime(c.wall), "", strings.Join(goals, ", ")}
		if c.peak != 0 {
			row[2] = inBytes(float64(c.peak))
		}
		table = append(table, row)
	}
	return table, nil
}

// batch answers requests that a build may make: the places of a signature each.
func batch(program string) (cost, error) {
	var b strings.Builder
	for i := range requests {
		fmt.Fprintf(&b, "{\"id\": %d, \"args\": [\"assign\", \"-target\", \"sm_90\", \"-sig\", \"func(4@4,%d@8)\"]}\n", i, 8+8*(i%8))
	}
	cmd := exec.Command(program, "batch")
	cmd.Stdin = strings.NewReader(b.String())
	return process(cmd)
}

// checked generates packers for structs, and measures the check that nothing is stale.
func checked(dir, packer string) (cost, error) {
	root := filepath.Join(dir, "structs")
	if err := os.Mkdir(root, 0o777); err != nil {
		return cost{}, err
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.org/structs\n\ngo 1.22\n"), 0o666); err != nil {
		return cost{}, err
	}
	for n := 0; n < structs; n += inPackage {
		var b strings.Builder
		fmt.Fprintf(&b, "package p%d\n", n)
		for i := n; i < n+inPackage; i++ {
			fmt.Fprintf(&b, "\n//go:generate ptxparam -type=S%d -o=s%d_param.go\ntype S%d struct {\n\tA int32\n\tB float64\n\tC [%d]uint16\n}\n", i, i, i, i%7+1)
		}
		folder := filepath.Join(root, fmt.Sprintf("p%d", n))
		if err := os.Mkdir(folder, 0o777); err != nil {
			return cost{}, err
		}
		if err := os.WriteFile(filepath.Join(folder, "s.go"), []byte(b.String()), 0o666); err != nil {
			return cost{}, err
		}
	}
	if _, err := fastest(1, root, packer, "./..."); err != nil {
		return cost{}, err
	}
	return fastest(count, root, packer, "-check", "./...")
}

func inTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.3g ms", float64(d.Microseconds())/1e3)
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}

func inBytes(n float64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.3g KB", n/1e3)
	}
	return fmt.Sprintf("%.0f MB", n/1e6)
}
