package adapt

import (
	"cmp"
	"fmt"

	"github.com/ptxabi/ptxabi/diag"
)

// A cover has the bytes that the moves of a shim write and read: places without Size and Align, by
// their Off. That of anyByte stands for a formal, or its memory, of which some byte is in the set.
type cover struct {
	shim          *Shim
	written, read map[Place]bool
}

const anyByte = -1

// byteOf returns byte k of the formal or the memory that a place is in.
func byteOf(p Place, k int64) Place {
	return Place{Side: p.Side, Formal: p.Formal, Deref: p.Deref, Off: k}
}

// checkCover reports what all moves reach together: bytes that are written twice, and formals and
// memory with bytes that no move reaches. It finds the memory that the shim needs.
func (s *Shim) checkCover(e *errs) {
	c := cover{s, make(map[Place]bool), make(map[Place]bool)}
	for i := range s.Moves {
		m := &s.Moves[i]
		c.write(e, m)
		if !m.IsConst {
			c.reads(m.From)
		}
		s.needMemory(m.From)
		s.needMemory(m.To)
	}
	for i := range s.Moves {
		s.checkExtended(e, &s.Moves[i])
	}
	for i := range s.Callee.Params {
		c.parameter(e, i)
	}
	if len(s.Caller.Results) == 1 {
		c.fill(e, Place{Side: Caller, Formal: ResultFormal}, "callee.result")
	}
	if len(s.Callee.Results) == 1 {
		c.drain(e, Place{Side: Callee, Formal: ResultFormal})
	}
	for i := range s.Caller.Params {
		if memory := (Place{Formal: i, Deref: true, Off: anyByte}); !c.read[memory] && !c.written[memory] {
			c.drain(e, Place{Side: Caller, Formal: i})
		}
	}
}

// write adds the bytes that a move writes, and reports the first that another one writes too.
func (c *cover) write(e *errs, m *Move) {
	c.written[byteOf(m.To, anyByte)] = true
	for k := m.To.Off; k < m.To.Off+m.To.Size; k++ {
		if c.written[byteOf(m.To, k)] {
			e.move(m, "%s: two moves write byte %d", c.shim.place(m.To), k)
			return
		}
		c.written[byteOf(m.To, k)] = true
	}
}

// reads adds the bytes of a place that a move reads.
func (c *cover) reads(p Place) {
	c.read[byteOf(p, anyByte)] = true
	for k := p.Off; k < p.Off+p.Size; k++ {
		c.read[byteOf(p, k)] = true
	}
}

// needMemory extends the memory of the shim to a place at an address that it passes.
func (s *Shim) needMemory(p Place) {
	if p.Side != Callee || !p.Deref {
		return
	}
	have := s.Memory[p.Formal]
	if have.Align == 0 {
		have.Align = max(p.Align, ownAlign)
	}
	s.Memory[p.Formal] = Memory{max(have.Size, p.Off+p.Size), max(have.Align, p.Align)}
}

// checkExtended reports a value that is extended and may not be aligned: it is one access.
func (s *Shim) checkExtended(e *errs, m *Move) {
	if m.IsConst || m.From.Size == m.To.Size {
		return
	}
	for _, p := range [2]Place{m.From, m.To} {
		if p.Off%p.Size != 0 || s.align(p) < p.Size {
			e.move(m, "%s: a value that is extended has to be aligned to its size, and %s is not known to be", s.describe(m), s.place(p))
		}
	}
}

// parameter reports what of a parameter of the callee, or of the shim's memory at the address in it, has no value.
func (c *cover) parameter(e *errs, i int) {
	p := Place{Side: Callee, Formal: i}
	held := Place{Side: Callee, Formal: i, Deref: true}
	switch memory, has := c.shim.Memory[i]; {
	case !has:
		c.fill(e, p, "0")
	case !c.shim.Padding && c.written[byteOf(held, anyByte)]:
		unused := func(k int64) bool { return !c.written[byteOf(held, k)] && !c.read[byteOf(held, k)] }
		first := int64(0)
		for first < memory.Size && !unused(first) {
			first++
		}
		end := first
		for end < memory.Size && unused(end) {
			end++
		}
		if first < end {
			e.add(c.shim.formal(p).Pos, "*callee.%s: nothing goes to bytes %d to %d of the memory; write a move, such as \"0 -> *callee.%[1]s[%[2]d:%[4]d]\"", c.shim.nameOf(p), first, end-1, min(end, first+8))
		}
	case c.written[byteOf(p, anyByte)]:
		e.add(c.shim.formal(p).Pos, "callee.%s: it is given a value, and memory of the shim", c.shim.nameOf(p))
	}
}

// fill reports what of a formal gets no value; all is a move that gives it one.
func (c *cover) fill(e *errs, p Place, all string) {
	some, missing := c.reached(c.written, p)
	if some && missing == "" {
		return
	}
	e.add(c.shim.formal(p).Pos, "%s.%s: nothing goes to %s; write a move, such as \"%s -> %[1]s.%[2]s\"", p.Side, c.shim.nameOf(p), cmp.Or(missing, "it"), all)
}

// drain reports a formal that goes nowhere, and notes an array of which a part does.
func (c *cover) drain(e *errs, p Place) {
	some, missing := c.reached(c.read, p)
	switch {
	case !some:
		e.add(c.shim.formal(p).Pos, "%s.%s goes nowhere; write a move or, where that is meant, \"%[1]s.%[2]s -> nothing\"", p.Side, c.shim.nameOf(p))
	case missing != "" && len(c.shim.formal(p).Dims) > 0:
		c.shim.Notes.Add(&diag.Diagnostic{Pos: c.shim.formal(p).Pos, Severity: diag.Note, Code: Code, Msg: fmt.Sprintf("%s.%s: of %s some or all go nowhere", p.Side, c.shim.nameOf(p), missing)})
	}
}

// reached reports whether some byte of a formal is in a set, and, if some but not all are, names the others.
func (c *cover) reached(in map[Place]bool, p Place) (some bool, missing string) {
	if c.shim.Padding || c.shim.Dropped[Place{Side: p.Side, Formal: p.Formal}] {
		return true, ""
	}
	var left []int64
	size := sizeOf(c.shim.formal(p))
	for k := range size {
		if !in[byteOf(p, k)] {
			left = append(left, k)
		}
	}
	switch n := len(left); {
	case n == 0 || int64(n) == size:
		return int64(n) < size, ""
	case n == 1:
		return true, fmt.Sprintf("byte %d", left[0])
	default:
		return true, fmt.Sprintf("bytes %d to %d", left[0], left[n-1])
	}
}
