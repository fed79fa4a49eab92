package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// smallest is a module that every assembler takes and in which there is nothing
// to do: what a program takes for it is the cost of its start and its end.
const smallest = `.version 7.0
.target sm_80
.address_size 64

.visible .func f()
{
	ret;
}
`

// startOnly is what a contender reads that tells the cost of a start.
const startOnly = "the smallest module"

// programs adds a program for the generated module and for the real ones, a
// process for each, and for the smallest module.
func (s *session) programs(name, version, against string, command func(in *input) *exec.Cmd) {
	run := func(in *input) (time.Duration, error) { return process(command(in)) }
	s.both(name, version, against, run)
	s.starts(name, version, &input{filepath.Join(s.dir, "smallest.ptx"), []byte(smallest)}, command)
}

// starts adds a program for an input that there is nothing to do with.
func (s *session) starts(name, version string, in *input, command func(in *input) *exec.Cmd) {
	s.add(&contender{name: name, version: version, what: startOnly, inputs: []input{*in}, run: func(int) (time.Duration, error) {
		if err := os.WriteFile(in.file, in.text, 0o666); err != nil {
			return 0, err
		}
		return process(command(in))
	}})
}

// nothing adds a program of Go that does nothing: no command in Go starts faster.
func (s *session) nothing(version string) error {
	dir := filepath.Join(s.dir, "nothing")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for name, text := range map[string]string{"go.mod": "module nothing\n", "main.go": "package main\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	program := filepath.Join(dir, "nothing.exe")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	s.starts("a program in Go that does nothing", version, &input{filepath.Join(dir, "unread.ptx"), []byte(smallest)}, func(*input) *exec.Cmd {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		return cmd
	})
	return nil
}

// startOf returns the seconds of the processor that a start of the program of c
// takes; 0 if c is none.
func (s *session) startOf(c *contender) float64 {
	for _, x := range s.contenders {
		if x.what == startOnly && x.name == c.name && x.version == c.version {
			_, seconds := x.total(nil)
			return seconds
		}
	}
	return 0
}

// lessStarts is against, of the times less those of the starts; 0 where nothing is
// left of one.
func (s *session) lessStarts(a, b *contender) float64 {
	return compare(a, b, func(c, only *contender) (bytes int, seconds float64) {
		bytes, seconds = c.total(only)
		return bytes, max(seconds-float64(c.taken(only))*s.startOf(c), 0)
	})
}

// startTables returns what starts cost, and the assemblers without them.
func (s *session) startTables() []byte {
	costs := bench.Table{{"program", "version", "start"}}
	for _, c := range s.contenders {
		if _, seconds := c.total(nil); c.what == startOnly && seconds > 0 {
			costs = append(costs, []string{c.name, c.version, fmt.Sprintf("%.1f ms", seconds*1e3)})
		}
	}
	less := bench.Table{{"against", "version", "input", "`lower`, starts and all", "`lower`, both less their starts", "`lower.Write` against it less its starts"}}
	for _, c := range s.contenders {
		if !strings.Contains(c.name, "ptxas") || c.what == startOnly || c.taken(nil) == 0 {
			continue
		}
		row := []string{c.name, c.version, c.what}
		for _, ratio := range []float64{
			s.held(against, lowerName, c), s.held(s.lessStarts, lowerName, c), s.held(s.lessStarts, inProcessName, c),
		} {
			if ratio == 0 {
				row = append(row, "")
				continue
			}
			row = append(row, fmt.Sprintf("×%.3g", ratio))
		}
		less = append(less, row)
	}
	b := fmt.Appendf(nil, "What a process costs that has nothing to do, on a module of %d bytes with one empty function:\n\n%s\n", len(smallest), costs.Markdown())
	if len(less) > 1 {
		b = fmt.Appendf(b, "The assemblers once more. The first ratio is that of the table above; in the second the time of each process is less "+
			"that of a start, on both sides; the third holds the library, which has none, against the assembler's time less its starts:\n\n%s\n", less.Markdown())
	}
	return b
}

// held compares what of ours has that name with c, on the same input; 0 if it is
// not there.
func (s *session) held(by func(a, b *contender) float64, name string, c *contender) float64 {
	ours := s.find(name, c.what)
	if ours == nil {
		return 0
	}
	return by(ours, c)
}
