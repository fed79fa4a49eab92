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

// markdown returns the report.
func (s *session) markdown() []byte {
	b := fmt.Appendf(nil, "%s, %d cores, %s/%s, %s.\n\n", cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, time.Now().UTC().Format(time.DateOnly))
	b = fmt.Appendf(b, "Generated: 1,000 functions with random signatures, %.1f MB. Real: the %d modules `%s`, a process for each. "+
		"Parsers, and go/scanner, are held against `ptx.ParseString`, all others against `ptxabi lower`. "+
		"Ours have GOMAXPROCS=1, and the command is built with CGO_ENABLED=0.\n\n",
		float64(len(s.generated.text))/1e6, len(s.real), s.pattern)
	table := bench.Table{{"program", "version", "input", "MB/s", "ours is faster by"}}
	for _, c := range s.contenders {
		bytes, seconds := c.total(nil)
		if bytes == 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s %s takes none of the modules (%s): %s", c.name, c.version, c.what, c.failed))
			continue
		}
		if seconds <= 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s %s takes %d bytes of the %s modules, in less time than the clock can tell; it has no row", c.name, c.version, bytes, c.what))
			continue
		}
		if n := len(c.excluded); n > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s %s does not take %d of the %d %s modules, which its row leaves out on both sides; the last diagnostic: %s",
				c.name, c.version, n, len(c.inputs), c.what, c.failed))
		}
		ratio := ""
		if ours := s.counterpart(c); ours != nil {
			ratio = fmt.Sprintf("×%.3g", against(ours, c))
		}
		table = append(table, []string{c.name, c.version, c.what, fmt.Sprintf("%.3g", float64(bytes)/1e6/seconds), ratio})
	}
	b = append(append(b, table.Markdown()...), '\n')
	for _, n := range s.notes {
		b = fmt.Appendf(b, "- %s\n", strings.ReplaceAll(n, s.dir, ""))
	}
	return b
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
