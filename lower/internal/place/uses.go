package place

import (
	"github.com/ptxabi/ptxabi/internal/core/arena"
	"github.com/ptxabi/ptxabi/internal/core/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// uses are the names in a body by their numbers.
type uses struct {
	in   *resolved.Body
	list []Usage // by number
	// passes says that parameters are stored or calls made: what instructions mention
	// has no use anywhere else. counted says that they have been looked at.
	passes, counted bool
}

// A Usage is what is known of a name in a body.
type Usage struct {
	First, Last int32 // first and last statement that mentions it, plus 1; 0 for none
	Count       int32 // how often it is mentioned
	forward     int32 // index in forwards.fwd, plus 1; 0 if it is none
	// reads is how many of its lowest bytes are read at most; by instructions where they have
	// been counted, and if it is narrow: if less than a word is loaded into it.
	reads  uint8
	narrow bool
	stored bool // an st.param stores it, where writers have been found
}

// reset begins a body.
func (m *uses) reset(in *resolved.Body) {
	m.in = in
	m.list = arena.Resized(m.list, in.Numbers())
	clear(m.list)
	m.passes, m.counted = false, false
}

// Use returns what is known of a name by its number.
func (m *uses) Use(n int32) *Usage {
	if int(n) >= len(m.list) {
		m.grow(int(n))
	}
	return &m.list[n]
}

// moreUses is for how many names memory is made at once, beyond that of number n.
const moreUses = 16

func (m *uses) grow(n int) {
	m.list = append(m.list, make([]Usage, n+moreUses-len(m.list))...)
}

// RegRef is register k of the access at hand, baseRef the base of its address.
func (pl *Cursor) RegRef(k int) resolved.Ref { return pl.In.Operands(pl.At)[1+k] }

func (pl *Cursor) BaseRef() resolved.Ref { return pl.In.Operands(pl.At)[0] }

// Accessed is the number of register k of statement i, an access.
func (pl *Cursor) Accessed(i, k int) int32 { return pl.In.Operands(i)[1+k].Name }

// CalleeRef, protoRef, result and argument are the operands of the call at hand.
func (pl *Cursor) CalleeRef() resolved.Ref { return pl.In.Operands(pl.At)[0] }

func (pl *Cursor) protoRef() resolved.Ref { return pl.In.Operands(pl.At)[1] }

func (pl *Cursor) ResultRef(i int) resolved.Ref { return pl.In.Operands(pl.At)[2+i] }

func (pl *Cursor) ArgRef(c *ptx.Call, i int) resolved.Ref {
	return pl.In.Operands(pl.At)[2+len(c.Results)+i]
}

// noteReads takes note that the statement at hand mentions the name of a number, if it
// is not negative, and reads as many bytes of it at most.
func (pl *Placer) noteReads(n int32, reads uint8) {
	if n >= 0 {
		pl.Uses.mentioned(n, pl.At).read(reads)
	}
}

// access takes note that a statement mentions the operands of an access, of which the first
// is a register or a variable.
func (m *uses) access(refs []resolved.Ref, stmt int, a *ptx.Access) {
	uses, at, reads := m.list, int32(stmt)+1, accessReads(a)
	narrow := !a.Store && a.Type.Size() < 4
	for i, r := range refs {
		if r.Name < 0 {
			continue
		}
		u := &uses[r.Name]
		if u.Count++; u.First == 0 {
			u.First = at
		}
		u.Last = at
		if i == 0 {
			u.reads = allBytes
			continue
		}
		u.read(reads)
		u.narrow = u.narrow || narrow
	}
}

// CountInstrs takes note of what instructions mention of the names that have been
// mentioned before, if that has not been done.
func (m *uses) CountInstrs() {
	if m.counted || !m.passes {
		return
	}
	m.counted = true
	for i, s := range m.in.Stmts {
		in, ok := s.(*ptx.Instr)
		if !ok {
			continue
		}
		refs := m.in.Operands(i)
		for k := range in.Ops() {
			for range ptx.Names(in.Ops()[k : k+1]) {
				m.count(refs[0].Name, i, readBy(in, k))
				refs = refs[1:]
			}
		}
		m.count(m.in.Guard(i).Name, i, allBytes)
	}
}

// count takes note that an instruction mentions the name of a number and reads as many bytes of it
// at most, if it has been mentioned before.
func (m *uses) count(n int32, stmt int, reads uint8) {
	if uint(n) >= uint(len(m.list)) || m.list[n].First == 0 {
		return
	}
	u, s := &m.list[n], int32(stmt)+1
	u.Count++
	u.First, u.Last = min(u.First, s), max(u.Last, s)
	if u.narrow {
		u.read(reads)
	}
}

// read takes note that as many bytes are read at most.
func (u *Usage) read(bytes uint8) { u.reads = max(u.reads, bytes) }

// noteGuard takes note that the statement at hand mentions the name of a guard.
func (pl *Placer) noteGuard() {
	if n := pl.In.Guard(pl.At).Name; n >= 0 {
		pl.Uses.Use(n)
		pl.Uses.mentioned(n, pl.At)
	}
}

// mentioned takes note that a statement mentions the name of a number, of those that the
// body has.
func (m *uses) mentioned(n int32, stmt int) *Usage {
	u := &m.list[n]
	if u.Count++; u.First == 0 {
		u.First = int32(stmt) + 1
	}
	u.Last = int32(stmt) + 1
	return u
}

// Usage returns what is known of a name by its number, nil if no statement
// mentions it.
func (m *uses) Usage(n int32) *Usage {
	if n < 0 || int(n) >= len(m.list) || m.list[n].First == 0 {
		return nil
	}
	return &m.list[n]
}

// Dies reports whether a register seems to be needed no longer after a statement: what
// mentions it stands in the straight stretch of code that ends there, after the last label before.
// It decides what is cheap, not what is right.
func (pl *Plan) Dies(r lir.Reg, stmt int, label int32) bool {
	if !pl.AllVirtual || r.Kind() != sass.Virtual {
		return false
	}
	// As far as mentions are known.
	ends := func(u *Usage) bool { return int(u.Last) <= stmt+1 && u.First-1 > label }
	if u := pl.Uses.Usage(r.Name()); u != nil && !ends(u) {
		return false // whatever instructions mention
	}
	pl.Uses.CountInstrs()
	u := pl.Uses.Usage(r.Name())
	if u == nil {
		name := pl.Registers.Name(r.Name())
		if n := len(name) - 2; n > 0 && name[n] == '.' { // an element of a vector
			u = pl.Uses.Usage(pl.In.Numbered(name[:n]))
		}
	}
	return u != nil && ends(u)
}
