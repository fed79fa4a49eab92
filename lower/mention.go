package lower

import "github.com/ptxabi/ptxabi/ptx"

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
	m.list = m.list[:0]
	m.uses = m.uses[:0]
	m.passes, m.counted = false, false
}

// of returns the mention of operand i of a statement, counted as mentions.list is.
func (m *mentions) of(stmt, i int) int32 { return m.list[int(m.first[stmt])+i] }

// use returns what is known of a name by its number.
func (m *mentions) use(n int32) *usage {
	if int(n) >= len(m.uses) {
		m.grow(int(n))
	}
	return &m.uses[n]
}

// moreUses is for how many names there is room at once, beyond that of number n.
const moreUses = 16

func (m *mentions) grow(n int) {
	m.uses = append(m.uses, make([]usage, n+moreUses-len(m.uses))...)
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
	m := &fn.mentions
	if name == "" {
		m.list = append(m.list, -1)
		return -1
	}
	n := fn.scope.Number(name)
	m.list = append(m.list, n)
	u := m.mentioned(n, fn.at)
	u.reads = max(u.reads, reads)
	return n
}

// noteUse takes note that the statement at hand mentions a name, and returns its
// number.
func (fn *fn) noteUse(name string) int32 {
	if name == "" {
		return -1
	}
	n := fn.scope.Number(name)
	fn.mentions.mentioned(n, fn.at)
	return n
}

// mentioned takes note that a statement mentions the name of a number.
func (m *mentions) mentioned(n int32, stmt int) *usage {
	u := m.use(n)
	if u.count++; u.first == 0 {
		u.first = int32(stmt) + 1
	}
	u.last = int32(stmt) + 1
	return u
}
