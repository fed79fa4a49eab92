package follow

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/symexec"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// A Report is what comparing two listings of one module gave.
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

// A Difference is one place where a listing does something else than it should.
type Difference struct {
	Func  string
	Index int    // of the instruction in the function, from 0 on; -1 for none
	Line  int    // of the listing, from 1 on; 0 where it has none
	At    string // "call 1 of g", "return", "the store"
	Place string // "R5", "[R1+0x8]", "global memory at 0x100000010"
	// Want begins with what the place should do: "hold bytes 4 to 8 of argument y". Got says
	// what is there: "it holds what line 12 loads from c[0x0][0x168]".
	Want, Got string
	Last      string // where it was last right; "" where there is nothing to say
	Rule      string // one of [Rules]; "" for what the source says
}

// What is where the difference is: "call 1 of g, R5".
func (d *Difference) What() string { return d.At + ", " + d.Place }

// String returns a line of the form
//
//	f, line 14, call 1 of g: R5 should hold the number 0x1; it holds what R5 held at entry; … (docs/abi.md, F5)
func (d Difference) String() string {
	var b strings.Builder
	b.WriteString(d.Func)
	if d.Line > 0 {
		fmt.Fprintf(&b, ", line %d", d.Line)
	}
	fmt.Fprintf(&b, ", %s: %s should %s; %s", d.At, d.Place, d.Want, d.Got)
	if d.Last != "" {
		b.WriteString("; " + d.Last)
	}
	if d.Rule != "" {
		fmt.Fprintf(&b, " (docs/abi.md, %s)", d.Rule)
	}
	return b.String()
}

// Compare compares a listing of a module, as nvdisasm writes it or package sass,
// with what the module was lowered to for the same target. The machine follows every byte
// through both from each function's beginning, on every path. Compared are
//
//   - the calls: how many, their order, how they are spelled;
//   - what calls through registers go through, whichever these are;
//   - at each call, the words in registers and on the stack that ours says the
//     callee takes, byte by byte by where they came from;
//   - at each return, likewise, the words of the result, those in memory included;
//   - what both write to global memory at a number, or at a number beyond a
//     parameter: parameters as the callee found them, results as the caller
//     found them. Stores to other addresses are counted as not followed.
//
// Registers and offsets are those of ours, so that a word that theirs puts
// elsewhere differs. Frames may be laid out differently: stack words count from
// the stack pointer at the call, and other addresses in frames are not compared.
//
// Of theirs alone it is checked that callee-saved registers, the stack pointer and the
// return address are at each return what they were at entry, that at each call the stack
// pointer is aligned and leaves room for what is passed, that the return address is that
// of what stands after the call, and that nothing is written to the caller's frame.
//
// Calls of functions named in helpers, which the backend adds and the source does not call, are not compared.
func Compare(theirs string, ours *sass.Program, m *ptx.Module, target *abi.Target, helpers []string) (*Report, error) {
	listings, err := symexec.Parse(theirs)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*symexec.Listing, len(listings))
	for _, l := range listings {
		byName[l.Name] = l
	}
	table := resolve.NewTable(m)
	noTable := withoutTable(listings, target)
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
		slices.SortStableFunc(r.Differences[first:], func(a, b Difference) int { return cmp.Compare(a.Index, b.Index) })
	}
	return r, nil
}

// withoutTable reports whether no function of a listing has to do with the table of function addresses, on a target
// for which ptxas 11.8 makes none: its calls through registers are not compared with those of later releases.
func withoutTable(listings []*symexec.Listing, target *abi.Target) bool {
	table := target.Spelling.IndirectTable
	if table == "" || !strings.Contains(target.Toolkits, "11.8.") {
		return false
	}
	for _, l := range listings {
		for i := range l.Instrs {
			for _, o := range l.Instrs[i].Args {
				if o.Name == table || strings.HasPrefix(o.Name, "fun@unified(") {
					return false
				}
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
	if len(plain.Args) > 0 && plain.Args[0].Kind == sass.Symbol {
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
		if table := c.sites.t.Spelling.IndirectTable; table != "" {
			want = strings.TrimSuffix(want, " `("+table+")")
		}
	}
	if got == want || o.kind == returnPoint && unnumbered(got) == unnumbered(want) { // another register is told of elsewhere
		return
	}
	if c.sites.noTable && t.name == symexec.Pointer && want == fmt.Sprintf("%s `(%s)", got, c.sites.t.Spelling.IndirectTable) {
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

// merged returns a point with what holds at all of a list.
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
// are too many, each of theirs is compared with what holds at all of ours that are called alike.
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

// cost returns how much two calls differ, in units of what is not compared.
func (c *comparison) cost(t, o *point) int {
	report := c.r
	c.r = &Report{}
	c.call(t, o)
	n := len(c.r.Unfollowed) + 1000*len(c.r.Differences)
	c.r = report
	return n
}

// callsDiffer tells of the first call that differs, of code without branches.
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
	if sp, ok := c.theirs.m.Linear(t.state.Regs[sass.SP]); ok && t.site != nil && t.site.hidden() == 0 && o.site.hidden() > 0 { // it may have been another call
		c.hiddenAt(t, o.site, sp)
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
	if s != nil && s.preserve {
		rule = rulePreserve
	}
	for i, r := range needs.Needs {
		if !result && s != nil && s.hidden() > 0 && r == s.asn.Sret.Reg {
			continue // it is checked where it points to
		}
		want := ""
		if s != nil {
			if p := s.inReg(r, result); p != nil {
				want = p.text(kind)
			}
		}
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
			return // which has been said
		}
		want := ""
		if s != nil {
			if p := s.onStack(off); p != nil {
				want = p.text(kind)
			}
		}
		mask := bytes(len(needs.Needs) + i)
		ow := localWord(o.state, ourSP, off)
		c.word(t, sass.M(sass.SP, off).String(), sass.RZ, localWord(t.state, theirSP, off), ow, mask, true, c.wanted(want, ow, mask), ruleStack)
	}
}

// wanted says what a place should hold: the name of a value, and what ours has there.
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

// word compares the bytes of one word that the mask has. What is undefined in ours may be
// anything in a register, where something always is, but not on the stack.
func (c *comparison) word(t *point, place string, reg sass.Reg, theirs, ours symexec.Word, mask uint8, stack bool, want, rule string) {
	c.r.Words++
	bad := agrees
	switch {
	case ours.Base != symexec.NoBase && theirs.Base != symexec.NoBase && c.theirs.inFrame(theirs.Base) && c.ours.inFrame(ours.Base): // each in its own
	case ours.Base != symexec.NoBase && theirs.Base != symexec.NoBase && c.machineCode() && c.ours.m.Bases[ours.Base].Kind == symexec.TermByte:
		bad = unclear // a number more than what the source computes
	case ours.Base != symexec.NoBase && theirs.Base != symexec.NoBase: // what a place held, and a number
		if !c.same(c.theirs.m.Bases[theirs.Base], c.ours.m.Bases[ours.Base]) || theirs.Add != ours.Add {
			bad = differs
		}
	case theirs.Base != symexec.NoBase && c.machineCode() && slices.ContainsFunc(ours.B[:], func(b symexec.Byte) bool { return b.Kind == symexec.TermByte }):
		bad = unclear // a sum, and what the source computes
	case ours.Base != symexec.NoBase && certain(theirs, mask), theirs.Base != symexec.NoBase && certain(ours, mask):
		bad = differs
	case ours.Base != symexec.NoBase || theirs.Base != symexec.NoBase:
		bad = unclear
	default:
		bad = c.agree(theirs, ours, mask, stack)
	}
	switch bad {
	case differs:
		is := func(w symexec.Word) bool { return w.Base == symexec.NoBase && c.agree(w, ours, mask, false) == agrees }
		if ours.Base != symexec.NoBase {
			is = func(w symexec.Word) bool { return w.Base != symexec.NoBase }
		}
		c.find(t.index, t.at(), place, "hold "+want, "it holds "+c.tell.word(theirs, mask), c.tell.lastRight(t.index, reg, is), c.ruleOf(theirs, ours, mask, rule))
	case unclear:
		c.unfollowed(t.index, t.at(), place, "hold "+want, "it holds "+c.tell.word(theirs, mask))
	default:
		c.r.Bytes += knownBytes(ours, mask)
		if ours.Base != symexec.NoBase && !c.ours.inFrame(ours.Base) { // what a place held, and a number
			c.r.Bytes += bits.OnesCount8(mask)
		}
	}
}

// inFrame reports whether a base is the stack pointer, in whatever way a function has it, or an address that is
// not followed.
func (p *path) inFrame(base int16) bool {
	b, sp := p.m.Bases[base], p.sites.t.Kernel.SP
	switch b.Kind {
	case symexec.RegByte:
		return base == symexec.SPBase || b.Reg == uint8(sass.SP)
	case symexec.BankByte:
		return b.Reg == sp.Bank && b.Off == int64(sp.Off)
	}
	return base == symexec.SPBase || b.Kind == symexec.MadeByte
}

// knownBytes returns how many bytes of a word that the mask has are not undefined.
func knownBytes(w symexec.Word, mask uint8) int {
	n := 0
	for i, b := range w.B {
		if mask>>i&1 != 0 && (b.Known() || b.Kind == symexec.PointedByte || b.Kind == symexec.FrameByte) {
			n++
		}
	}
	return n
}

// certain reports whether it is known where the bytes of a word came from, or that they
// came from nowhere.
func certain(w symexec.Word, mask uint8) bool {
	for i, b := range w.B {
		if mask>>i&1 != 0 && !b.Known() && b.Kind != symexec.Nothing {
			return false
		}
	}
	return true
}

// An agreement says how two bytes compare.
type agreement uint8

const (
	agrees agreement = iota
	unclear
	differs
)

// agree compares words byte by byte.
func (c *comparison) agree(theirs, ours symexec.Word, mask uint8, stack bool) agreement {
	worst := agrees
	for i := range ours.B {
		if mask>>i&1 != 0 {
			worst = max(worst, c.byteAgrees(theirs.B[i], ours.B[i], stack))
		}
	}
	return worst
}

// byteAgrees compares two bytes.
func (c *comparison) byteAgrees(t, o symexec.Byte, stack bool) agreement {
	switch {
	case o.Kind == symexec.Nothing:
		if stack && t.Known() {
			return differs
		}
		return agrees
	case c.same(t, o):
		return agrees
	case (c.neverWritten(t) || stack && (t.Kind == symexec.Nothing || t.Kind == symexec.LocalByte && t.Epoch > 0)) && (o.Known() || o.Kind == symexec.PointedByte || c.computes(o)):
		return differs
	case t.Kind == symexec.PointedByte && o.Known(), o.Kind == symexec.PointedByte && t.Known(), t.Kind == symexec.PointedByte && o.Kind == symexec.PointedByte:
		if c.sites.stores || c.theirs.mayKeep(t) { // memory may hold what the function has stored
			return unclear
		}
		return differs
	case !o.Known(), c.theirs.mayKeep(t), c.sites.noTable && c.plainAddress(t, o), c.otherCall(t, o):
		return unclear
	case t.Kind == symexec.Nothing:
		return differs
	case !t.Known(), o.Kind == symexec.TermByte && c.machineCode():
		return unclear
	}
	return differs
}

// computes reports whether a byte is what an instruction of the source makes of defined values.
func (c *comparison) computes(o symexec.Byte) bool {
	list := c.ours.l.Instrs
	return o.Kind == symexec.MadeByte && o.Off >= 0 && o.Off < int64(len(list)) && list[o.Off].Text != ""
}

// mayKeep reports whether a byte is what a call has left in a register that the function called may leave alone, as an
// assembler may know.
func (p *path) mayKeep(t symexec.Byte) bool {
	results, ok := p.unsure[t.Epoch]
	return t.Kind == symexec.RegByte && ok && !results.Has(sass.Reg(t.Reg))
}

// otherCall reports whether two bytes are what calls of one name have left, of functions with several paths: which call of
// the source one of the listing is, is not known by their order.
func (c *comparison) otherCall(t, o symexec.Byte) bool {
	if t.Epoch == 0 || o.Epoch == 0 || t.Epoch == o.Epoch || c.straight() || c.theirs.nameOf(t.Epoch) != c.ours.nameOf(o.Epoch) {
		return false
	}
	t.Epoch = o.Epoch
	return c.same(t, o)
}

// plainAddress reports whether a byte is of the address of the function whose entry in the table ours has.
func (c *comparison) plainAddress(t, o symexec.Byte) bool {
	return t.Kind == symexec.LabelByte && o.Kind == symexec.LabelByte && t.N == o.N &&
		c.ours.m.Symbols[o.Off].Name == "fun@unified("+c.theirs.m.Symbols[t.Off].Name+")"
}

// nameOf returns the name of what a call calls, by its number.
func (p *path) nameOf(nth uint16) string {
	for i := range p.points {
		if pt := &p.points[i]; pt.kind == callPoint && pt.nth == int(nth) {
			return pt.name
		}
	}
	return ""
}

// same reports whether two bytes have one origin. Addresses and symbols are numbered in
// each trace for itself.
func (c *comparison) same(theirs, ours symexec.Byte) bool {
	if theirs.Kind != ours.Kind || theirs.Sign != ours.Sign {
		return false
	}
	switch theirs.Kind {
	case symexec.PointedByte:
		return ours.Off == theirs.Off && c.same(c.theirs.m.Bases[theirs.Base], c.ours.m.Bases[ours.Base])
	case symexec.LocalByte:
		return theirs.Epoch == ours.Epoch && ours.Off == theirs.Off && (ours.Base == symexec.SPBase && theirs.Base == symexec.SPBase ||
			c.same(c.theirs.m.Bases[theirs.Base], c.ours.m.Bases[ours.Base]))
	case symexec.LabelByte:
		t, o := c.theirs.m.Symbols[theirs.Off], c.ours.m.Symbols[ours.Off]
		return theirs.N == ours.N && (t == o || t.Label != "" && o.Label != "")
	case symexec.FrameByte:
		t, o := theirs.Base, ours.Base
		return theirs.N == ours.N && (c.theirs.inFrame(t) && c.ours.inFrame(o) || theirs.Off == ours.Off && c.same(c.theirs.m.Bases[t], c.ours.m.Bases[o]))
	case symexec.MadeByte, symexec.JoinByte, symexec.LostByte, symexec.Nothing:
		return false
	}
	return theirs == ours
}

// ruleOf is the rule that says what a word should be: that of values where they differ in
// what stands above a value alone.
func (c *comparison) ruleOf(theirs, ours symexec.Word, mask uint8, rule string) string {
	above := func(b symexec.Byte) bool { return b.Sign || b.Kind == symexec.ConstByte && b.Off == 0 }
	for i := range ours.B {
		o, t := ours.B[i], theirs.B[i]
		if mask>>i&1 != 0 && c.byteAgrees(t, o, false) == differs && (i == 0 || !above(o) || !above(t)) {
			return rule
		}
	}
	return ruleValues
}

// indirect compares what a function writes to memory whose address it was given.
func (c *comparison) indirect(theirs, ours *point) {
	var list []symexec.Addr
	for at := range ours.state.Local {
		if at.Base != symexec.SPBase && c.ours.m.Bases[at.Base].Kind == symexec.RegByte {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(a, b symexec.Addr) int { return cmp.Or(cmp.Compare(a.Base, b.Base), cmp.Compare(a.Add, b.Add)) })
	for len(list) > 0 {
		at := list[0]
		var t, o symexec.Word
		mask, base := uint8(0), c.theirs.m.BaseOf(c.ours.m.Bases[at.Base])
		for len(list) > 0 && list[0].Base == at.Base && list[0].Add < at.Add&^3+4 {
			i := list[0].Add & 3
			o.B[i] = ours.state.Local[list[0]]
			t.B[i] = theirs.state.Local[symexec.Addr{Base: base, Add: list[0].Add}]
			if o.B[i].Kind != symexec.Nothing {
				mask |= 1 << i
			}
			list = list[1:]
		}
		c.stored(theirs.index, "return", fmt.Sprintf("the memory for the result at offset %d", at.Add&^3), t, o, mask, ruleResult)
	}
}

// stored compares bytes of memory.
func (c *comparison) stored(index int, at, place string, t, o symexec.Word, mask uint8, rule string) {
	want := "hold " + c.wanted("", o, mask)
	switch c.agree(t, o, mask, false) {
	case agrees:
		c.r.Stored += knownBytes(o, mask)
	case differs:
		is := func(w symexec.Word) bool { return w.Base == symexec.NoBase && c.agree(w, o, mask, false) == agrees }
		c.find(index, at, place, want, "it holds "+c.tell.word(t, mask), c.tell.lastRight(index, sass.RZ, is), c.ruleOf(t, o, mask, rule))
	default:
		c.unfollowed(index, at, place, want, "it holds "+c.tell.word(t, mask))
	}
}

// globals compares what is written to global memory: at numbers, and at numbers beyond a parameter.
func (c *comparison) globals() {
	theirs, ours := c.theirs, c.ours
	at := make(map[symexec.Addr]symexec.Addr) // of ours, that of theirs
	for addr := range c.ours.m.Stores {
		at[addr] = addr
		if addr.Base != symexec.NoBase {
			at[addr] = symexec.Addr{Base: c.theirs.m.BaseOf(c.ours.m.Bases[addr.Base]), Add: addr.Add}
		}
	}
	expected := make(map[symexec.Addr]bool)
	for _, addr := range at {
		expected[addr] = true
	}
	sure := c.straight() && len(theirs.hidden)+len(ours.hidden) == 0
	for _, addr := range inOrder(c.theirs.m.Stores) {
		if expected[addr] {
			continue
		}
		index, place := theirs.stores[addr], c.tell.memory64(addr)
		if addr.Base == symexec.NoBase && len(ours.hidden) == 0 {
			c.find(index, "the store", place, "be left alone", "it is written", "", "")
		} else {
			c.unfollowed(index, "the store", place, "be left alone if the source does not write it", "it is written")
		}
		break // one of them is enough
	}
	for list := inOrder(c.ours.m.Stores); len(list) > 0; {
		first, index := list[0], -1
		var t, o symexec.Word
		mask, certain := uint8(0), true
		for len(list) > 0 && list[0].Base == first.Base && list[0].Add < first.Add&^3+4 {
			i, addr := list[0].Add-first.Add, at[list[0]] // bytes count from the store's first
			t.B[i], o.B[i] = c.theirs.m.Stores[addr], c.ours.m.Stores[list[0]]
			if n, ok := theirs.stores[addr]; ok {
				index = n
			}
			if theirs.over[addr] || ours.over[list[0]] {
				t.B[i] = symexec.Byte{Kind: symexec.JoinByte, Off: int64(max(index, 0))}
			}
			_, put := c.theirs.m.Stores[addr]
			certain = certain && (put || !theirs.blind) && (sure || first.Base == symexec.NoBase && !ours.weak[list[0]])
			mask |= 1 << i
			list = list[1:]
		}
		if !certain && c.agree(t, o, mask, false) == differs { // an assembler may write it in another way, or not at all
			c.unfollowed(index, "the store", c.say.memory64(first), "hold "+c.wanted("", o, mask), "it holds "+c.tell.word(t, mask))
			continue
		}
		c.stored(index, "the store", c.say.memory64(first), t, o, mask, c.ruleOfOrigin(o.B[0]))
	}
	const place = "memory at an address that is not followed"
	for _, i := range theirs.hidden {
		c.unfollowed(i, "the store", place, "hold what the source writes", "`"+c.tell.code(i)+"` writes there")
	}
	for _, i := range ours.hidden {
		c.unfollowed(-1, fmt.Sprintf("the store in line %d of the source", ours.line(i)), place, "be written", "`"+c.say.code(i)+"` writes there")
	}
}

// inOrder returns the addresses of bytes that are written.
func inOrder(stores map[symexec.Addr]symexec.Byte) []symexec.Addr {
	return slices.SortedFunc(maps.Keys(stores), func(a, b symexec.Addr) int { return cmp.Or(cmp.Compare(a.Base, b.Base), cmp.Compare(a.Add, b.Add)) })
}

// memory64 names an address of global memory.
func (t *teller) memory64(at symexec.Addr) string {
	if at.Base == symexec.NoBase {
		return fmt.Sprintf("global memory at %#x", at.Add)
	}
	return fmt.Sprintf("memory at %+#x from %s", at.Add, t.byte(t.p.m.Bases[at.Base], 8))
}

// ruleOfOrigin is the rule that says where a value is that is stored.
func (c *comparison) ruleOfOrigin(b symexec.Byte) string {
	switch {
	case b.Kind == symexec.LocalByte:
		return ruleStack
	case b.Kind == symexec.BankByte:
		return ruleKernel
	case b.Kind == symexec.ResultByte, b.Kind == symexec.RegByte && b.Epoch > 0:
		return ruleResult
	case b.Kind == symexec.RegByte && c.sites.own.preserve:
		return rulePreserve
	}
	return ruleRegisters
}

// anyRegister is an instruction that calls through a register with a name in
// place of that, which is the assembler's to choose.
func anyRegister(in *sass.Instr) sass.Instr {
	out := sass.Instr{Op: in.Op, Args: in.Args}
	if op, _, _ := strings.Cut(in.Op, "."); op != "RET" && len(in.Args) > 0 && in.Args[0].Kind != sass.Symbol {
		out.Args = slices.Clone(in.Args)
		out.Args[0] = sass.Sym(symexec.Pointer)
	}
	return out
}
