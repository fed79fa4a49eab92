package lower

import (
	"github.com/ptxabi/ptxabi/internal/sig"
	"github.com/ptxabi/ptxabi/ptx"
)

// The names that a body mentions are given the numbers that the scope knows them by
// once: in the first walk over it. To look each of them up where it is needed, by
// its text, took a third of the time of lowering. What instructions mention that are
// kept as their text is looked for where somebody asks, of names that have a number.

// mentions are the names in a body by their numbers.
type mentions struct {
	// Statement by statement, from first[i] on: the registers of an access and its
	// base; the arguments, the results and the callee of a call. -1 stands for an
	// operand that is no name.
	list  []int32
	first []int32
	uses  []usage // by number
	// passes says that parameters are stored or calls made: what instructions mention
	// has no use anywhere else. counted says that they have been looked at.
	passes, counted bool
}

// A usage is what is known of a name in a body.
type usage struct {
	first, last int32 // first and last statement that mentions it, plus 1; 0 for none
	count       int32 // how often it is mentioned
	relay       int32 // index in relayTable.list, plus 1; 0 if it is none
	reads       uint8 // how many of its lowest bytes are read at most; by instructions, where they have been counted
	stored      bool  // an st.param stores it, and fn.writers is made
}

// reset forgets the names of a body.
func (m *mentions) reset() {
	m.list, m.uses, m.passes, m.counted = m.list[:0], m.uses[:0], false, false
}

// of returns the mention of operand i of a statement, counted as mentions.list is.
func (m *mentions) of(stmt, i int) int32 { return m.list[int(m.first[stmt])+i] }

// use returns what is known of a name by its number.
func (m *mentions) use(n int32) *usage {
	for int(n) >= len(m.uses) {
		m.uses = append(m.uses, usage{})
	}
	return &m.uses[n]
}

// id is the number of operand i of the statement at hand.
func (fn *fn) id(i int) int32 { return fn.mentions.of(fn.at, i) }

func (fn *fn) noteOperands(ops []ptx.Operand, reads uint8) {
	for i := range ops {
		fn.noteReads(ops[i].Name(), reads)
	}
}

// noteReads takes note that the statement at hand mentions a name as its next
// operand, and reads as many bytes of it at most. It returns its number; -1 if it is
// no name.
func (fn *fn) noteReads(name string, reads uint8) int32 {
	n := fn.noteUse(name)
	fn.mentions.list = append(fn.mentions.list, n)
	if n >= 0 {
		u := &fn.mentions.uses[n]
		u.reads = max(u.reads, reads)
	}
	return n
}

// noteUse takes note that the statement at hand mentions a name, and returns its
// number.
func (fn *fn) noteUse(name string) int32 {
	if name == "" {
		return -1
	}
	n := fn.scope.Number(name)
	fn.noteNumber(n)
	return n
}

// noteNumber is noteUse for a name whose number is known.
func (fn *fn) noteNumber(n int32) {
	u := fn.mentions.use(n)
	if u.count++; u.first == 0 {
		u.first = int32(fn.at) + 1
	}
	u.last = int32(fn.at) + 1
}

// countInstrs takes note of what instructions mention of the names that have been
// mentioned before, if that has not been done.
func (fn *fn) countInstrs() {
	m := &fn.mentions
	if m.counted || !m.passes {
		return
	}
	m.counted = true
	registers := sig.Finder{Scope: &fn.scope}
	for i, s := range fn.f.Body {
		in, ok := s.(*ptx.Instr)
		if !ok {
			continue
		}
		if in.Guard != nil {
			m.count(fn.scope.Numbered(in.Guard.Name), i, allBytes)
		}
		switch {
		case in.Args == "":
		case fn.bareRegs || in.Ragged:
			fn.countNames(in, i)
		default: // registers begin with a percent sign
			m.countRegisters(&registers, in, i)
		}
	}
}

// countRegisters takes note of what operands mention in which all registers begin with
// a percent sign.
func (m *mentions) countRegisters(f *sig.Finder, in *ptx.Instr, stmt int) {
	n, start, end := f.Next(in.Args, 0)
	if n < 0 { // as often as not
		return
	}
	size, from := readBy(in)
	for ; n >= 0; n, start, end = f.Next(in.Args, end) {
		reads := size
		if start < from {
			reads = allBytes
		}
		m.count(n, stmt, reads)
	}
}

// countNames is countRegisters for any operands.
func (fn *fn) countNames(in *ptx.Instr, stmt int) {
	size, from := readBy(in)
	names := identifiers{text: in.Args}
	for name := names.next(); name != ""; name = names.next() {
		reads := size
		if names.off <= from {
			reads = allBytes
		}
		fn.mentions.count(fn.scope.Numbered(name), stmt, reads)
	}
}

// count takes note that a statement mentions the name of a number, if that has been
// mentioned before, and reads as many bytes of it at most. Nobody asks for others.
func (m *mentions) count(n int32, stmt int, reads uint8) {
	if uint(n) >= uint(len(m.uses)) || m.uses[n].first == 0 {
		return
	}
	u, at := &m.uses[n], int32(stmt)+1
	u.count++
	u.reads = max(u.reads, reads)
	u.first, u.last = min(u.first, at), max(u.last, at)
}
