package annotate

import (
	"slices"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/sass"
)

// A function is the code of one function of a listing.
type function struct {
	target *abi.Target
	own    *Func
	known  map[string]*Func

	*instructions
	graph  graph
	calls  []aCall
	blocks []block
	queue  queue
	work   int
	now    state

	owners  []owner
	ownerOf map[*Formal]int32
	// escapes says that the function makes generic addresses of local ones, which
	// others may store through.
	escapes bool
	// overwrites says that the function may store to its parameters on the stack
	// somewhere.
	overwrites bool
	// again says that control may come back to the function's beginning.
	again bool
	// tangled says that values are not followed to where control comes together, since
	// that would take too long.
	tangled bool

	results [mostWords]word // of an instruction
}

// An owner is a formal and what stands after its name: "", " from f".
type owner struct {
	suffix string
	formal *Formal
}

// owner returns the number of a formal, a parameter of the function itself or a result of
// a callee.
func (fn *function) owner(from string, f *Formal) int32 {
	if i, ok := fn.ownerOf[f]; ok {
		return i
	}
	o := owner{formal: f}
	if from != "" {
		o.suffix = " from " + from
	}
	fn.owners = append(fn.owners, o)
	fn.ownerOf[f] = int32(len(fn.owners) - 1)
	return int32(len(fn.owners) - 1)
}

// A aCall is a call.
type aCall struct {
	name   string // of the callee; "" where the listing does not tell
	callee *Func  // nil where nothing is known of it
	// free says that the callee is a part of the same function's code, which the
	// convention does not bind.
	free bool
	// indirect says that it is through a pointer; callee is then what all such
	// calls have in common.
	indirect bool
}

// analyze takes the code of a function apart and follows its values.
func analyze(code *instructions, own *Func, t *abi.Target, known map[string]*Func) *function {
	fn := &function{target: t, known: known, instructions: code, own: own, ownerOf: make(map[*Formal]int32)}
	fn.graph.byName = make(map[string]int32)
	for _, l := range fn.labels {
		fn.graph.byName[l.name] = l.at
		fn.graph.labels = append(fn.graph.labels, l.at)
	}
	fn.escapes = slices.ContainsFunc(fn.code, func(in instr) bool {
		return slices.ContainsFunc(in.Args, func(o sass.Operand) bool { return isConst(&o, t.Kernel.LocalLo) })
	})
	fn.edges()
	fn.cut()
	fn.follow()
	if slices.ContainsFunc(fn.calls, func(c aCall) bool { return c.free }) && fn.storesToParams() {
		fn.overwrites = true // its own parts do, when it calls them
		fn.follow()
	}
	return fn
}

// callOf says what a call instruction calls.
func (fn *function) callOf(in *instr) aCall {
	args := in.Args
	if len(args) > 1 && args[0].Kind == sass.KindRegister && args[0].Reg != sass.RZ { // an address relative to the symbol
		return fn.through()
	}
	for _, o := range args {
		switch o.Kind {
		case sass.KindSymbol:
			name := o.Name
			if name == machine.Of(fn.target.SM).Spelling.IndirectTable {
				return fn.through()
			}
			if _, local := fn.label(name); local && name != fn.own.Name {
				return aCall{name: name, free: true}
			}
			return aCall{name: name, callee: fn.known[name]}
		case sass.KindImm:
			i, ok := fn.atAddress(o.Off)
			return aCall{free: ok && i > 0}
		}
	}
	return fn.through()
}

// through is a call through a pointer.
func (fn *function) through() aCall {
	c := aCall{indirect: true, callee: fn.own.Indirect}
	if c.callee != nil {
		c.name = c.callee.Name
	}
	return c
}

// cut finds the blocks.
func (fn *function) cut() {
	fn.blocks = []block{{first: -1}, {first: -1}}
	if len(fn.code) == 0 || fn.graph.lost {
		return
	}
	fn.again = fn.code[0].start
	fn.code[0].start = true
	for i := range fn.code {
		if fn.code[i].start {
			fn.code[i].block = int32(len(fn.blocks))
			fn.blocks = append(fn.blocks, block{first: int32(i)})
		}
	}
}

// workFor is how much work may be done to follow the values of n instructions: to follow
// one once is 1, to put two facts aside too. Where it is not enough, as in a function
// that moves words around in circles, values are not followed to where control comes
// together. Of 300 MB of listings, of three libraries at -O3 and of modules at -O0, no
// function took a sixth of it.
func workFor(n int) int { return 1<<12 + 20*n }

// follow computes the state at the beginning of each block.
func (fn *function) follow() {
	fn.work = 0
	for i := range fn.blocks {
		fn.blocks[i].snapshot, fn.blocks[i].queued = snapshot{}, false
	}
	if len(fn.code) == 0 || fn.graph.lost || fn.tangled {
		return
	}
	fn.queue = queue{last: -1}
	s := &fn.now
	fn.enter(s)
	fn.arrive(entryBlock, s)
	limit := workFor(len(fn.code))
	for b, more := fn.queue.pop(); more; b, more = fn.queue.pop() { // a state only ever loses words, so that this ends
		fn.blocks[b].queued = false
		fn.blocks[b].load(s)
		fn.block(b, s)
		if fn.work > limit {
			fn.untangle()
			return
		}
	}
}

// block follows the values of a block, and takes them to where it leads.
func (fn *function) block(b int, s *state) {
	arrive := func(to int) { fn.arrive(to, s) }
	if b == joinsBlock || b == labelsBlock {
		goals := fn.graph.joins
		if b == labelsBlock {
			goals = fn.graph.labels
		}
		for _, to := range goals {
			fn.visit(to, arrive)
		}
		return
	}
	for i := int(fn.blocks[b].first); ; i++ {
		fn.work++
		fn.step(s, i)
		in := &fn.code[i]
		fn.jumpTargets(in, arrive)
		if !in.on {
			return
		}
		if fn.code[i+1].start {
			arrive(int(fn.code[i+1].block))
			return
		}
	}
}

// arrive takes a state to the beginning of a block.
func (fn *function) arrive(to int, s *state) {
	b := &fn.blocks[to]
	fn.work += 1 + len(b.facts)/16
	switch {
	case !b.reached:
		b.save(s)
		fn.work += len(b.facts) / 2
	case !b.meet(s):
		return
	}
	if !b.queued {
		b.queued = true
		fn.queue.push(to)
	}
}

// untangle gives up to follow values to where control comes together.
func (fn *function) untangle() {
	fn.tangled = true
	for i := range fn.blocks {
		fn.blocks[i].snapshot = snapshot{}
	}
	if !fn.again {
		fn.enter(&fn.now)
		fn.blocks[entryBlock].save(&fn.now)
	}
}

// walk visits every instruction with the state before it, which is the
// visitor's until it returns. Where control never comes nothing is known.
func (fn *function) walk(visit func(i int, s *state)) {
	s := &fn.now
	s.reset()
	for i := range fn.code {
		in := &fn.code[i]
		switch {
		case fn.graph.lost:
			s.reset()
		case in.start:
			fn.blocks[in.block].load(s)
		}
		visit(i, s)
		fn.step(s, i)
		if !in.on {
			s.reset()
		}
	}
}

// storesToParams reports whether the function may overwrite its parameters on
// the stack.
func (fn *function) storesToParams() bool {
	if fn.own.Kernel {
		return false
	}
	found := fn.escapes
	fn.walk(func(i int, s *state) {
		in := &fn.code[i]
		if in.class != storesLocal {
			return
		}
		w, ok := local(s, in)
		found = found || !ok || w.kind == address && w.who == 0 && w.off+int64(in.op.AccessSize()) > 0
	})
	return found
}

// enter makes s the state in which the function begins.
func (fn *function) enter(s *state) {
	s.reset()
	t := fn.target
	if fn.own.Kernel {
		return
	}
	for r := range t.Regs.CalleeSaved.All() {
		if fn.touched[r] { // of the others nothing is ever said
			s.regs[r] = word{kind: saved, off: int64(r)}
		}
	}
	s.regs[t.Regs.SP] = word{kind: address}
	if t.Regs.HasRetAddr() {
		s.regs[t.Regs.RetAddr] = word{kind: retAddr}
		s.regs[t.Regs.RetAddr+1] = word{kind: retAddr, off: 1}
	}
	for i := range fn.own.Params {
		fn.place(s, &fn.own.Params[i], fn.owner("", &fn.own.Params[i]))
	}
	if fn.own.Hidden.Kind == abi.InReg {
		s.regs[fn.own.Hidden.Reg] = word{kind: buffer}
	}
}

// place puts a formal that is in registers into them.
func (fn *function) place(s *state, f *Formal, who int32) {
	if f.Loc.Kind != abi.InReg {
		return
	}
	for _, p := range f.Pieces() {
		s.regs[p.Loc.Reg] = word{kind: value, who: who, off: int64(p.Off), size: uint8(p.Size)}
	}
}
