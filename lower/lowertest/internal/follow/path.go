package follow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/sass"
)

// A path has the input and the results of following a listing on every path, beside the machine.
// After an unknown instruction, only the places that it may have written are unknown.
type path struct {
	m     *symexec.Machine
	l     *symexec.Listing
	ptx   []statement // of the instructions
	sites *sites
	terms *terms
	// written are the registers that functions of the listing may change, by their names;
	// nil where all are taken to change what they may.
	written *writtenRegs

	in    map[int]*symexec.State // what holds before an instruction that control comes to
	again map[int]bool
	nth   map[int]int // of a call: how many of the name stand before it
	calls map[int]int // of a call: its number, from 1 on
	final bool        // what holds is known: what is found counts
	index int         // of the instruction
	start int         // of the block, the first instruction
	jumps []jump      // between blocks

	log      []change
	points   []point
	stores   map[symexec.Addr]store // to global memory
	unplaced []int                  // the instructions that write to memory at an address that is not followed
	frames   []frameStore           // what is stored to local memory
	loads    []frameStore           // what is loaded from it, of several words
	results  map[uint16]abi.RegSet  // of a call that the source has: the registers of its result
	// unsure are the registers of the results of calls of which it is not known which others they change.
	unsure    map[uint16]abi.RegSet
	addresses []addressUse
	virtual   map[string]int16         // numbers of virtual registers
	computed  map[int64]int            // the instruction that computes a term first
	tests     map[int64][]symexec.Byte // of the term of a predicate that may be either: the values that it depends on
	blind     bool                     // something is stored to an address that is not followed
	loose     bool                     // where control goes is not known everywhere
	failed    string                   // why the function cannot be followed
	alloc     *allocation              // where the listing is held against its source, else nil
	joined    int                      // registers and bytes of states that met
	kept      int                      // registers and bytes of states
}

// A jump is from the instruction at an index of the block that begins at start to another block.
type jump struct {
	start, index, to int
	pred             symexec.Byte // that guards it
}

// A change is a register that an instruction has written, or a call has changed.
type change struct {
	index int
	reg   sass.Reg
	w     symexec.Word
	call  bool
}

// A pointKind is a kind of points.
type pointKind uint8

const (
	callPoint pointKind = iota
	returnPoint
	exitPoint
	endPoint // the end of the code
)

// A point is where control leaves the function, with the state there.
type point struct {
	kind   pointKind
	start  int // of the block
	index  int
	name   string // of the callee
	site   *site  // nil if the source has no such call
	nth    int    // number of the call, from 1 on
	state  *symexec.State
	direct bool // it goes through registers, and is compared with a call by name
	trap   bool // an exit that a trap is
	// pointer are the words that it goes through, nil for one by name.
	pointer []symexec.Word
}

// A store is the instruction that has written a byte of global memory.
type store struct {
	start int  // of the block
	index int  // the last instruction
	over  bool // it was written by several, on different paths
	weak  bool // it was written by an instruction of PTX that is not volatile
}

// A frameStore is a store of size bytes to local memory.
type frameStore struct {
	index int
	at    symexec.Addr
	size  int64
}

// helperCalls is a number above those of calls of the source.
const helperCalls = 60_000

// follow executes a listing on every path from its first instruction.
func follow(l *symexec.Listing, s *sites, t *terms, written *writtenRegs, narrow bool) *path {
	p := newPath(l, s, t, written, narrow)
	p.m.Aligned, p.m.Rounded = map[int16]int64{symexec.SPBase: int64(s.own.align)}, make(map[int16]symexec.Addr)
	p.m.FollowsPointers = true
	p.run(p.m)
	return p
}

// newPath returns a path at the beginning of a function, whose calls are counted.
func newPath(l *symexec.Listing, s *sites, t *terms, written *writtenRegs, narrow bool) *path {
	p := &path{
		m: symexec.NewMachine(s.t, narrow), l: l, sites: s, terms: t, written: written,
		in: make(map[int]*symexec.State), again: make(map[int]bool), nth: make(map[int]int), calls: make(map[int]int),
		virtual: make(map[string]int16), computed: make(map[int64]int), tests: make(map[int64][]symexec.Byte), results: make(map[uint16]abi.RegSet), unsure: make(map[uint16]abi.RegSet),
	}
	for i := range l.Instrs {
		p.ptx = append(p.ptx, statementOf(&l.Instrs[i]))
	}
	p.m.OnStore = p.stored
	p.number()
	return p
}

// run follows the listing.
func (p *path) run(m *symexec.Machine) {
	if line := p.l.LeftOut(p.sites.t); line > 0 {
		p.fail("the listing leaves out instructions after line %d, by their offsets: a disassembler may not have known them", line)
		return
	}
	p.join(0, m.State.Clone())
	for len(p.again) > 0 && p.failed == "" {
		i := slices.Min(slices.Collect(maps.Keys(p.again)))
		delete(p.again, i)
		p.block(m, i)
	}
	p.final = true
	m.Stores = make(map[symexec.Addr]symexec.Byte)
	p.stores = make(map[symexec.Addr]store)
	if p.failed == "" {
		for _, i := range slices.Sorted(maps.Keys(p.in)) {
			if p.failed == "" {
				p.block(m, i)
			}
		}
	}
}

// number counts the calls.
func (p *path) number() {
	names := make(map[string]int)
	count, helpers := 0, helperCalls
	for i := range p.l.Instrs {
		in := &p.l.Instrs[i]
		if !isCall(in.Name) {
			continue
		}
		name := symexec.Pointer
		if len(in.Args) > 0 && in.Args[0].Kind == sass.KindSymbol {
			name = symexec.FunctionName(in.Args[0].Name)
		}
		p.nth[i] = names[name]
		names[name]++
		if p.isHelper(name) {
			helpers++
			p.calls[i] = helpers
			continue
		}
		count++
		p.calls[i] = count
	}
}

func isCall(op string) bool { return op != "RET" && symexec.IsEnd(op) }

// isHelper reports whether a name is that of code which the assembler itself adds, such as
// divisions, and calls in a way of its own, or of a helper of the backend; the source does not call it.
func (p *path) isHelper(name string) bool {
	return strings.HasPrefix(name, "$") || strings.HasPrefix(name, "__internal") || strings.HasPrefix(name, ".L") ||
		len(p.sites.named[name]) == 0 && (isa.Helper(name) || slices.Contains(p.sites.helpers, name))
}

// straight reports whether there is one path, with one end.
func (p *path) straight() bool {
	ends := 0
	for i := range p.points {
		if p.points[i].kind != callPoint {
			ends++
		}
	}
	return len(p.in) == 1 && ends < 2
}

// note notes that a register is written.
func (p *path) note(r sass.Reg, w symexec.Word) {
	if p.final {
		p.log = append(p.log, change{index: p.index, reg: r, w: w})
	}
}

// stored notes that a byte of global memory is written. Where another instruction has
// written it and there are several paths, it is not known what is left there.
func (p *path) stored(addr symexec.Addr, b symexec.Byte) {
	if !p.final {
		return
	}
	in := &p.l.Instrs[p.index]
	s, again := p.stores[addr]
	if again && p.m.Stores[addr] != b {
		guard, _ := guardOf(in)
		s.over = s.over || s.index == p.index || !p.straight() || guard != ""
	}
	s.weak = s.weak || in.Text != "" && !slices.Contains(strings.Split(p.ptx[p.index].op, "."), "volatile")
	s.start, s.index = p.start, p.index
	p.stores[addr] = s
}

// A fork is two states: one where a predicate holds, and one where it does not. Without
// one, only the first state counts. A state is nil where control does not come.
type fork struct {
	pred    string
	yes, no *symexec.State
}

// merge ends a fork before an instruction.
func (f *fork) merge(p *path, at int) {
	if f.yes == nil {
		f.yes = f.no
	} else if f.no != nil {
		p.meet(f.yes, f.no, at)
	}
	f.pred, f.no = "", nil
}

// block follows control from an instruction to where it leaves or joins another way.
func (p *path) block(m *symexec.Machine, start int) {
	now := fork{yes: p.in[start].Clone()}
	p.start = start
	for i := start; ; i++ {
		p.index = i
		if i == len(p.l.Instrs) {
			if now.merge(p, i); now.yes != nil {
				m.State = now.yes
				p.leave(m, point{kind: endPoint, index: i - 1})
			}
			return
		}
		if i > start && p.l.Targets[i] {
			if now.merge(p, i); now.yes != nil {
				p.join(i, now.yes)
			}
			return
		}
		in := &p.l.Instrs[i]
		switch pred, neg := guardOf(in); pred {
		case "":
			if p.isFlow(i) || now.pred != "" && p.mentions(i, now.pred) {
				now.merge(p, i)
			}
			now.yes = p.on(m, in, now.yes)
			if now.pred != "" {
				now.no = p.on(m, in, now.no)
			}
		case "never":
			p.alloc.pass(now.yes, i)
			p.alloc.pass(now.no, i)
		default:
			// An assembler may not see that a branch of the source is never taken after one on the same predicate.
			if dead := now.yes == nil || now.no == nil; now.pred != pred || dead && p.written == nil && p.alloc == nil {
				now.merge(p, i)
				now.pred, now.no = pred, now.yes.Clone()
				p.alloc.fork(pred, now.yes, now.no)
			}
			if neg {
				now.no = p.on(m, in, now.no)
				p.alloc.pass(now.yes, i)
			} else {
				now.yes = p.on(m, in, now.yes)
				p.alloc.pass(now.no, i)
			}
			if p.mentions(i, pred) {
				now.merge(p, i)
			}
		}
		if p.failed != "" || now.yes == nil && now.no == nil {
			return
		}
	}
}

// guardOf returns the predicate that guards an instruction, and whether it has to be
// false: "" for none, "never" for one that is not executed.
func guardOf(in *symexec.Instr) (pred string, neg bool) {
	guard := in.Guard
	if in.Text != "" && strings.HasPrefix(in.Text, "@") {
		guard, _, _ = strings.Cut(in.Text, " ")
	}
	switch guard {
	case "", "@", "@!", "@PT", "@UPT":
		return "", false
	case "@!PT", "@!UPT":
		return "never", false
	}
	name, neg := strings.CutPrefix(guard[1:], "!")
	return name, neg
}

// isFlow reports whether an instruction other than the next one may follow.
func (p *path) isFlow(i int) bool {
	in := &p.l.Instrs[i]
	if in.Text != "" {
		return slices.Contains([]string{"bra", "brx", "exit", "trap"}, p.ptx[i].name)
	}
	return symexec.MeetingLabel(in) != "" || symexec.IsEnd(in.Name) ||
		slices.Contains([]string{"BRA", "BRX", "JMP", "BSYNC", "SYNC", "BRK", "CONT", "EXIT", "KILL"}, in.Name)
}

// mentions reports whether an instruction has a predicate among its operands, so that it
// matters which value that has, or writes it.
func (p *path) mentions(i int, pred string) bool {
	in := &p.l.Instrs[i]
	if in.Text != "" {
		return strings.Contains(p.ptx[i].args, pred)
	}
	return slices.ContainsFunc(in.Args, func(o sass.Operand) bool { return o.Kind == sass.KindPred && o.Name == pred })
}

// on executes an instruction on a state. It returns what holds after it, nil if control
// does not come there.
func (p *path) on(m *symexec.Machine, in *symexec.Instr, s *symexec.State) *symexec.State {
	if s == nil {
		return nil
	}
	m.State = s
	m.Begin(in, int64(p.index))
	comes := p.instr(m, in)
	for _, r := range m.Wrote {
		p.note(r, m.Regs[r])
	}
	if !comes {
		return nil
	}
	return s
}

// instr executes an instruction without regard to its guard. It reports whether control
// comes to the next one.
func (p *path) instr(m *symexec.Machine, in *symexec.Instr) bool {
	if p.alloc != nil {
		if comes, done := p.alloc.instr(m, in); done {
			return comes
		}
	}
	if in.Text != "" {
		return p.text(m, &p.ptx[p.index])
	}
	p.usesAddresses(m, in)
	comes := p.machineInstr(m, in)
	if to := symexec.MeetingLabel(in); to != "" && comes {
		p.goTo(m, to)
		return false
	}
	return comes
}

// machineInstr is instr for machine code.
func (p *path) machineInstr(m *symexec.Machine, in *symexec.Instr) bool {
	switch in.Name {
	case "RET":
		p.leave(m, point{kind: returnPoint, index: p.index})
		return false
	case "EXIT", "KILL":
		p.leave(m, point{kind: exitPoint, index: p.index})
		return false
	case "CALL", "JCAL", "CAL", "JMX":
		return p.call(m, in)
	case "PRET":
		if len(in.Args) == 1 && in.Args[0].Kind == sass.KindSymbol {
			m.Pushed = in.Args[0].Name
		}
		return true
	case "BRA", "JMP", "BRX":
		return p.branch(m, in)
	case "BSYNC", "SYNC", "BRK", "CONT":
		return p.reconverge(m, in)
	}
	p.barrier(m, in)
	lost := readsLost(m, in)
	if err := m.Execute(in); err == nil {
		if lost {
			loseMade(m)
		}
		if in.Name == "STL" && p.final {
			p.local(m, in)
		}
		return true
	}
	m.Wrote = nil
	p.blind = p.blind || in.Name == "ST" || in.Name == "STG"
	if memoryWriters[in.Name] {
		p.hide()
	}
	p.notKnown(m, in)
	return true
}

// readsLost reports whether an instruction reads a register of which it is not known what an instruction
// that is in no table has written there.
func readsLost(m *symexec.Machine, in *symexec.Instr) bool {
	lost := func(w symexec.Word) bool { return w.Base == symexec.NoBase && w.B[0].Kind == symexec.LostByte }
	for i := range in.Args {
		switch o := &in.Args[i]; o.Kind {
		case sass.KindRegister, sass.KindMem, sass.KindAddress:
			if o.Name == "" && o.Reg != sass.RZ && lost(m.Regs[o.Reg]) {
				return true
			}
		case sass.KindUniform:
			if o.Reg != sass.RZ && lost(m.URegs[o.Reg]) {
				return true
			}
		}
	}
	return false
}

// loseMade makes what an instruction has made of such a register be not known either.
func loseMade(m *symexec.Machine) {
	for _, r := range m.Wrote {
		w := &m.Regs[r]
		for i := range w.B {
			if w.Base == symexec.NoBase && w.B[i].Kind == symexec.MadeByte {
				w.B[i].Kind = symexec.LostByte
			}
		}
	}
}

// memoryWriters are the machine's instructions that write to memory that is not the function's own.
var memoryWriters = map[string]bool{
	"ST": true, "STG": true, "STS": true, "RED": true, "REDG": true, "REDS": true, "ATOM": true, "ATOMG": true, "ATOMS": true,
}

// writesMemory reports whether an instruction of PTX writes to memory that is not the function's own.
func writesMemory(op string) bool {
	name, rest, _ := strings.Cut(op, ".")
	own := strings.HasPrefix(rest, "param") || strings.HasPrefix(rest, "local") || strings.HasPrefix(rest, "volatile.local")
	return name == "st" && !own || name == "atom" || name == "red" || name == "cp" || name == "wmma" && strings.HasPrefix(rest, "store")
}

// hide notes that the current instruction writes to an address that is not followed.
func (p *path) hide() {
	if p.final && !slices.Contains(p.unplaced, p.index) {
		p.unplaced = append(p.unplaced, p.index)
	}
}

// local notes a store to local memory.
func (p *path) local(m *symexec.Machine, in *symexec.Instr) {
	if at, err := m.LocalAddress(in.Args[0]); err == nil {
		n, _ := isa.AccessSize(in.Op)
		p.frames = append(p.frames, frameStore{p.index, at, int64(n)})
	}
}

// most is how many registers an instruction that is in no table is taken to write.
const most = 4

// notKnown executes an instruction of which no more is known than what it may write: of
// one that is in no table a few registers from its first operand on, unless that is an
// address.
func (p *path) notKnown(m *symexec.Machine, in *symexec.Instr) {
	e := isa.OperationOf(in.Op).Effects(in.Instr)
	kind := symexec.MadeByte
	if !e.Sure || !e.Exact {
		kind = symexec.LostByte
	}
	if !e.Sure {
		e.Regs, e.Uniform = nil, nil
		if i := isa.Destination(in.Instr, sass.KindRegister); i >= 0 {
			e.Regs = []isa.Span{{First: in.Args[i].Reg, N: most}}
		} else if len(in.Args) > 1 && in.Args[0] == sass.Register(sass.RZ) && in.Args[1].Kind == sass.KindRegister { // of textures
			e.Regs = []isa.Span{{First: in.Args[1].Reg, N: most}}
		}
		if i := isa.Destination(in.Instr, sass.KindUniform); i >= 0 {
			e.Uniform = []isa.Span{{First: in.Args[i].Reg, N: most}}
		}
	}
	value := func(k int) symexec.Word {
		return symexec.WordFrom(symexec.Byte{Kind: kind, Reg: uint8(k), Off: m.PC})
	}
	for _, s := range e.Regs {
		for k := range min(s.N, int(sass.RZ)-int(s.First)) {
			r := s.First + sass.Reg(k)
			if k > 0 && !e.Sure && r == sass.SP { // no code has the stack pointer within a value of several words
				break
			}
			m.Regs[r] = value(k)
			p.note(r, m.Regs[r])
		}
	}
	for _, s := range e.Uniform {
		for k := range min(s.N, int(sass.RZ)-int(s.First)) {
			m.URegs[s.First+sass.Reg(k)] = value(k)
		}
	}
	virtual := isa.Destination(in.Instr, sass.KindVirtual)
	for i := range in.Args {
		if o := &in.Args[i]; o.Kind == sass.KindPred {
			delete(m.Carries, o.Name)
			delete(m.Virt, o.Name)
		} else if i == virtual {
			p.lose(m, o.Name)
		}
	}
	delete(m.Carries, symexec.CarryFlag)
}

// text executes an instruction of PTX.
func (p *path) text(m *symexec.Machine, st *statement) bool {
	switch st.name {
	case "bra":
		p.goTo(m, st.args)
		return false
	case "brx":
		_, list, _ := strings.Cut(st.args, ",")
		labels, ok := p.l.Lists[strings.TrimSpace(list)]
		if !ok {
			p.fail("%s jumps to one of several labels, which the listing does not name: %s", p.where(), p.l.Instrs[p.index].Text)
		}
		for _, l := range labels {
			p.goTo(m, l)
		}
		return false
	case "exit", "trap":
		p.leave(m, point{kind: exitPoint, index: p.index, trap: st.name == "trap"})
		return false
	}
	if !p.moves(m, st.op, st.list) {
		p.passedThrough(m, st.op, st.list, st.known)
		if writesMemory(st.op) {
			p.hide()
		}
	}
	return true
}

// line returns the line of the listing that an instruction stands in, 0 for none.
func (p *path) line(i int) int {
	if i < 0 || i >= len(p.l.Instrs) {
		return 0
	}
	return int(p.l.Instrs[i].Pos.Line)
}

// where is the line of the current instruction.
func (p *path) where() string { return fmt.Sprintf("line %d", p.line(p.index)) }

func (p *path) fail(format string, args ...any) {
	if p.failed == "" {
		p.failed = p.l.Name + ": " + fmt.Sprintf(format, args...)
	}
}

// goTo says that control may come to a label.
func (p *path) goTo(m *symexec.Machine, label string) {
	to, ok := p.l.Labels[label]
	if !ok {
		p.fail("%s goes to %s, which is not a label of the function", p.where(), label)
		return
	}
	if to < len(p.l.Instrs) {
		p.join(to, m.State.Clone())
	}
}

// branch executes a jump.
func (p *path) branch(m *symexec.Machine, in *symexec.Instr) bool {
	n := len(in.Args)
	list := symexec.BranchTargets(in)
	if symexec.IsTableJump(in) && len(p.l.Unnamed) > 0 { // it may go to more of them than it does
		list, p.loose = p.l.Unnamed, p.loose || p.l.TableJumps() > 1
	}
	if len(list) > 0 {
		for _, l := range list {
			p.goTo(m, l)
		}
		return false
	}
	if n == 0 || in.Args[n-1].Kind != sass.KindSymbol || in.Name == "BRX" {
		p.fail("%s jumps through a register: %s", p.where(), in)
		return false
	}
	p.goTo(m, in.Args[n-1].Name)
	for _, o := range in.Args[:n-1] { // BRA P0, `(.L): another condition
		if o.Kind == sass.KindPred && !symexec.IsTrue(o) {
			return true
		}
	}
	return strings.Contains(in.Op, ".DIV") || strings.Contains(in.Op, ".CONV")
}

// barrier notes where the threads of a barrier meet, or that this is not known any more.
func (p *path) barrier(m *symexec.Machine, in *symexec.Instr) {
	push := in.Name == "SSY" || in.Name == "PBK" || in.Name == "PCNT"
	if !push && in.Name != "BSSY" && in.Name != "BMOV" || len(in.Args) == 0 || !push && in.Args[0].Kind != sass.KindOther {
		return
	}
	to := in.Args[len(in.Args)-1]
	name, label := in.Args[0].Name, to.Name
	if push { // on the stack that targets before sm_70 have
		name, label = "", in.Name+" "+to.Name+"\n"+m.Barriers[""]
	}
	delete(m.Barriers, name)
	if _, ok := p.l.Labels[to.Name]; in.Name != "BMOV" && ok && to.Kind == sass.KindSymbol {
		if m.Barriers == nil {
			m.Barriers = make(map[string]string)
		}
		m.Barriers[name] = label
	}
}

// pops are the instructions that go to the label of the last of another one.
var pops = map[string]string{"BSYNC": "BSSY", "SYNC": "SSY", "BRK": "PBK", "CONT": "PCNT"}

// reconverge executes an instruction that goes to the label of another one of the function.
func (p *path) reconverge(m *symexec.Machine, in *symexec.Instr) bool {
	if in.Name == "BSYNC" && len(in.Args) > 0 {
		if to, ok := m.Barriers[in.Args[0].Name]; ok {
			p.goTo(m, to)
			return false
		}
	}
	by := pops[in.Name]
	if top, rest, ok := strings.Cut(m.Barriers[""], "\n"); ok && in.Name == "SYNC" {
		if to, ok := strings.CutPrefix(top, by+" "); ok {
			m.Barriers[""] = rest
			p.goTo(m, to)
			return false
		}
	}
	delete(m.Barriers, "")
	found := 0
	for i := range p.l.Instrs {
		s := &p.l.Instrs[i]
		if s.Name != by || len(s.Args) == 0 {
			continue
		}
		same := in.Name != "BSYNC" || len(in.Args) > 0 && slices.ContainsFunc(s.Args, func(o sass.Operand) bool {
			return o.Kind == sass.KindOther && o.Name == in.Args[0].Name
		})
		to := s.Args[len(s.Args)-1]
		if _, ok := p.l.Labels[to.Name]; same && ok && to.Kind == sass.KindSymbol {
			p.goTo(m, to.Name)
			found++
		}
	}
	if found > 1 {
		p.loose = true
	}
	return found == 0
}

// leave notes a point.
func (p *path) leave(m *symexec.Machine, pt point) {
	if p.final && p.keep(m.State) {
		pt.state, pt.start = m.State.Clone(), p.start
		p.points = append(p.points, pt)
	}
}

// lostWord is a word of which nothing is known after an instruction, or for a statement of the source.
func lostWord(at int64) symexec.Word {
	return symexec.WordFrom(symexec.Byte{Kind: symexec.LostByte, Off: at})
}
