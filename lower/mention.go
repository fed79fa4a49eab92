package lower

import (
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// What instructions mention that are kept as their text is looked for where somebody asks,
// of names that an access or a call mentions.

// uses are the names in a body by their numbers.
type uses struct {
	in   *resolved.Body
	list []usage // by number
	// passes says that parameters are stored or calls made: what instructions mention
	// has no use anywhere else. counted says that they have been looked at.
	passes, counted bool
	noted           notedTable // the names that accesses and calls mention
}

// A usage is what is known of a name in a body.
type usage struct {
	first, last int32 // first and last statement that mentions it, plus 1; 0 for none
	count       int32 // how often it is mentioned
	forward     int32 // index in forwards.fwd, plus 1; 0 if it is none
	reads       uint8 // how many of its lowest bytes are read at most; by instructions, where they have been counted
	stored      bool  // an st.param stores it, where writers have been found
}

// reset begins a body.
func (m *uses) reset(in *resolved.Body) {
	m.in = in
	m.list = resized(m.list, in.Numbers())
	clear(m.list)
	m.passes, m.counted = false, false
}

// use returns what is known of a name by its number.
func (m *uses) use(n int32) *usage {
	if int(n) >= len(m.list) {
		m.grow(int(n))
	}
	return &m.list[n]
}

// moreUses is for how many names memory is made at once, beyond that of number n.
const moreUses = 16

func (m *uses) grow(n int) {
	m.list = append(m.list, make([]usage, n+moreUses-len(m.list))...)
}

// regRef is register k of the access at hand, baseRef the base of its address.
func (pl *cursor) regRef(k int) resolved.Ref { return pl.in.Operands(pl.at)[1+k] }

func (pl *cursor) baseRef() resolved.Ref { return pl.in.Operands(pl.at)[0] }

// accessed is the number of register k of statement i, an access.
func (pl *cursor) accessed(i, k int) int32 { return pl.in.Operands(i)[1+k].Name }

// calleeRef, protoRef, result and argument are the operands of the call at hand.
func (pl *cursor) calleeRef() resolved.Ref { return pl.in.Operands(pl.at)[0] }

func (pl *cursor) protoRef() resolved.Ref { return pl.in.Operands(pl.at)[1] }

func (pl *cursor) resultRef(i int) resolved.Ref { return pl.in.Operands(pl.at)[2+i] }

func (pl *cursor) argRef(c *ptx.Call, i int) resolved.Ref {
	return pl.in.Operands(pl.at)[2+len(c.Results)+i]
}

// noteReads takes note that the statement at hand mentions the name of a number, if it
// is not negative, and reads as many bytes of it at most.
func (pl *placer) noteReads(n int32, reads uint8) {
	if n >= 0 {
		pl.uses.mentioned(n, pl.at).read(reads)
	}
}

// read takes note that as many bytes are read at most.
func (u *usage) read(bytes uint8) { u.reads = max(u.reads, bytes) }

// noteGuard takes note that the statement at hand mentions the name of a guard.
func (pl *placer) noteGuard(g *ptx.Guard) {
	if g != nil && g.Name != "" {
		n := pl.in.Number(g.Name)
		pl.uses.use(n)
		pl.uses.mentioned(n, pl.at)
	}
}

// mentioned takes note that a statement mentions the name of a number, of those that the
// body has.
func (m *uses) mentioned(n int32, stmt int) *usage {
	u := &m.list[n]
	if u.count++; u.first == 0 {
		u.first = int32(stmt) + 1
	}
	u.last = int32(stmt) + 1
	return u
}

// usage returns what is known of a name by its number, nil if no statement
// mentions it.
func (m *uses) usage(n int32) *usage {
	if n < 0 || int(n) >= len(m.list) || m.list[n].first == 0 {
		return nil
	}
	return &m.list[n]
}
