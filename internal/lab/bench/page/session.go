package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
	"github.com/ptxabi/ptxabi/internal/lab/oracle"
	"github.com/ptxabi/ptxabi/ptx"
)

// An input is a text that contenders read.
type input struct {
	file string
	text []byte
}

// A contender does one thing, to one input or several.
type contender struct {
	name, version string
	what          string // what it reads
	inputs        []input
	// against is the name of what of ours does the same; "" if nothing does.
	against string
	// run does it once to the i-th input and says how long that took.
	run func(i int) (time.Duration, error)

	times [][]time.Duration // of each input, a round each
	// failed is why it is not in the table, or which inputs are not in the sum.
	failed   string
	excluded map[int]bool
}

// A session is one run of this program.
type session struct {
	dir, program string // program: ptxabi, built of this tree
	pattern      string // of the real modules' names
	generated    input
	real         []input
	contenders   []*contender
	notes        []string
}

// names of contenders that others are held against.
const (
	parseName = "`ptx.ParseString`"
	lowerName = "`ptxabi lower`"
	checkName = "`ptxabi check -c`"
	// The command without its start, which is most of it on small modules.
	inProcessName = "`lower.Write`, text to text"
	goName        = "`go/scanner`, scanning alone"
)

func newSession(dir, pattern string) (*session, error) {
	program, err := build(dir, "cmd/ptxabi")
	if err != nil {
		return nil, err
	}
	s := &session{dir: dir, pattern: filepath.ToSlash(pattern), program: program}
	s.generated = input{filepath.Join(dir, "thousand.ptx"), bench.Functions(1, 1000)}
	if err := os.WriteFile(s.generated.file, s.generated.text, 0o666); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		s.real = append(s.real, input{f, text})
	}
	if len(s.real) == 0 {
		return nil, fmt.Errorf("no modules at %s; run this in the root of the repository", pattern)
	}
	return s, s.ours()
}

func (s *session) add(c *contender) {
	c.times = make([][]time.Duration, len(c.inputs))
	c.excluded = make(map[int]bool)
	s.contenders = append(s.contenders, c)
}

// both adds a contender for the generated module and one for the real ones.
func (s *session) both(name, version, against string, run func(in *input) (time.Duration, error)) {
	for _, of := range []struct {
		what   string
		inputs []input
	}{{"generated", []input{s.generated}}, {"real", s.real}} {
		s.add(&contender{name: name, version: version, what: of.what, inputs: of.inputs, against: against, run: func(i int) (time.Duration, error) {
			return run(&of.inputs[i])
		}})
	}
}

// ours adds this project's own ways to read and lower, and go/scanner.
func (s *session) ours() error {
	version := runtime.Version()
	for _, name := range []string{parseName, inProcessName} {
		s.both(name, version, "", func(in *input) (time.Duration, error) { return alone(name, in.file) })
	}
	for _, name := range []string{lowerName, checkName} {
		args := strings.Fields(strings.Trim(name, "`"))[1:]
		s.programs(name, version, "", func(in *input) *exec.Cmd {
			cmd := exec.Command(s.program, append(args[:len(args):len(args)], in.file)...)
			cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
			return cmd
		})
	}
	return s.scanner()
}

// programs adds a program for the generated module and for the real ones, a process for each.
func (s *session) programs(name, version, against string, command func(in *input) *exec.Cmd) {
	s.both(name, version, against, func(in *input) (time.Duration, error) {
		c, err := process(command(in))
		return c.cpu, err
	})
}

// toolkits adds the assemblers.
func (s *session) toolkits() error {
	tools, err := oracle.Find()
	if err != nil {
		return err
	}
	if len(tools.Toolkits) == 0 {
		s.notes = append(s.notes, "ptxas: "+oracle.NotFound)
	}
	cubin := filepath.Join(s.dir, "out.cubin")
	for _, tk := range tools.Toolkits {
		s.programs("`ptxas -c -O0`", tk.Version.String(), lowerName, func(in *input) *exec.Cmd {
			arch := "sm_80"
			if m, _ := ptx.Parse(in.file, in.text); m.Target != "" {
				arch = m.Target
			}
			return exec.Command(tk.Ptxas, "-c", "-O0", "-arch", arch, in.file, "-o", cubin)
		})
	}
	return nil
}

// round runs all contenders once. One that fails on an input does without it
// from then on; with none left it is out.
func (s *session) round() {
	for _, c := range s.contenders {
		for i := range c.inputs {
			if c.excluded[i] {
				continue
			}
			d, err := c.run(i)
			if err != nil {
				c.excluded[i] = true
				c.failed = firstLine(err.Error())
				continue
			}
			c.times[i] = append(c.times[i], d)
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > 200 {
		line = strings.ToValidUTF8(line[:200], "") + "…"
	}
	return line
}

// total returns the bytes of the inputs that c takes and that only, if not
// nil, takes too, and the sum of the median times.
func (c *contender) total(only *contender) (bytes int, seconds float64) {
	for i := range c.inputs {
		if c.excluded[i] || only != nil && only.excluded[i] {
			continue
		}
		slices.Sort(c.times[i])
		bytes += len(c.inputs[i].text)
		seconds += c.times[i][len(c.times[i])/2].Seconds()
	}
	return bytes, seconds
}
