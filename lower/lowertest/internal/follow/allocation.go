package follow

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/ptx/dataflow"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// An AllocationReport is the result of checking where a listing keeps the registers of its source.
type AllocationReport struct {
	// Functions were followed; NotFollowed says of each other one why it was not.
	Functions   int
	NotFollowed []string
	// Instructions of the source were found in the listing, and Missing were not, whose
	// results are not followed.
	Instructions, Missing int
	// Uses is the number of words that were read from the right place, and Bytes the number of their bytes.
	Uses, Bytes int
	// Unfollowed are the places that could not be compared.
	Unfollowed  []Misplaced
	Differences []Misplaced
}

// A Misplaced is a place that does not hold what the source reads.
type Misplaced struct {
	Func     string
	Line     int    // of the listing
	Source   int    // line of the source
	Code     string // the instruction of the source
	Register string // of the source: "%r2", "argument a of g"
	Place    string // "R5"
	Want     string // "hold %r2, which line 7 of the source, `…`, makes"
	Got      string // "it holds …"
	Last     string // where it was last right
}

// Allocation holds a listing of a module against the module: wherever an instruction
// of the source is in the listing, each register that it reads has to be where the listing
// reads it. Instructions of the source are in it as their text, as package lower has them, or as the
// comment after an instruction of the machine: "ptx: add.s32 R4, R5, R6". Moves, loads and stores
// of the machine carry values on; calls leave alone the registers that the convention preserves.
func Allocation(theirs string, m *ptx.Module, target *abi.Target) (*AllocationReport, error) {
	byName, err := symexec.Parse(theirs)
	if err != nil {
		return nil, err
	}
	r, table := &AllocationReport{}, resolve.NewTable(m)
	shared := newWrittenRegs(byName)
	for _, it := range m.Items {
		f, ok := it.(*ptx.Func)
		if !ok || !f.HasBody {
			continue
		}
		l := byName[f.Name]
		if l == nil {
			r.NotFollowed = append(r.NotFollowed, f.Name+": not in the listing")
			continue
		}
		s, err := sitesOf(m, f, table, target)
		if err != nil {
			r.NotFollowed = append(r.NotFollowed, f.Name+": "+err.Error())
			continue
		}
		before := *r
		a := newAllocation(newPath(l, s, new(terms), shared, m.AddressSize != 64), m, f, table, r)
		if a.align(); a.p.failed == "" {
			a.p.run(a.m)
		}
		if a.p.failed != "" {
			*r = before
			r.NotFollowed = append(r.NotFollowed, a.p.failed)
			continue
		}
		r.Functions++
		r.Missing += len(a.missing)
		for _, i := range a.ofInstr {
			if i >= 0 {
				r.Instructions++
			}
		}
		for _, list := range [][]Misplaced{r.Differences[len(before.Differences):], r.Unfollowed[len(before.Unfollowed):]} {
			slices.SortStableFunc(list, func(x, y Misplaced) int { return cmp.Compare(x.Line, y.Line) })
		}
	}
	return r, nil
}

// An allocation is the check of one function.
type allocation struct {
	p       *path
	m       *symexec.Machine
	fn      *dataflow.Function
	live    *dataflow.Liveness
	formals []ptx.Formal
	names   map[string]bool // of the source's registers: true; of its variables: false

	vectors map[string]int // elements of vector registers, which have that name in the listing where they have no home

	ofInstr []int       // the statement of each instruction, -1 for none
	ofStmt  []int       // the instruction of each statement, -1 for none
	labelAt map[int]int // the label of the source, by the instruction after that of the listing

	meets    map[int64]int                   // where ways meet, by the number of the value there
	accepts  map[int64]map[symexec.Byte]bool // values of the machine that may stand for one of the source
	from     map[int64][2]symexec.Byte       // the value on either way
	made     map[int64]maker                 // by which statement a value was made
	address  map[int64]string                // the variable whose address has a number
	bound    map[addressByte]symexec.Byte    // where variables are
	entry    map[variable]symexec.Byte       // bytes of the parameters
	home     map[param]int                   // the block that alone mentions a variable
	missing  map[int]bool                    // statements that were passed over
	report   *AllocationReport
	reported map[string]bool
}

// A maker is the statement that has made a value, for a register.
type maker struct {
	stmt int
	reg  string
}

func newAllocation(p *path, m *ptx.Module, f *ptx.Func, table *resolve.Table, r *AllocationReport) *allocation {
	a := &allocation{
		p: p, m: p.m, report: r, fn: dataflow.New(f, table), formals: resolve.Params(m, f), names: make(map[string]bool), vectors: make(map[string]int), labelAt: make(map[int]int),
		meets: make(map[int64]int), accepts: make(map[int64]map[symexec.Byte]bool), from: make(map[int64][2]symexec.Byte), made: make(map[int64]maker),
		address: make(map[int64]string), bound: make(map[addressByte]symexec.Byte), entry: make(map[variable]symexec.Byte), missing: make(map[int]bool), reported: make(map[string]bool),
	}
	a.live = a.fn.LivenessWithin(mostJoined)
	a.homes()
	for i := range f.Params {
		a.names[f.Params[i].Name] = false
	}
	for _, st := range f.Body {
		if d, ok := st.(*ptx.Decl); ok {
			for i := range d.Vars {
				a.names[d.Vars[i].Name] = false
			}
		}
	}
	for i := range a.fn.Registers {
		a.names[a.fn.Registers[i].Name] = true
		a.vectors[a.fn.Registers[i].Name] = a.fn.Registers[i].Elements()
	}
	p.alloc, p.m.Beside = a, a.begin()
	if a.live == nil {
		p.fail("it has more registers and labels than are followed")
	}
	return a
}

// instr carries out an instruction of the listing that the source has, or that is text.
// It reports whether control comes to the next one, and whether it was one of those.
func (a *allocation) instr(m *symexec.Machine, in *symexec.Instr) (comes, done bool) {
	i := a.p.index
	j, st := a.ofInstr[i], &a.p.ptx[i]
	if j >= 0 && !a.reach(sourceOf(m.State), j) {
		return false, true
	}
	if j >= 0 {
		if st := instrOf(a.fn.Func.Body[j]); st.Guard != nil {
			a.guard(m, in, j, st.Guard)
		}
		sourceOf(m.State).at = j + 1
	}
	if j < 0 && st.name == "" {
		return false, false
	}
	if j >= 0 {
		switch of := a.fn.Func.Body[j].(type) {
		case *ptx.Call:
			a.arguments(m, j, of)
			return false, false // the machine goes on
		case *ptx.Instr:
			switch of.Kind() {
			case ptx.OpReturn:
				if of.Op[0] == 'r' {
					a.results(m, j)
				}
				return false, false
			case ptx.OpBranch:
				return a.jump(m, j, st), true
			}
		}
	}
	side := a.machineSide(m)
	switch {
	case flowKey(st.name) != "" || st.name == "trap":
		return false, in.Text == "" // the machine executes it
	case j >= 0:
		a.pair(m, in, j, st)
	case st.name == "mov" && side.move(st.op, st.list):
	case in.Text == "":
		return false, false
	default:
		a.loseText(st)
	}
	return true, true
}

// reach carries out the source up to a statement.
func (a *allocation) reach(s *source, j int) bool {
	if s.at > j {
		a.p.fail("%s comes after what stands after it in the source", a.p.where())
		return false
	}
	a.catchUp(s, j, true)
	return a.p.failed == ""
}

// pass goes over an instruction that is not executed.
func (a *allocation) pass(s *symexec.State, i int) {
	if a == nil || s == nil {
		return
	}
	if j := a.ofInstr[i]; j >= 0 && a.reach(sourceOf(s), j) {
		sourceOf(s).at = j + 1
	}
}

// fork notes in two states that a predicate is true in one and false in the other.
func (a *allocation) fork(pred string, yes, no *symexec.State) {
	if a == nil || yes == nil || no == nil {
		return
	}
	if v := yes.Virt[pred].B[0]; v.Known() {
		sourceOf(yes).facts[v], sourceOf(no).facts[v] = true, false
	}
}

// arrive makes the source of a state be where an instruction is that several ways lead to,
// and leaves out what is not live there.
func (a *allocation) arrive(to int, s *symexec.State) bool {
	at, ok := a.labelAt[to]
	if ok && !a.reach(sourceOf(s), at) {
		return false
	}
	if have := a.p.in[to]; have != nil && !a.level(sourceOf(have), sourceOf(s)) {
		return false
	}
	if !ok || at >= len(a.fn.Func.Body) {
		return true
	}
	if b := a.fn.BlockOf(at); a.fn.Blocks[b].First == at {
		live := a.live.In(b)
		for c := range sourceOf(s).regs {
			if _, ok := slices.BinarySearch(live, int(c.reg)); !ok {
				delete(sourceOf(s).regs, c)
			}
		}
		for v := range sourceOf(s).vars {
			if home, ok := a.home[v.param]; ok && home >= 0 {
				delete(sourceOf(s).vars, v)
			}
		}
	}
	return true
}

// level carries out the source of the state that is after the other one.
func (a *allocation) level(x, y *source) bool {
	if x.at > y.at {
		x, y = y, x
	}
	return a.reach(x, y.at)
}

// limit returns the statement from a place on before which the source can be carried out
// whatever the machine does.
func (a *allocation) limit(at int) int {
	for ; at < len(a.fn.Func.Body); at++ {
		if a.ofStmt[at] >= 0 {
			break
		}
		if _, ok := a.fn.Func.Body[at].(*ptx.Label); ok && at == a.fn.Blocks[a.fn.BlockOf(at)].First {
			break
		}
		if in := instrOf(a.fn.Func.Body[at]); in != nil {
			if _, ok := a.fn.Func.Body[at].(*ptx.Call); ok || in.Kind() == ptx.OpBranch || in.Kind() == ptx.OpReturn {
				break
			}
		}
	}
	return at
}

// jump carries out a branch of the source. It reports whether control comes to the next
// instruction.
func (a *allocation) jump(m *symexec.Machine, j int, st *statement) bool {
	if st.name == "trap" {
		a.p.leave(m, point{kind: exitPoint, index: a.p.index})
		return false
	} else if st.name == "brx" {
		a.index(m, j, st.list)
	}
	labels, targets := a.jumpLabels(a.p.index), a.fn.Targets(j)
	if len(labels) == 0 || len(labels) != len(targets) {
		a.p.fail("%s jumps to %d labels, and the source to %d", a.p.where(), len(labels), len(targets))
		return false
	}
	for k, label := range labels {
		at := int(targets[k])
		if have, ok := a.labelAt[a.p.l.Labels[label]]; ok {
			at = min(at, have) // labels side by side
		}
		sourceOf(m.State).at = at
		a.p.goTo(m, label)
	}
	return false
}

// index checks the register that a branch through a list goes by.
func (a *allocation) index(m *symexec.Machine, j int, theirs []dataflow.Operand) {
	ours, _ := dataflow.Operands("brx", a.fn.Func.Body[j].(*ptx.Instr).Operands)
	if len(theirs) == 0 || len(ours) == 0 || len(namesOf([]ptx.Operand{*theirs[0].Operand})) == 0 || len(namesOf([]ptx.Operand{*ours[0].Operand})) == 0 {
		return
	}
	for _, r := range a.registers(j, namesOf([]ptx.Operand{*ours[0].Operand})[0]) {
		a.use(m, j, &r, namesOf([]ptx.Operand{*theirs[0].Operand})[0].Text, math.MaxUint16)
	}
}

// guard checks the predicate of an instruction.
func (a *allocation) guard(m *symexec.Machine, in *symexec.Instr, j int, g *ptx.Guard) {
	pred, neg := guardOf(in)
	if pred == "" || pred == "never" || neg != g.Neg {
		return // a branch around it
	}
	for _, r := range a.registers(j, operandName{Text: g.Name}) {
		a.use(m, j, &r, pred, 1)
	}
}

// machineWord returns word k of a register of some words by its name in the listing.
func (a *allocation) machineWord(m *symexec.Machine, name string, k, words int) symexec.Word {
	if name == "RZ" {
		return symexec.ConstWord(0)
	}
	return m.Named(name, k, words)
}

// A pairing is a register of the source and what the listing has for it.
type pairing struct {
	operand int
	reg     sourceReg
	name    string
}

// pairings returns the registers of a statement and what the listing has in their places;
// ok is false if there are more of one than of the other.
func (a *allocation) pairings(j int, in *ptx.Instr, theirs []dataflow.Operand) (pairs []pairing, list []dataflow.Operand, known, ok bool) {
	list, known = dataflow.Operands(in.Op, in.Ops())
	if len(list) != len(theirs) {
		return nil, list, known, false
	}
	for k := range list {
		var names []string
		for _, n := range namesOf([]ptx.Operand{*theirs[k].Operand}) {
			if a.isRegister(n.Text) {
				names = append(names, textOf(n))
			}
		}
		for _, n := range namesOf([]ptx.Operand{*list[k].Operand}) {
			regs := a.registers(j, n)
			if len(regs) > 1 && len(names) == 1 { // a vector that is named whole in both
				names = wholeVector(names[0], regs)
			}
			for _, r := range regs {
				if len(names) == 0 {
					return nil, list, known, false
				}
				pairs = append(pairs, pairing{k, r, names[0]})
				names = names[1:]
			}
		}
		if len(names) > 0 {
			return nil, list, known, false
		}
	}
	return pairs, list, known, true
}

// wholeVector returns the names of the elements of a vector in the listing.
func wholeVector(name string, regs []sourceReg) []string {
	var names []string
	first, ok := symexec.MachineRegister(name)
	for i := range regs {
		if ok {
			names = append(names, fmt.Sprintf("R%d", int(first)+i*regs[i].words()))
		} else {
			names = append(names, name+"."+"xyzw"[i:i+1])
		}
	}
	return names
}

// pair carries out an instruction of the source and of the listing: what it reads has to be
// in its places, and what it writes is in both then.
func (a *allocation) pair(m *symexec.Machine, in *symexec.Instr, j int, theirs *statement) {
	st := a.fn.Func.Body[j].(*ptx.Instr)
	pairs, list, known, ok := a.pairings(j, st, theirs.list)
	if !ok {
		a.missing[j] = true
		a.loseDefs(sourceOf(m.State), j)
		a.loseText(theirs)
		return
	}
	for i := range pairs {
		p := &pairs[i]
		if list[p.operand].Read {
			a.use(m, j, &p.reg, p.name, read(st.Op, list, p.operand))
		}
	}
	if in.Text == "" {
		a.p.notKnown(m, in)
	}
	for i := range pairs {
		p := &pairs[i]
		if !list[p.operand].Written || !known {
			continue
		}
		n := int64(a.p.terms.number(fmt.Sprintf("made %d %d", j, i)))
		a.made[n] = maker{j, p.reg.name}
		if _, ok := a.p.computed[n]; !ok {
			a.p.computed[n] = a.p.index
		}
		words := p.reg.words()
		for k := range words {
			w := termWord(n, k)
			delete(sourceOf(m.State).facts, w.B[0])
			sourceOf(m.State).set(&p.reg, k, w)
			if p.name != "RZ" && p.name != "PT" {
				m.SetName(p.name, k, words, w)
			}
		}
	}
	if !known {
		a.loseDefs(sourceOf(m.State), j)
		a.loseText(theirs)
	}
}

// loseText makes the registers unknown that an instruction of PTX writes which the listing has and
// the source does not.
func (a *allocation) loseText(st *statement) {
	for k := range st.list {
		if !st.list[k].Written {
			continue
		}
		for _, n := range namesOf([]ptx.Operand{*st.list[k].Operand}) {
			if a.isRegister(n.Text) {
				a.p.lose(a.m, n.Text)
			}
		}
	}
}

// read returns which bytes of a register an instruction reads: bit 0 for the lowest.
func read(op string, list []dataflow.Operand, k int) uint16 {
	const all = math.MaxUint16
	name, _, _ := strings.Cut(op, ".")
	last := 0
	if i := strings.LastIndexByte(op, '.'); i >= 0 {
		last = ptx.TypeOf(op[i:]).Size()
	}
	low := func(n int) uint16 {
		if n <= 0 || n >= 16 {
			return all
		}
		return 1<<n - 1
	}
	switch {
	case name == "st" && k == 1, name == "cvt" && k == 1:
		return low(last)
	case name == "and" && k >= 1 && len(list) == 3:
		if c, ok := ptx.ParseConstant(list[3-k].Text); ok {
			n := 0
			for c.Bits>>(8*n) != 0 && n < 8 {
				n++
			}
			return low(max(n, 1))
		}
	}
	return all
}

// arguments checks what a call passes.
func (a *allocation) arguments(m *symexec.Machine, j int, call *ptx.Call) {
	pt := a.p.sites.callee(a.callName(), a.p.nth[a.p.index])
	if pt == nil {
		return
	}
	for i := range min(len(call.Params), len(pt.asn.Params)) {
		bytes := a.bytesOf(sourceOf(m.State), j, &call.Params[i], pt.asn.Params[i].Size)
		what := fmt.Sprintf("argument %s of %s", pt.params[i], pt.name)
		a.placed(m, j, &pt.asn.Params[i], bytes, what)
	}
}

// callName returns the name that the current instruction calls.
func (a *allocation) callName() string {
	in := &a.p.l.Instrs[a.p.index]
	if len(in.Args) > 0 && in.Args[0].Kind == sass.KindSymbol {
		return in.Args[0].Name
	}
	return symexec.Pointer
}

// wholeWords returns how many bytes of a variable are followed: the machine keeps the rest
// of the last word with it, and modules are seen to use that.
func wholeWords(n int) int { return min(n+3, most64k) &^ 3 }

// bytesOf returns bytes of an operand of a call: of a variable, a register or a number.
func (a *allocation) bytesOf(s *source, j int, o *ptx.Operand, n int) []symexec.Byte {
	list := make([]symexec.Byte, min(n, most64k))
	if v := a.variableOf(o.Name(), j); v != (param{}) {
		list = make([]symexec.Byte, wholeWords(n))
		for b := range list {
			list[b] = a.variable(s, variable{v, int64(b)})
		}
		return list
	}
	regs := a.registers(j, operandName{Text: o.Name(), Elem: o.Elem})
	for b := range list {
		switch {
		case len(regs) > 0 && b < len(regs)*regs[0].size:
			k := b % regs[0].size
			list[b] = symexec.Effective(s.word(&regs[b/regs[0].size], k/4), k%4)
		case o.Kind == ptx.KindInt && b < 8:
			list[b] = symexec.Byte{Kind: symexec.ConstByte, Off: int64(o.Bits >> (8 * b) & 0xff)}
		}
	}
	return list
}

// placed checks that the place of a value has its bytes.
func (a *allocation) placed(m *symexec.Machine, j int, p *abi.Placement, bytes []symexec.Byte, what string) {
	switch p.Loc.Kind {
	case abi.InReg:
		a.holdsAll(j, bytes, what, func(first int) (symexec.Word, string, sass.Reg) {
			reg := p.Loc.Reg + sass.Reg(first/4)
			return m.Regs[reg], fmt.Sprintf("R%d", reg), reg
		})
	case abi.OnStack:
		if sp, ok := m.Linear(m.Regs[sass.SP]); ok {
			a.holdsAll(j, bytes, what, func(first int) (symexec.Word, string, sass.Reg) {
				off := int64(p.Loc.Off + first)
				return localWord(m.State, sp, off), sass.Mem(sass.SP, off).String(), sass.RZ
			})
		}
	}
}

// holdsAll checks that words have the bytes of a value: at returns the word of a byte, and what it is called.
func (a *allocation) holdsAll(j int, bytes []symexec.Byte, what string, at func(first int) (symexec.Word, string, sass.Reg)) {
	for first := 0; first < len(bytes); first += 4 {
		var want symexec.Word
		mask, name := uint8(0), what
		for b := range min(4, len(bytes)-first) {
			if want.B[b] = bytes[first+b]; want.B[b].Kind != symexec.Nothing {
				mask |= 1 << b
			}
		}
		if len(bytes) > 4 {
			name = fmt.Sprintf("bytes %d to %d of %s", first, min(first+4, len(bytes)), what)
		}
		have, place, reg := at(first)
		a.check(j, name, place, reg, have, want, mask)
	}
}

// called gives the source what a call has left, and checks what it goes through.
func (a *allocation) called(m *symexec.Machine, pt *point) {
	j := a.ofInstr[a.p.index]
	if j < 0 {
		a.p.fail("%s calls what the source does not", a.p.where())
		return
	}
	call := a.fn.Func.Body[j].(*ptx.Call)
	if pt.site == nil {
		a.loseDefs(sourceOf(m.State), j)
		for i := range call.Results {
			a.drop(sourceOf(m.State), a.variableOf(call.Results[i].Name(), j), j)
		}
		return
	}
	s := pt.site
	for i := range min(len(call.Results), len(s.asn.Results)) {
		p, o := &s.asn.Results[i], &call.Results[i]
		value := func(k int) symexec.Byte {
			if s.sretSize() > 0 {
				return symexec.Byte{Kind: symexec.ResultByte, Epoch: uint16(pt.nth), Off: int64(k)}
			}
			return symexec.Effective(m.Regs[p.Loc.Reg+sass.Reg(k/4)], k%4)
		}
		if v := a.variableOf(o.Name(), j); v != (param{}) {
			for k := range wholeWords(p.Size) {
				sourceOf(m.State).vars[variable{v, int64(k)}] = value(k)
			}
			continue
		}
		for e, r := range a.registers(j, operandName{Text: o.Name(), Elem: o.Elem}) {
			sourceOf(m.State).fill(&r, func(k int) symexec.Byte { return value(e*r.size + k) })
		}
	}
	if len(pt.pointer) == 0 || call.Callee.Name() == "" {
		return
	}
	for _, r := range a.registers(j, operandName{Text: call.Callee.Name()}) {
		for k := range min(r.words(), len(pt.pointer)) {
			a.check(j, r.name, fmt.Sprintf("word %d of what the call goes through", k), sass.RZ, pt.pointer[k], sourceOf(m.State).word(&r, k), 0xf)
		}
	}
}

// results checks what a return hands over.
func (a *allocation) results(m *symexec.Machine, j int) {
	own, f := a.p.sites.own, a.fn.Func
	if a.p.sites.kernel || len(f.Results) != 1 || len(own.asn.Results) != 1 {
		return
	}
	p, name := &own.asn.Results[0], f.Results[0].Name
	bytes := a.bytesOf(sourceOf(m.State), len(f.Body), &ptx.Operand{Kind: ptx.KindName, Text: name}, p.Size)
	if i := misalignedStore(f); i >= 0 {
		for k := range bytes {
			bytes[k] = unknown(i).B[k%4]
		}
	}
	what := "result " + name
	if own.sretSize() == 0 {
		a.placed(m, j, p, bytes, what)
		return
	}
	base := m.BaseOf(symexec.RegWord(own.asn.Sret.Reg, 0).B[0])
	a.holdsAll(j, bytes, what, func(first int) (symexec.Word, string, sass.Reg) {
		return localWord(m.State, symexec.Addr{Base: base}, int64(first)), fmt.Sprintf("the memory for the result at offset %d", first), sass.RZ
	})
}
