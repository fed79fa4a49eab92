package follow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/machine"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A Report is the result of comparing two listings of one module.
type Report struct {
	// Functions were followed in both; NotFollowed says of each other one why it
	// was not: it is not in the listing, or jumps to an unknown place.
	Functions   int
	NotFollowed []string
	// Calls and Returns were compared. Of them Words were looked at that the convention
	// carries, Bytes of which came from where they should, as did Stored bytes of memory.
	// Registers were seen to hold what no function may change, at calls and returns.
	Calls, Returns, Words, Bytes, Stored, Registers int
	// Unfollowed are the places that could not be compared, since what is there was made in
	// a way that is not followed. Undefined bytes are not among them.
	Unfollowed []Difference
	// Differences are in the order of ours, those of a function in that of its instructions.
	Differences []Difference
}

// A Difference is one place where a listing does something else than it should, as the kit has it.
type Difference struct {
	Func                        string
	Line                        int // of the listing, from 1 on; 0 where it has none
	What, Got, Want, Last, Rule string
}

// Compare compares a listing of a module, as nvdisasm writes it or package sass,
// with the module as lowered for the same target. The machine follows every byte
// through both from each function's beginning, on every path. Compared are
//
//   - the calls: how many, their order, how they are spelled;
//   - the addresses that calls through registers go to, whichever registers these are;
//   - at each call, the words in registers and on the stack that ours says the
//     callee takes, byte by byte by where they came from;
//   - at each return, likewise, the words of the result, those in memory included;
//   - what both write to global memory at a number, or at a number beyond a
//     parameter: parameters as the callee found them, results as the caller
//     found them. Stores to other addresses are counted as not followed.
//
// Registers and offsets are those of ours, so that a word that theirs puts
// into another one differs. Frames may be laid out differently: stack words count from
// the stack pointer at the call, and other addresses in frames are not compared.
//
// Of theirs alone it is checked that callee-saved registers, the stack pointer and the
// return address are at each return what they were at entry, that at each call the stack
// pointer is aligned and leaves room for what is passed, that the return address is that
// of what stands after the call, and that nothing is written to the caller's frame.
//
// Calls of functions named in helpers, which the backend adds and the source does not call, are not compared.
func Compare(theirs string, ours *sass.Program, m *ptx.Module, target *abi.Target, helpers []string) (*Report, error) {
	byName, err := symexec.Parse(theirs)
	if err != nil {
		return nil, err
	}
	table := resolve.NewTable(m)
	noTable := withoutTable(byName, target)
	r := &Report{}
	shared := newWrittenRegs(byName)
	for _, f := range ours.Funcs {
		their, known := byName[f.Name], table.Lookup(f.Name)
		if their == nil || known == nil {
			r.NotFollowed = append(r.NotFollowed, f.Name+": not in the listing")
			continue
		}
		if !slices.ContainsFunc(f.Items, func(it sass.Item) bool { return it.Kind == sass.Code }) { // a comment says why
			r.NotFollowed = append(r.NotFollowed, f.Items[0].Text)
			continue
		}
		fn := known.Func
		s, err := sitesOf(m, fn, table, target)
		if err != nil {
			r.NotFollowed = append(r.NotFollowed, f.Name+": "+err.Error())
			continue
		}
		s.helpers, s.noTable = helpers, noTable
		narrow, t := m.AddressSize != 64, new(terms)
		one := comparison{r: r, name: f.Name, sites: s, undefined: misaligned(fn), crooked: misalignedAccess(fn)}
		one.theirs, one.ours = follow(their, s, t, shared, narrow), follow(symexec.NewListing(f), s, t, nil, narrow)
		one.tell, one.say = &teller{one.theirs}, &teller{one.ours}
		if why := cmp.Or(one.theirs.failed, one.ours.failed); why != "" {
			r.NotFollowed = append(r.NotFollowed, why)
			continue
		}
		r.Functions++
		first := len(r.Differences)
		one.compare()
		slices.SortStableFunc(r.Differences[first:], func(a, b Difference) int { return cmp.Compare(a.Line, b.Line) })
	}
	return r, nil
}

// withoutTable reports whether no function of a listing has to do with the table of function addresses, on a target
// for which ptxas 11.8 makes none: its calls through registers are not compared with those of later releases.
func withoutTable(listings map[string]*symexec.Listing, target *abi.Target) bool {
	table := machine.Of(target.SM).Spelling.IndirectTable
	if table == "" || !strings.Contains(target.Toolkits, "11.8.") {
		return false
	}
	for _, l := range listings {
		for i := range l.Instrs {
			if slices.ContainsFunc(l.Instrs[i].Args, func(o sass.Operand) bool { return o.Name == table || strings.HasPrefix(o.Name, "fun@unified(") }) {
				return false
			}
		}
	}
	return true
}

// A comparison compares one function.
type comparison struct {
	r            *Report
	name         string
	sites        *sites
	theirs, ours *path
	tell, say    *teller // of theirs, of ours
	undefined    string  // why the words of the result are not compared
	crooked      bool    // the source accesses its variables where the size of an access does not divide the offset
}

// spelling returns the text of a call or a return, without the registers that are the
// compiler's to choose.
func spelling(p *path, pt *point) string {
	plain := anyRegister(p.l.Instrs[pt.index].Instr)
	if len(plain.Args) > 0 && plain.Args[0].Kind == sass.KindSymbol {
		plain.Args = slices.Clone(plain.Args)
		plain.Args[0].Name = symexec.FunctionName(plain.Args[0].Name)
	}
	return strings.TrimSuffix(strings.TrimSpace(plain.String()), " ;")
}

// straight reports whether both have one path.
func (c *comparison) straight() bool {
	return c.theirs.straight() && c.ours.straight()
}

// machineCode reports whether theirs is a disassembly, in which nothing of PTX is left.
func (c *comparison) machineCode() bool {
	return !slices.ContainsFunc(c.theirs.l.Instrs, func(in symexec.Instr) bool { return in.Text != "" })
}

func (c *comparison) compare() {
	c.convention()
	c.operands()
	if !c.calls() {
		return // what comes of another call differs as well
	}
	theirs, ours := c.theirs.pointsOf(returnPoint), c.ours.pointsOf(returnPoint)
	if len(theirs) > 0 && len(ours) > 0 {
		t, o := merged(c.theirs, theirs), merged(c.ours, ours)
		c.spelled(t, o, "the return")
		c.contract(t, o)
		c.indirect(t, o)
	}
	if len(ours) > 0 && len(theirs) == 0 && c.straight() {
		c.find(-1, "return", "the function", "return", "it does not", "", ruleCalls)
	}
	c.globals()
}

// spelled compares how a call or a return is written.
func (c *comparison) spelled(t, o *point, what string) {
	got, want := spelling(c.theirs, t), spelling(c.ours, o)
	if o.direct {
		want = strings.Replace(want, symexec.Pointer, o.name, 1)
		if table := machine.Of(c.sites.t.SM).Spelling.IndirectTable; table != "" {
			want = strings.TrimSuffix(want, " `("+table+")")
		}
	}
	if got == want || o.kind == returnPoint && unnumbered(got) == unnumbered(want) { // registers are compared with the words
		return
	}
	if c.sites.noTable && t.name == symexec.Pointer && want == fmt.Sprintf("%s `(%s)", got, machine.Of(c.sites.t.SM).Spelling.IndirectTable) {
		c.unfollowed(t.index, t.at(), what, "be "+want, "it is "+got+", as ptxas 11.8 has it")
		return
	}
	c.find(t.index, t.at(), what, "be "+want, "it is "+got, "", ruleCalls)
}

// unnumbered returns an instruction without the numbers of its registers.
func unnumbered(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if strings.HasPrefix(w, "R") && strings.Trim(w[1:], "0123456789,") == "" {
			words[i] = "R"
		}
	}
	return strings.Join(words, " ")
}

// pointsOf returns the points of a kind, in the order of the text.
func (p *path) pointsOf(kind pointKind) []*point {
	var list []*point
	for i := range p.points {
		if pt := &p.points[i]; pt.kind == kind {
			list = append(list, pt)
		}
	}
	slices.SortFunc(list, func(a, b *point) int { return cmp.Compare(a.index, b.index) })
	return list
}

// merged returns a point with the state that all of a list have in common.
func merged(p *path, list []*point) *point {
	if len(list) == 1 {
		return list[0]
	}
	pt := *list[0]
	pt.state = pt.state.Clone()
	for _, other := range list[1:] {
		p.meet(pt.state, other.state, len(p.l.Instrs))
		if !slices.Equal(pt.pointer, other.pointer) {
			pt.pointer = nil
		}
	}
	return &pt
}

func names(list []*point) []string {
	var all []string
	for _, pt := range list {
		all = append(all, pt.name)
	}
	return all
}

// calls compares the calls, and reports whether they are those of the source. Where there
// are several paths, the calls of one name count as one, since their order in the text is
// the compiler's.
func (c *comparison) calls() bool {
	theirs, ours := c.theirs.pointsOf(callPoint), c.ours.pointsOf(callPoint)
	c.direct(theirs, ours)
	inOrder := slices.Equal(names(theirs), names(ours))
	if c.straight() && !inOrder {
		c.callsDiffer(theirs, ours)
		return false
	}
	if c.straight() || inOrder && !c.machineCode() {
		for i := range ours {
			c.call(theirs[i], ours[i])
		}
		return true
	}
	byName := func(list []*point) map[string][]*point {
		m := make(map[string][]*point)
		for _, pt := range list {
			m[pt.name] = append(m[pt.name], pt)
		}
		return m
	}
	t, o, same := byName(theirs), byName(ours), true
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if n := len(t[name]); n < len(o[name]) && name != symexec.Pointer { // it may be on a way that is never taken
			c.unfollowed(-1, "call of "+name, "the call", "be there", fmt.Sprintf("the listing has %d of %d", n, len(o[name])))
		}
		if len(t[name]) == 0 {
			continue
		}
		c.callsOf(t[name], o[name])
	}
	for _, pt := range theirs {
		if len(o[pt.name]) == 0 {
			c.find(pt.index, pt.at(), "the call", "not be there", "the source has none", "", ruleCalls)
			same = false
		}
	}
	return same && c.order()
}

// direct gives those of our calls through registers the name of the function that is known to be called which an assembler
// has made calls by name of.
func (c *comparison) direct(theirs, ours []*point) {
	more := make(map[string]int) // how many calls of a name theirs has beyond ours
	for _, pt := range theirs {
		more[pt.name]++
	}
	for _, pt := range ours {
		more[pt.name]--
	}
	for _, pt := range ours {
		if more[symexec.Pointer] >= 0 {
			return
		}
		if name := c.ours.function(pt.pointer); pt.name == symexec.Pointer && more[name] > 0 {
			pt.name, pt.pointer, pt.direct = name, nil, true
			more[name]--
			more[symexec.Pointer]++
		}
	}
}

// function returns the name of the function whose address the words of a pointer are, "" for none.
func (p *path) function(pointer []symexec.Word) string {
	if len(pointer) == 0 || pointer[0].B[0].Kind != symexec.LabelByte {
		return ""
	}
	s := p.m.Symbols[pointer[0].B[0].Off]
	for k, w := range pointer {
		if w != p.m.SymbolWord(s, uint8(4*k)) {
			return ""
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(s.Name, "fun@unified("), ")")
}

// mostPairs bounds how many pairs of calls of one name are compared to find which are the same.
const mostPairs = 1024

// callsOf compares the calls of one name of both, whose order in the text is the compiler's: each of theirs with the one of
// ours that it differs least from, then each of ours that none was compared with. Where some of ours are one, or where there
// are too many, each of theirs is compared with the state that all of ours of that name have in common.
func (c *comparison) callsOf(theirs, ours []*point) {
	least := func(t *point, ours []*point) *point {
		return slices.MinFunc(ours, func(a, b *point) int { return cmp.Compare(c.cost(t, a), c.cost(t, b)) })
	}
	if len(theirs)*len(ours) > mostPairs || len(theirs) < len(ours) {
		var kinds [][]*point
		for _, o := range ours {
			k := slices.IndexFunc(kinds, func(list []*point) bool {
				return o.site == list[0].site || o.site != nil && list[0].site != nil && o.site.like(list[0].site)
			})
			if k < 0 {
				k, kinds = len(kinds), append(kinds, nil)
			}
			kinds[k] = append(kinds[k], o)
		}
		var whole []*point
		for _, list := range kinds {
			whole = append(whole, merged(c.ours, list))
		}
		for _, t := range theirs {
			c.call(t, least(t, whole))
		}
		c.r.Calls += max(len(ours)-len(theirs), 0)
		return
	}
	used := make(map[*point]bool)
	for i, t := range theirs {
		best, fewest := ours[min(i, len(ours)-1)], 0
		for k, o := range ours {
			n := 4 * c.cost(t, o)
			if used[o] {
				n++
			}
			if o != best {
				n++
			}
			if k == 0 || n < fewest {
				best, fewest = o, n
			}
		}
		used[best] = true
		c.call(t, best)
	}
	for _, o := range ours {
		if used[o] {
			continue
		}
		if t := slices.MinFunc(theirs, func(a, b *point) int { return cmp.Compare(c.cost(a, o), c.cost(b, o)) }); c.cost(t, o) >= 1000 {
			c.call(t, o)
			c.r.Calls--
		}
	}
}

// cost returns how much two calls differ, in units of a place that is not compared.
func (c *comparison) cost(t, o *point) int {
	report := c.r
	c.r = &Report{}
	c.call(t, o)
	n := len(c.r.Unfollowed) + 1000*len(c.r.Differences)
	c.r = report
	return n
}

// callsDiffer reports the first call that differs, of code without branches.
func (c *comparison) callsDiffer(theirs, ours []*point) {
	i := 0
	for i < len(theirs) && i < len(ours) && theirs[i].name == ours[i].name {
		i++
	}
	at := fmt.Sprintf("call %d", i+1)
	switch {
	case i >= len(theirs):
		c.find(-1, at, "the call", "be of "+ours[i].name, fmt.Sprintf("the listing has %d calls", len(theirs)), "", ruleCalls)
	case i >= len(ours):
		c.find(theirs[i].index, at, "the call", "not be there", fmt.Sprintf("it is of %s, and the source has %d calls", theirs[i].name, len(ours)), "", ruleCalls)
	default:
		c.find(theirs[i].index, at, "the call", "be of "+ours[i].name, "it is of "+theirs[i].name, "", ruleCalls)
	}
}

// call compares a call.
func (c *comparison) call(t, o *point) {
	c.r.Calls++
	c.spelled(t, o, "the call")
	c.contract(t, o)
	if sp, ok := c.theirs.m.Linear(t.state.Regs[sass.SP]); ok && t.site != nil && t.site.sretSize() == 0 && o.site.sretSize() > 0 { // it may have been another call
		c.sretAt(t, o.site, sp)
	}
	for k := range o.pointer {
		if k < len(t.pointer) {
			c.word(t, fmt.Sprintf("word %d of what it goes through", k), sass.RZ, t.pointer[k], o.pointer[k], 0xf, false,
				c.wanted("the address of the callee", o.pointer[k], 0xf), ruleCalls)
		}
	}
}

// contract compares the words that a call or a return hands over.
func (c *comparison) contract(t, o *point) {
	needs := cmp.Or(c.ours.l.Instrs[o.index].Contract, &sass.Contract{})
	bytes := func(i int) uint8 {
		if needs.Bytes == nil {
			return 0xf
		}
		return needs.Bytes[i]
	}
	result, s, kind, rule := o.kind == returnPoint, o.site, "argument", ruleRegisters
	if result {
		s, kind, rule = c.sites.own, "result", ruleResult
	}
	rule = s.rule(rule)
	for i, r := range needs.Needs {
		if !result && s != nil && s.sretSize() > 0 && r == s.asn.Sret.Reg {
			continue // it is checked where it points to
		}
		want := s.at(abi.Loc{Kind: abi.InReg, Reg: r}, result).text(kind)
		if result && c.undefined != "" {
			c.r.Words++
			c.unfollowed(t.index, t.at(), fmt.Sprintf("R%d", r), "hold "+want, c.undefined)
			continue
		}
		c.word(t, fmt.Sprintf("R%d", r), r, t.state.Regs[r], o.state.Regs[r], bytes(i), false, c.wanted(want, o.state.Regs[r], bytes(i)), rule)
	}
	theirSP, ok1 := c.theirs.m.Linear(t.state.Regs[sass.SP])
	ourSP, ok2 := c.ours.m.Linear(o.state.Regs[sass.SP])
	for i, off := range needs.Stack {
		if !ok1 || !ok2 {
			return // which has been reported
		}
		want := s.at(abi.Loc{Kind: abi.OnStack, Off: int(off)}, false).text(kind)
		mask := bytes(len(needs.Needs) + i)
		ow := localWord(o.state, ourSP, off)
		c.word(t, sass.Mem(sass.SP, off).String(), sass.RZ, localWord(t.state, theirSP, off), ow, mask, true, c.wanted(want, ow, mask), ruleStack)
	}
}

// wanted describes the value that a place should hold: its name, and the word that ours has there.
func (c *comparison) wanted(name string, w symexec.Word, mask uint8) string {
	is := c.say.ours(w, mask)
	switch {
	case name == "":
		return cmp.Or(is, "what the source computes")
	case is == "":
		return name
	}
	return name + " (" + is + ")"
}

// ours says what a word of ours is, in words that do not depend on our listing; "" for
// what only that has.
func (t *teller) ours(w symexec.Word, mask uint8) string {
	if w.Base != symexec.NoBase {
		return ""
	}
	for i, b := range w.B {
		if mask>>i&1 == 0 {
			continue
		}
		switch b.Kind {
		case symexec.MadeByte, symexec.JoinByte, symexec.LostByte:
			return ""
		case symexec.TermByte, symexec.LabelByte:
			if !w.Whole() {
				return ""
			}
		}
	}
	if b := w.B[0]; b.Kind == symexec.TermByte {
		i, ok := t.p.computed[b.Off]
		if !ok {
			return ""
		}
		in := &t.p.l.Instrs[i]
		return fmt.Sprintf("what line %d of the source, `%s`, computes", in.Pos.Line, in.Text)
	}
	text := t.word(w, mask)
	for _, verb := range []string{"loads from ", "is loaded from "} {
		if _, rest, ok := strings.Cut(text, verb); ok && strings.HasPrefix(text, "what ") {
			return "from " + rest
		}
	}
	return text
}

// localWord returns a word of local memory that was written; bytes that were not
// are nothing.
func localWord(s *symexec.State, at symexec.Addr, off int64) symexec.Word {
	var w symexec.Word
	for i := range w.B {
		w.B[i] = s.Local[at.Plus(off+int64(i))]
	}
	return w
}

// anyRegister is an instruction that calls through a register with a name in
// place of that, which is the assembler's to choose.
func anyRegister(in *sass.Instr) sass.Instr {
	out := sass.Instr{Op: in.Op, Args: in.Args}
	if op, _, _ := strings.Cut(in.Op, "."); op != "RET" && len(in.Args) > 0 && in.Args[0].Kind != sass.KindSymbol {
		out.Args = slices.Clone(in.Args)
		out.Args[0] = sass.Symbol(symexec.Pointer)
	}
	return out
}
