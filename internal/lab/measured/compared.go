package measured

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Comparison is how many random signatures ptxabi measure has compared with
// one release of the assembler, for one target.
type Comparison struct {
	Ptxas  string // "12.4.131"
	Target string
	Bits   int    // of an address
	Level  string // of optimisation: "-O0"; "" for -O1, where most is compared
	// Signatures were compared in so many Pieces; Disputed ones were left out,
	// since releases contradict each other. Differences is how many were placed
	// otherwise than package abi says. They are sums over Seeds.
	Signatures, Pieces, Disputed, Differences int
	Seeds                                     []uint64
	// Missing says why there is no comparison; "" where there is one.
	Missing string
}

// Compared reads lines that ptxabi measure printed, of any number of runs. Lines
// that begin with # are comments. What was compared with several seeds is added
// up; the result is ordered as its lines are. The error says which line is none
// of measure's, or repeats what was compared already.
func Compared(text string) ([]Comparison, error) {
	var all []Comparison
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "ptxas ") {
			continue
		}
		c, err := compared(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		i := slices.IndexFunc(all, func(o Comparison) bool {
			return o.Ptxas == c.Ptxas && o.Target == c.Target && o.Bits == c.Bits && o.Level == c.Level && o.Missing == c.Missing
		})
		if i < 0 {
			all = append(all, c)
			continue
		}
		o := &all[i]
		if c.Missing == "" && slices.Contains(o.Seeds, c.Seeds[0]) {
			return nil, fmt.Errorf("line %d: seed %d of %s for %s stands twice", n, c.Seeds[0], c.Ptxas, c.Target)
		}
		o.Seeds = append(o.Seeds, c.Seeds...)
		o.Signatures += c.Signatures
		o.Pieces += c.Pieces
		o.Disputed += c.Disputed
		o.Differences += c.Differences
	}
	return all, nil
}

// compared reads one line.
func compared(line string) (Comparison, error) {
	head, missing, none := strings.Cut(line, "not compared: ")
	fields := strings.Fields(head)
	want := 8
	if none {
		want = 3
	}
	level := ""
	if len(fields) == want+1 && !none && strings.HasPrefix(fields[want], "-O") {
		level, fields = fields[want], fields[:want]
	}
	if len(fields) != want {
		return Comparison{}, fmt.Errorf("found %q, expected a line of ptxabi measure", line)
	}
	c := Comparison{Ptxas: fields[0], Target: fields[1], Level: level, Missing: missing}
	var seed int
	var err error
	for i, v := range []*int{&c.Bits, &seed, &c.Signatures, &c.Pieces, &c.Disputed, &c.Differences}[:want-2] {
		var e error
		*v, e = strconv.Atoi(fields[i+2])
		err = cmp.Or(err, e)
	}
	if err != nil {
		return Comparison{}, fmt.Errorf("found %q, expected numbers: %w", line, err)
	}
	if !none {
		c.Seeds = []uint64{uint64(seed)}
	}
	return c, nil
}
