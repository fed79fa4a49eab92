package lower

import "github.com/ptxabi/ptxabi/ptx"

// The names that a body mentions are found, and given the numbers that the scope
// knows them by, once: in the first walk over it. To look each of them up where it
// is needed, by its text, took a third of the time of lowering.

// mentions are the names in a body by their numbers.
type mentions struct {
	// Statement by statement, from first[i] on: the registers of an access and its
	// base; the arguments, the results and the callee of a call; the names among the
	// operands of an instruction. -1 stands for an operand that is no name.
	list  []int32
	first []int32
	uses  []usage // by number
	// all says that those of instructions are in list and in uses: they are where
	// parameters are stored or calls made, and have no use anywhere else.
	all bool
}

// A usage is what is known of a name in a body.
type usage struct {
	first, last int32 // first and last statement that mentions it, plus 1; 0 for none
	count       int32 // how often it is mentioned
	relay       int32 // index in relayTable.list, plus 1; 0 if it is none
	stored      bool  // an st.param stores it, and fn.writers is made
}

// reset forgets the names of a body, and makes room for those of n statements.
func (m *mentions) reset(n int) {
	m.list, m.uses, m.all = m.list[:0], m.uses[:0], false
	if cap(m.first) < n+1 {
		m.first = make([]int32, n+1)
	}
	m.first = m.first[:n+1]
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

// gatherNames finds the names of a statement in the first walk.
func (fn *fn) gatherNames(s ptx.Stmt) {
	m := &fn.mentions
	m.first[fn.at] = int32(len(m.list))
	switch s := s.(type) {
	case *ptx.Access:
		fn.noteOperands(s.Regs)
		fn.noteMention(s.Addr.Base)
		fn.noteGuard(s.Guard)
	case *ptx.Call:
		fn.noteOperands(s.Params)
		fn.noteOperands(s.Results)
		fn.noteMention(s.Callee.Name())
		fn.noteGuard(s.Guard)
	case *ptx.Instr:
		if !m.all {
			return
		}
		names := identifiers{text: s.Args}
		for name := names.next(); name != ""; name = names.next() {
			fn.noteMention(name)
		}
		fn.noteGuard(s.Guard)
	}
}

func (fn *fn) noteOperands(ops []ptx.Operand) {
	for i := range ops {
		fn.noteMention(ops[i].Name())
	}
}

func (fn *fn) noteMention(name string) {
	fn.mentions.list = append(fn.mentions.list, fn.noteUse(name))
}

// noteGuard takes note of a guard, which is no operand.
func (fn *fn) noteGuard(g *ptx.Guard) {
	if g != nil {
		fn.noteUse(g.Name)
	}
}

// noteUse takes note that the statement at hand mentions a name, and returns its
// number.
func (fn *fn) noteUse(name string) int32 {
	if name == "" {
		return -1
	}
	n := fn.scope.Number(name)
	u := fn.mentions.use(n)
	if u.count++; u.first == 0 {
		u.first = int32(fn.at) + 1
	}
	u.last = int32(fn.at) + 1
	return n
}
