package symexec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// A ListingReport is what comparing two listings of one module gave.
type ListingReport struct {
	// Functions were followed in both; NotFollowed says of each other one why it
	// was not: the machine does not know an instruction or does not take a branch,
	// or a call is of a function that the module defines.
	Functions   int
	NotFollowed []string
	// Calls were compared, and of them and of the returns so many Words that the
	// convention carries. Unknown words were made in a way that is not followed,
	// in one listing or in both, or are undefined in ours.
	Calls, Words, Unknown int
	// Stored are bytes of results and parameters that both write to global memory.
	Stored int
	// Differences are in the order of ours.
	Differences []ListingDifference
}

// A ListingDifference is one place where two listings of a module differ.
type ListingDifference struct {
	Func         string
	What         string // "call 1 of g, R5", "return, R4", "global 0x100000080"
	Theirs, Ours string
}

// String returns a line such as "f, call 1 of g, R5: ptxas has the number 0x1, we R4".
func (d ListingDifference) String() string {
	return fmt.Sprintf("%s, %s: ptxas has %s, we have %s", d.Func, d.What, d.Theirs, d.Ours)
}

// CompareListings compares ptxas's listing of a module, as nvdisasm writes it,
// with what the module was lowered to for the same target. The machine follows
// every byte through both from each function's beginning. Compared are
//
//   - the calls: how many, their order, how they are spelled;
//   - what calls through registers go through, whichever these are;
//   - at each call, the words in registers and on the stack that ours says the
//     callee takes, byte by byte by where they came from;
//   - at each return, likewise, the words of the result, those in memory included;
//   - what both write to global memory: parameters as the callee found them,
//     results as the caller found them.
//
// Registers and offsets are those of ours, so that a word that ptxas puts
// elsewhere differs. Frames may be laid out differently: stack words count from
// the stack pointer at the call, and other addresses in frames are not compared.
// Narrow says that addresses have 32 bits.
func CompareListings(theirs string, ours *sass.Program, target *abi.Target, narrow bool) (*ListingReport, error) {
	listings, err := parseListing(theirs)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*listing, len(listings))
	for _, l := range listings {
		byName[l.name] = l
	}
	r := &ListingReport{}
	for _, f := range ours.Funcs {
		their, our := byName[f.Name], newListing(f)
		if their == nil {
			r.NotFollowed = append(r.NotFollowed, f.Name+": not in the disassembly")
			continue
		}
		c := listingComparison{r: r, name: f.Name, ends: contracts(our)}
		kept := keptByEach(c.ends, target)
		if c.theirs, err = runKeeping(their, kept, target.Regs.Preserved, target, narrow); err == nil {
			c.ours, err = runKeeping(our, kept, target.Regs.Preserved, target, narrow)
		}
		if err == nil {
			err = c.bound(ours)
		}
		if err != nil {
			r.NotFollowed = append(r.NotFollowed, err.Error())
			continue
		}
		r.Functions++
		c.calls(spellings(their), spellings(our))
		if c.theirs.ret != nil && c.ours.ret != nil {
			c.contract("return", c.theirs.ret, c.ours.ret, c.ends[len(c.ends)-1])
			c.indirect()
		}
		c.globals()
	}
	return r, nil
}

// bound reports a call that the convention does not bind: of a function that is
// defined in the module, which ptxas may call as it likes.
func (c *listingComparison) bound(ours *sass.Program) error {
	for _, name := range c.ours.callees {
		if slices.ContainsFunc(ours.Funcs, func(f *sass.Func) bool { return f.Name == name }) {
			return fmt.Errorf("%s: calls %s, which is defined in the module: the assembler may leave the convention", c.name, name)
		}
	}
	return nil
}

// isEnd reports whether an operation calls or returns.
func isEnd(op string) bool {
	switch op {
	case "CALL", "JCAL", "CAL", "JMX", "RET":
		return true
	}
	return false
}

// contracts returns those of the calls and the return, in order.
func contracts(l *listing) []*sass.Contract {
	var list []*sass.Contract
	for i := range l.instrs {
		if in := &l.instrs[i]; isEnd(in.op) {
			list = append(list, cmp.Or(in.Contract, &sass.Contract{}))
		}
	}
	return list
}

// spellings returns the text of the calls and of the first return.
func spellings(l *listing) []string {
	var list []string
	for i := range l.instrs {
		in := &l.instrs[i]
		if !isEnd(in.op) {
			continue
		}
		plain := anyRegister(in.Instr)
		list = append(list, plain.String())
		if in.op == "RET" {
			break
		}
	}
	return list
}

// A listingComparison compares one function.
type listingComparison struct {
	r            *ListingReport
	name         string
	theirs, ours *trace
	ends         []*sass.Contract
}

func (c *listingComparison) differ(what, theirs, ours string) {
	c.r.Differences = append(c.r.Differences, ListingDifference{c.name, what, theirs, ours})
}

// calls compares the calls: their spelling first, then what they pass.
func (c *listingComparison) calls(theirs, ours []string) {
	if !slices.Equal(theirs, ours) {
		c.differ("calls and return", strings.Join(theirs, " "), strings.Join(ours, " "))
		return
	}
	for i := range c.ours.calls {
		c.r.Calls++
		what := fmt.Sprintf("call %d of %s", i+1, c.ours.callees[i])
		c.contract(what, &c.theirs.calls[i], &c.ours.calls[i], c.ends[i])
		c.pointer(i, what)
		c.returnAddress(i, what)
	}
}

// contract compares the words that a call or a return needs.
func (c *listingComparison) contract(what string, theirs, ours *state, needs *sass.Contract) {
	bytes := func(i int) uint8 {
		if needs.Bytes == nil {
			return 0xf
		}
		return needs.Bytes[i]
	}
	for i, r := range needs.Needs {
		c.word(fmt.Sprintf("%s, R%d", what, r), theirs.regs[r], ours.regs[r], bytes(i), false)
	}
	theirSP, ok1 := c.theirs.linear(theirs.regs[sass.SP])
	ourSP, ok2 := c.ours.linear(ours.regs[sass.SP])
	for i, off := range needs.Stack {
		at := fmt.Sprintf("%s, %s", what, sass.M(sass.SP, off))
		if !ok1 || !ok2 {
			c.differ(at, "a stack pointer that is not followed", "a word on the stack")
			continue
		}
		c.word(at, theirs.localWord(theirSP, off), ours.localWord(ourSP, off), bytes(len(needs.Needs)+i), true)
	}
}

// localWord returns a word of local memory that was written; bytes that were not
// are nothing.
func (s *state) localWord(at localAddr, off int64) word {
	var w word
	for i := range w.b {
		w.b[i] = s.local[localAddr{at.base, at.add + off + int64(i)}]
	}
	return w
}

// word compares the bytes of one word that the mask has. What is undefined in ours may be
// anything in a register, where something always is, but not on the stack.
func (c *listingComparison) word(what string, theirs, ours word, mask uint8, stack bool) {
	c.r.Words++
	if ours.base != noBase || theirs.base != noBase {
		c.r.Unknown++ // an address in a frame
		if ours.base == noBase || theirs.base == noBase {
			c.differ(what, c.theirs.text(theirs), c.ours.text(ours))
		}
		return
	}
	known := true
	for i := range ours.b {
		o, t := ours.b[i], theirs.b[i]
		switch {
		case mask>>i&1 == 0:
		case o.kind == nothing && (!stack || t.kind == nothing):
			known = false
		case o.kind == madeByte || t.kind == madeByte:
			known = false
		case !c.same(t, o):
			c.differ(what, c.theirs.text(theirs), c.ours.text(ours))
			return
		}
	}
	if !known {
		c.r.Unknown++
	}
}

// same reports whether two bytes have one origin. Addresses are numbered in each
// trace for itself.
func (c *listingComparison) same(theirs, ours byteValue) bool {
	if theirs.kind != localByte || ours.kind != localByte || theirs.epoch != ours.epoch {
		return theirs == ours
	}
	// What a call left in memory lies relative to the address that it was given.
	if at := int(ours.epoch) - 1; at >= 0 && at < len(c.theirs.calls) {
		for _, r := range c.ends[at].Needs {
			t, o := c.theirs.calls[at].regs[r], c.ours.calls[at].regs[r]
			if o.base != noBase && o.base == ours.base && t.base == theirs.base {
				return ours.off-o.add == theirs.off-t.add
			}
		}
	}
	return ours.off == theirs.off && c.same(c.theirs.bases[theirs.base], c.ours.bases[ours.base])
}

func (t *trace) text(w word) string {
	sp := localAddr{base: spBase}
	if w.base != noBase {
		return fmt.Sprintf("the address %s%+#x", strings.TrimSuffix(t.describe(t.bases[w.base], sp), ".0"), w.add)
	}
	return t.run(4, sp, func(i int) byteValue { return w.b[i] })
}

// indirect compares what a function writes to memory whose address it was given.
func (c *listingComparison) indirect() {
	ours := c.ours.ret.local
	var list []localAddr
	for at := range ours {
		if at.base != spBase && c.ours.bases[at.base].kind == regByte {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(a, b localAddr) int { return cmp.Or(cmp.Compare(a.base, b.base), cmp.Compare(a.add, b.add)) })
	for _, at := range list {
		base := c.theirs.baseOf(c.ours.bases[at.base])
		t, o := c.theirs.ret.local[localAddr{base, at.add}], ours[at]
		if o.kind == nothing || o.kind == madeByte || t.kind == madeByte {
			continue
		}
		c.r.Stored++
		if !c.same(t, o) {
			sp := localAddr{base: spBase}
			where := byteValue{kind: localByte, base: at.base, off: at.add}
			c.differ("return, "+c.ours.describe(where, sp), c.theirs.describe(t, sp), c.ours.describe(o, sp))
		}
	}
}

// globals compares what is written to global memory.
func (c *listingComparison) globals() {
	var list []int64
	for at := range c.ours.stores {
		list = append(list, at)
	}
	slices.Sort(list)
	if len(list) != len(c.theirs.stores) {
		c.differ("global memory", fmt.Sprintf("%d bytes", len(c.theirs.stores)), fmt.Sprintf("%d bytes", len(list)))
	}
	sp := localAddr{base: spBase}
	for _, at := range list {
		t, o := c.theirs.stores[at], c.ours.stores[at]
		if t.kind == madeByte || o.kind == madeByte {
			continue
		}
		c.r.Stored++
		if !c.same(t, o) {
			c.differ(fmt.Sprintf("global %#x", at), c.theirs.describe(t, sp), c.ours.describe(o, sp))
		}
	}
}
