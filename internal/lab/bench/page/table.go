package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/ptxabi/ptxabi/internal/lab/bench"
)

// find returns the contender of that name and input; nil if it is not there.
func (s *session) find(name, what string) *contender {
	for _, c := range s.contenders {
		if c.name == name && (what == "" || c.what == what) {
			return c
		}
	}
	return nil
}

// counterpart returns what of ours does what c does, on the same input if c is
// run on it, else on the generated module, which is one and large; nil if
// nothing does.
func (s *session) counterpart(c *contender) *contender {
	if c.against == "" {
		return nil
	}
	if ours := s.find(c.against, c.what); ours != nil {
		return ours
	}
	return s.find(c.against, "generated")
}

// against returns how many times the bytes per second of b those of a are, over
// the inputs that both take; 0 if there are none.
func against(a, b *contender) float64 {
	only := b
	if len(a.inputs) != len(b.inputs) {
		only = nil
	}
	n, t := a.total(only)
	if only != nil {
		only = a
	}
	m, u := b.total(only)
	if n == 0 || m == 0 || t == 0 || u == 0 {
		return 0
	}
	return float64(n) / t / (float64(m) / u)
}

// markdown returns the report; what programs do not take goes into the notes of the session.
func (s *session) markdown() []byte {
	b := fmt.Appendf(nil, "%s, %d cores, %s/%s, %s.\n\n", cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, time.Now().UTC().Format(time.DateOnly))
	b = fmt.Appendf(b, "Generated: 1,000 functions with random signatures, %.1f MB. Real: the %d modules `%s`, a process for each; "+
		"modules that a program does not take are left out of its ratio on both sides. "+
		"Parsers, and go/scanner, are compared with `ptx.ParseString`, all others with `ptxabi lower`, with GOMAXPROCS=1.\n\n",
		float64(len(s.generated.text))/1e6, len(s.real), s.pattern)
	table := bench.Table{{"program", "version", "input", "MB/s", "ours is faster by"}}
	for _, c := range s.contenders {
		bytes, seconds := c.total(nil)
		if bytes == 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s %s (%s): %s", c.name, c.version, c.what, c.failed))
			table = append(table, []string{c.name, c.version, c.what + ", takes none", "", ""})
			continue
		}
		if seconds <= 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s %s takes %d bytes of the %s modules, in less time than the clock can tell; it has no row", c.name, c.version, bytes, c.what))
			continue
		}
		what := c.what
		if n := len(c.excluded); n > 0 {
			what = fmt.Sprintf("%s, %d of %d", what, len(c.inputs)-n, len(c.inputs))
			s.notes = append(s.notes, fmt.Sprintf("%s %s (%s): %s", c.name, c.version, what, c.failed))
		}
		ratio := ""
		if ours := s.counterpart(c); ours != nil {
			ratio = fmt.Sprintf("×%.3g", against(ours, c))
		}
		table = append(table, []string{c.name, c.version, what, fmt.Sprintf("%.3g", float64(bytes)/1e6/seconds), ratio})
	}
	return append(b, table.Markdown()...)
}

// cpuModel says which processor this is.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "a processor that does not say what it is"
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if name, value, _ := strings.Cut(in.Text(), ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "a processor that does not say what it is"
}
