package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// several runs lower on one core, two, four and so on up to all, and says what
// that gains by the clock. It is an error if not the same bytes come out.
func several(largest, count int) (text []byte, err error) {
	dir, program, module, err := programs()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	text = fmt.Appendf(nil, "%s, %d cores, the fastest of %d runs of each, in turns.\n\n", runtime.Version(), runtime.NumCPU(), count)
	table := bench.Table{{"command", "input", "cores", "wall", "processor", "gain by the clock", "output, SHA-256"}}
	for _, mb := range steps(largest) {
		file := filepath.Join(dir, fmt.Sprintf("%d.ptx", mb))
		if _, err := write(file, module, "-size", fmt.Sprint(mb*1_000_000)); err != nil {
			return nil, err
		}
		list := coreCounts(runtime.NumCPU())
		best := make([]coreRun, len(list))
		for range count {
			for i, cores := range list {
				run, err := onCores(cores, program, "lower", file)
				if err != nil {
					return nil, err
				}
				if best[i].sum != "" && best[i].sum != run.sum || run.sum != best[0].sum && i > 0 {
					return nil, fmt.Errorf("ptxabi lower of %d MB with %d cores: other bytes come out than with 1", mb, cores)
				}
				if best[i].sum == "" || run.wall < best[i].wall {
					best[i] = run
				}
			}
		}
		for i, cores := range list {
			table = append(table, []string{
				"`ptxabi lower`", fmt.Sprintf("%d MB", mb), fmt.Sprint(cores), fmt.Sprintf("%.3f s", best[i].wall.Seconds()),
				fmt.Sprintf("%.3f s", best[i].cpu.Seconds()), fmt.Sprintf("×%.2f", best[0].wall.Seconds()/best[i].wall.Seconds()), best[i].sum[:16] + "…",
			})
		}
	}
	return append(text, table.Markdown()...), nil
}

// A coreRun is one run of a command, and a hash of what it wrote.
type coreRun struct {
	wall, cpu time.Duration
	sum       string
}

// onCores runs a program with so many cores to run Go code on.
func onCores(cores int, program string, args ...string) (coreRun, error) {
	var stderr bytes.Buffer
	sum := sha256.New()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", cores))
	cmd.Stdout, cmd.Stderr = sum, &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return coreRun{}, fmt.Errorf("%s: %w\n%.2000s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	wall := time.Since(start)
	return coreRun{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), fmt.Sprintf("%x", sum.Sum(nil))}, nil
}

// coreCounts are the powers of two up to all cores, and all.
func coreCounts(all int) (list []int) {
	for n := 1; n < all; n *= 2 {
		list = append(list, n)
	}
	return append(list, all)
}
