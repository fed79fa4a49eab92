package lower

import (
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
)

// What instructions mention that are kept as their text is looked for where somebody asks,
// of names that an access or a call mentions.

// mentions are the names in a body by their numbers.
type mentions struct {
	uses []usage // by number
	// passes says that parameters are stored or calls made: what instructions mention
	// has no use anywhere else. counted says that they have been looked at.
	passes, counted bool
}

// A usage is what is known of a name in a body.
type usage struct {
	first, last int32 // first and last statement that mentions it, plus 1; 0 for none
	count       int32 // how often it is mentioned
	forward     int32 // index in forwardTable.list, plus 1; 0 if it is none
	reads       uint8 // how many of its lowest bytes are read at most; by instructions, where they have been counted
	stored      bool  // an st.param stores it, and fn.writers is made
}

// reset begins a body that has n names.
func (m *mentions) reset(n int) {
	m.uses = resized(m.uses, n)
	clear(m.uses)
	m.passes, m.counted = false, false
}

// use returns what is known of a name by its number.
func (m *mentions) use(n int32) *usage {
	if int(n) >= len(m.uses) {
		m.grow(int(n))
	}
	return &m.uses[n]
}

// moreUses is for how many names memory is made at once, beyond that of number n.
const moreUses = 16

func (m *mentions) grow(n int) {
	m.uses = append(m.uses, make([]usage, n+moreUses-len(m.uses))...)
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
		pl.mentions.mentioned(n, pl.at).read(reads)
	}
}

// read takes note that as many bytes are read at most.
func (u *usage) read(bytes uint8) { u.reads = max(u.reads, bytes) }

// noteGuard takes note that the statement at hand mentions the name of a guard.
func (pl *placer) noteGuard(g *ptx.Guard) {
	if g != nil && g.Name != "" {
		n := pl.in.Number(g.Name)
		pl.mentions.use(n)
		pl.mentions.mentioned(n, pl.at)
	}
}

// mentioned takes note that a statement mentions the name of a number, of those that the
// body has.
func (m *mentions) mentioned(n int32, stmt int) *usage {
	u := &m.uses[n]
	if u.count++; u.first == 0 {
		u.first = int32(stmt) + 1
	}
	u.last = int32(stmt) + 1
	return u
}
