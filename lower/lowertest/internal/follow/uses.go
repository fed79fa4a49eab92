package follow

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// use checks that a place of the listing holds what the source has in a register, as far as
// the statement reads it.
func (a *allocation) use(m *symexec.Machine, j int, r *sourceReg, place string, bytes uint16) {
	words := r.words()
	for k := range words {
		mask := uint8(bytes >> (4 * k) & 0xf)
		for b := range 4 {
			if 4*k+b >= r.size {
				mask &^= 1 << b
			}
		}
		if mask == 0 {
			continue
		}
		name, at, reg := r.name, place, sass.RZ
		if n, ok := symexec.MachineRegister(place); ok {
			reg = n + sass.Reg(k)
			at = fmt.Sprintf("R%d", reg)
		} else if words > 1 {
			at = fmt.Sprintf("word %d of %s", k, place)
		}
		if words > 1 {
			name = fmt.Sprintf("bytes %d to %d of %s", 4*k, 4*k+4, r.name)
		}
		a.check(j, name, at, reg, a.machineWord(m, place, k, words), sourceOf(m.State).word(r, k), mask)
	}
}

// check holds a word of the machine against one of the source.
func (a *allocation) check(j int, name, place string, reg sass.Reg, have, want symexec.Word, mask uint8) {
	if !a.p.final || mask == 0 {
		return
	}
	key := fmt.Sprintf("%d %s %s", a.p.index, place, name)
	if a.reported[key] {
		return
	}
	worst := a.agreesWord(have, want, mask)
	if worst == agrees {
		a.report.Uses++
		for i := range 4 {
			if mask>>i&1 != 0 && want.B[i].Kind != symexec.Nothing {
				a.report.Bytes++
				a.bind(symexec.Effective(have, i), want.B[i])
			}
		}
		return
	}
	a.reported[key] = true
	tell := &teller{a.p}
	st := a.fn.Func.Body[j]
	in := instrOf(st)
	d := Misplaced{
		Func: a.p.l.Name, Line: a.p.line(a.p.index), Source: int(in.Pos.Line), Register: name, Place: place, Code: a.code(j),
		Want: "hold " + name, Got: "it holds " + a.holds(tell, have, mask),
	}
	if from := a.origin(tell, want, mask); from != "" {
		d.Want += ", " + from
	}
	if worst == unclear {
		a.report.Unfollowed = append(a.report.Unfollowed, d)
		return
	}
	d.Last = a.last(tell, reg, want, mask)
	a.report.Differences = append(a.report.Differences, d)
}

// bind notes where a variable is whose address was seen for the first time.
func (a *allocation) bind(have, want symexec.Byte) {
	if name := a.address[want.Off]; want.Kind == symexec.TermByte && name != "" && want.Reg == 0 && a.isPlace(have) {
		a.bound[addressByte{name, want.N}] = have
	}
}

// last says where what is wanted is, or was last.
func (a *allocation) last(t *teller, reg sass.Reg, want symexec.Word, mask uint8) string {
	is := func(w symexec.Word) bool { return a.agreesWord(w, want, mask) == agrees }
	for r := range sass.RZ {
		if is(a.m.Regs[r]) {
			return fmt.Sprintf("it is in R%d", r)
		}
	}
	if slices.ContainsFunc(want.B[:], func(b symexec.Byte) bool { return b.Kind == symexec.PhiByte }) {
		return "" // it has no instruction that makes it
	}
	return t.lastRight(a.p.index, reg, is)
}

// code returns the text of a statement.
func (a *allocation) code(j int) string {
	text := strings.TrimSpace(string(ptx.AppendStmt(nil, a.fn.Func.Body[j])))
	return strings.TrimSuffix(text, ";")
}

// agreesWord compares words byte by byte.
func (a *allocation) agreesWord(have, want symexec.Word, mask uint8) agreement {
	worst := agrees
	for i := range 4 {
		if mask>>i&1 != 0 {
			worst = max(worst, a.agreesByte(symexec.Effective(have, i), symexec.Effective(want, i)))
		}
	}
	return worst
}

func (a *allocation) agreesByte(have, want symexec.Byte) agreement {
	isAddress := want.Kind == symexec.TermByte && a.address[want.Off] != ""
	switch {
	case a.stands(have, want):
		return agrees
	case have.Kind == symexec.LostByte, have.Kind == symexec.MadeByte, have.Kind == symexec.JoinByte, !want.Known():
		return unclear
	case isAddress && have.Kind == symexec.TermByte && a.address[have.Off] != "": // names that were made differ
		return unclear
	}
	return differs
}

// holds describes a word of the machine.
func (a *allocation) holds(t *teller, w symexec.Word, mask uint8) string {
	i := bits.TrailingZeros8(mask)
	b := symexec.Effective(w, i)
	what := a.describe(t, b)
	if by := a.made[b.Off]; b.Kind == symexec.TermByte && by.reg != "" {
		return what
	}
	if names := a.having(w, mask); names != "" {
		return names
	}
	if from, ok := a.from[b.Off]; ok && b.Kind == symexec.PhiByte {
		one, other := a.describe(t, from[0]), a.describe(t, from[1])
		if one != "" && other != "" && one != other {
			return fmt.Sprintf("%s on one way to %s, and %s on another", one, t.line(a.meets[b.Off]), other)
		}
	}
	if b.Kind == symexec.TermByte && what != "" {
		return what
	}
	return t.word(w, mask)
}

// having returns the registers of the source that have the value of a word of the machine:
// "%r1 or %r2"; "" if none has it.
func (a *allocation) having(w symexec.Word, mask uint8) string {
	var names []string
	for c, have := range sourceOf(a.m.State).regs {
		if anyKnown(have, mask) && a.agreesWord(w, have, mask) == agrees {
			name := a.fn.Registers[c.reg].Name
			if a.fn.Registers[c.reg].Elements() > 1 {
				name += "." + "xyzw"[c.elem:c.elem+1]
			}
			if c.word > 0 {
				name = fmt.Sprintf("bytes %d to %d of %s", 4*c.word, 4*c.word+4, name)
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names[:min(len(names), 3)], " or ")
}

func anyKnown(w symexec.Word, mask uint8) bool { return knownBytes(w, mask) > 0 }

// describe describes the byte of either side that a register begins with, "" for one without
// a description.
func (a *allocation) describe(t *teller, b symexec.Byte) string {
	switch b.Kind {
	case symexec.TermByte:
		if by, ok := a.made[b.Off]; ok {
			return by.reg + ", " + a.maker(by)
		}
		if name := a.address[b.Off]; name != "" {
			return "the address of " + name
		}
		return "the value of a special register"
	case symexec.FrameByte, symexec.PhiByte, symexec.LostByte, symexec.JoinByte, symexec.MadeByte:
		return ""
	case symexec.Nothing:
		return "nothing that was put there"
	}
	return t.byte(b, 4)
}

// maker says which statement has made a value.
func (a *allocation) maker(by maker) string {
	return fmt.Sprintf("which line %d of the source, `%s`, makes", instrOf(a.fn.Func.Body[by.stmt]).Pos.Line, a.code(by.stmt))
}

// origin says where a word of the source comes from: "which line 7 of the source, `…`,
// makes".
func (a *allocation) origin(t *teller, w symexec.Word, mask uint8) string {
	for i := range w.B {
		if mask>>i&1 == 0 {
			continue
		}
		switch b := w.B[i]; {
		case w.Base != symexec.NoBase, b.Kind == symexec.Nothing:
		case b.Kind == symexec.TermByte && a.made[b.Off].reg != "":
			return a.maker(a.made[b.Off])
		case b.Kind == symexec.TermByte && a.address[b.Off] != "":
			return "the address of " + a.address[b.Off]
		case b.Kind == symexec.TermByte:
		case b.Kind == symexec.PhiByte:
			return "whose value depends on the way to " + t.line(a.meets[b.Off])
		case b.Kind == symexec.LostByte && b.Off < 0:
			return fmt.Sprintf("which `%s` makes: that is not followed", a.code(int(-1-b.Off)))
		default:
			return "which is " + t.word(w, mask)
		}
		break
	}
	return ""
}
