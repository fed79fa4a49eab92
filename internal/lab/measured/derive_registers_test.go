package measured

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// A Saved has the registers that a function saves and names.
type Saved struct {
	Regs      abi.RegSet // stored to its frame at entry
	Ascending bool       // at ascending offsets, without holes
	Named     abi.RegSet // all general registers that its code names
}

// Saves reads a section of the probe "saves".
func (s *Section) Saves() (Saved, error) {
	p, err := s.program()
	if err != nil {
		return Saved{}, err
	}
	out := Saved{Ascending: true}
	at := make(map[sass.Reg]int64)
	for _, in := range code(p, "f") {
		if strings.HasPrefix(in.Op, "LDL") && len(at) > 0 && in.Args[0].Kind == sass.KindRegister && in.Args[1].Off == at[in.Args[0].Reg] {
			break // the epilogue
		}
		if in.Op != "STL" || in.Args[0].Kind != sass.KindMem || in.Args[0].Reg != sass.SP || in.Args[1].Kind != sass.KindRegister {
			continue
		}
		r := in.Args[1].Reg
		if _, ok := at[r]; ok || r == sass.RZ {
			continue // a spill
		}
		at[r] = in.Args[0].Off
		out.Regs = out.Regs.Union(abi.Regs(r))
	}
	last := int64(-1)
	for r := range out.Regs.All() {
		if last >= 0 && at[r] != last+4 {
			out.Ascending = false
		}
		last = at[r]
	}
	for _, note := range s.Notes("names") {
		out.Named, err = regSet("R", note)
	}
	return out, err
}

// regSet reads a set such as "R0-R15 R32", of a class "R".
func regSet(class, text string) (abi.RegSet, error) {
	var set abi.RegSet
	for _, part := range strings.Fields(text) {
		first, last, ok := strings.Cut(part, "-")
		if !ok {
			last = first
		}
		a, err := strconv.ParseUint(strings.TrimPrefix(first, class), 10, 8)
		if err != nil {
			return set, fmt.Errorf("%q is not a set of %s registers", text, class)
		}
		b, err := strconv.ParseUint(strings.TrimPrefix(last, class), 10, 8)
		if err != nil {
			return set, fmt.Errorf("%q is not a set of %s registers", text, class)
		}
		set = set.Union(abi.RegRange(sass.Reg(a), sass.Reg(b)))
	}
	return set, nil
}

// Registers is the number of registers that a section records of a function;
// -1 where it records none.
func (s *Section) Registers(fn string) int {
	n, _ := s.function(fn)
	return n
}

// Frame is the size of a function's frame that a section records; -1 where it
// records none.
func (s *Section) Frame(fn string) int {
	_, frame := s.function(fn)
	return frame
}

func (s *Section) function(fn string) (registers, frame int) {
	for _, note := range s.Notes("function") {
		if rest, ok := strings.CutPrefix(note, fn+": "); ok {
			if _, err := fmt.Sscanf(rest, "registers %d frame %d", &registers, &frame); err == nil {
				return registers, frame
			}
		}
	}
	return -1, -1
}

// Live returns the general registers that the code after the call of a section
// of the probe "live" reads before it writes them.
func (s *Section) Live() (abi.RegSet, error) {
	var live, written abi.RegSet
	p, err := s.program()
	if err != nil {
		return live, err
	}
	called := false
	for _, in := range code(p, "f") {
		if !called {
			called = strings.HasPrefix(in.Op, "CALL") || in.Op == "JCAL" || in.Op == "JMX"
			continue
		}
		args := in.Args
		var into abi.RegSet
		if !strings.HasPrefix(in.Op, "ST") && len(args) > 0 && args[0].Kind == sass.KindRegister {
			into = abi.Regs(args[0].Reg)
			if strings.Contains(in.Op, ".64") {
				into = into.Union(abi.Regs(args[0].Reg + 1))
			}
			args = args[1:]
		}
		for _, o := range args {
			live = live.Union(reads(&in, o).Minus(written))
		}
		written = written.Union(into)
	}
	if !called {
		return live, fmt.Errorf("%s: no call", s.Module)
	}
	return live.Minus(abi.Regs(sass.RZ)), nil
}

// reads returns the general registers that an operand reads. Addresses of
// global memory are pairs.
func reads(in *sass.Instr, o sass.Operand) abi.RegSet {
	switch o.Kind {
	case sass.KindRegister:
		if strings.HasPrefix(in.Op, "RET") {
			return abi.Regs(o.Reg, o.Reg+1)
		}
		return abi.Regs(o.Reg)
	case sass.KindMem, sass.KindAddress:
		if o.Name != "" {
			return abi.RegSet{}
		}
		if strings.HasPrefix(in.Op, "STG") || strings.HasPrefix(in.Op, "ST.") || in.Op == "ST" {
			return abi.Regs(o.Reg, o.Reg+1)
		}
		return abi.Regs(o.Reg)
	}
	return abi.RegSet{}
}

// UniformWritten returns the uniform registers from UR4 on that the function of a
// section of the probe "uniform" writes. It is an error if it reads one that it
// has not written, as an instruction that saves one would. UR2 is a flag of sm_87.
func (s *Section) UniformWritten() (abi.RegSet, error) {
	var written abi.RegSet
	for _, line := range s.Lines {
		// A register pair is named by its first register, as a descriptor is.
		names := uniformName.FindAllStringSubmatch(line, -1)
		for i, m := range names {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				return written, fmt.Errorf("%s: %w", line, err)
			}
			r := sass.Reg(n)
			if r < 4 {
				continue
			}
			switch dst := uniformDst.FindStringSubmatch(line); {
			case i == 0 && dst != nil && dst[2] == m[1]:
				written = written.Union(abi.Regs(r))
				if strings.Contains(dst[1], ".64") {
					written = written.Union(abi.Regs(r + 1))
				}
			case !written.Has(r):
				return written, fmt.Errorf("%s: UR%d is read before it is written: %q", s.Module, n, line)
			}
		}
	}
	return written, nil
}

var (
	uniformName = regexp.MustCompile(`\bUR(\d+)\b`)
	uniformDst  = regexp.MustCompile(`^\s*/\*[0-9a-f]+\*/ (\S+) UR(\d+),`)
)

// An Unwind is an entry of the unwind table that functions refer to.
type Unwind struct {
	Return    string // its return column: "R20", "none"
	CFA       string // the frame's address at entry, register and offset: "R1 0"
	Preserved map[string]abi.RegSet
	Scratch   map[string]abi.RegSet
}

// Unwind returns the unwind entry of a function in a section of the probe
// "unwind".
func (s *Section) Unwind(fn string) (Unwind, error) {
	var u Unwind
	for _, note := range s.Notes("unwind") {
		if text, ok := strings.CutPrefix(note, "entry "); ok {
			_, column, _ := strings.Cut(text, "return column ")
			u = Unwind{Return: column, Preserved: make(map[string]abi.RegSet), Scratch: make(map[string]abi.RegSet)}
			continue
		}
		if name, ok := strings.CutPrefix(note, "function "); ok {
			if name == fn {
				return u, nil
			}
			continue
		}
		if text, ok := strings.CutPrefix(note, "rule def_cfa "); ok {
			u.CFA = text
			continue
		}
		into := u.Preserved
		text, ok := strings.CutPrefix(note, "same_value ")
		if !ok {
			into = u.Scratch
			if text, ok = strings.CutPrefix(note, "undefined "); !ok {
				continue
			}
		}
		class := strings.TrimRight(strings.Fields(strings.ReplaceAll(text, "-", " "))[0], "0123456789")
		set, err := regSet(class, text)
		if err != nil {
			return u, err
		}
		into[class] = set
	}
	return Unwind{}, fmt.Errorf("no unwind entry of %s", fn)
}

// Barriers returns the convergence barriers that the function of a section of
// the probe "barriers" saves at its entry, and all that it uses.
func (s *Section) Barriers() (saved, used abi.RegSet, err error) {
	p, err := s.program()
	if err != nil {
		return saved, used, err
	}
	set := false
	for _, in := range code(p, "f") {
		text := in.String()
		var b string
		ok, save := false, strings.Contains(text, "BMOV.32.CLEAR R")
		switch {
		case save:
			_, b, ok = strings.Cut(text, ", B")
		case strings.HasPrefix(in.Op, "BSSY"):
			_, b, ok = strings.Cut(text, " B")
		}
		if !ok {
			continue
		}
		n, err := strconv.Atoi(strings.TrimRight(strings.FieldsFunc(b, func(r rune) bool { return r == ',' || r == ' ' || r == ';' })[0], " "))
		if err != nil {
			return saved, used, fmt.Errorf("%s: no barrier in %q", s.Module, text)
		}
		used = used.Union(abi.Regs(sass.Reg(n)))
		set = set || strings.HasPrefix(in.Op, "BSSY")
		if save && !set {
			saved = saved.Union(abi.Regs(sass.Reg(n)))
		}
	}
	return saved, used, nil
}

// Predicates returns the predicates of a class, "P" or "UP", that the function
// of a section of the probe "predicates" sets, and those that it reads before it
// has set them, from its beginning or, where it calls, from the call on.
func (s *Section) Predicates(class string) (set, found abi.RegSet, err error) {
	p, err := s.program()
	if err != nil {
		return set, found, err
	}
	list := code(p, "f")
	for i, in := range list {
		if strings.HasPrefix(in.Op, "CALL") || in.Op == "JCAL" {
			set, list = abi.RegSet{}, list[i+1:]
			break
		}
	}
	for _, in := range list {
		texts := make([]string, 0, len(in.Args)+1)
		for _, o := range in.Args {
			texts = append(texts, o.String())
		}
		written := -1
		if strings.Contains(in.Op, "SETP") && len(texts) > 0 {
			written, _ = predicate(class, texts[0])
			texts = texts[1:]
		}
		for _, text := range append(texts, in.Guard) {
			if n, ok := predicate(class, text); ok && !set.Has(sass.Reg(n)) {
				found = found.Union(abi.Regs(sass.Reg(n)))
			}
		}
		if written >= 0 {
			set = set.Union(abi.Regs(sass.Reg(written)))
		}
	}
	return set, found, nil
}

// predicate returns the number of a predicate of a class, negated or not; PT
// has none. Without one the number is -1.
func predicate(class, text string) (int, bool) {
	digits, ok := strings.CutPrefix(strings.TrimLeft(text, "@!"), class)
	n, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return -1, false
	}
	return n, true
}
