// Package isel selects the instructions of a function that package place has planned. It is
// naive: each statement is lowered by itself, into copies between the places of variables, of
// operands and of the convention (place.go, copy.go). That is right as it is, once package
// sequence has put what happens at once in an order and package spill loads and stores registers
// in slots. The passes of package opt make it shorter.
//
// The plan and the body stay as they are. Names of registers that selection makes have numbers
// after those of the plan.
package isel

import (
	"strconv"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/arena"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// Options say what is to be selected.
type Options struct {
	TextOnly  bool         // items and contracts are not wanted
	EntryCode []sass.Instr // what functions and kernels begin with, nil for nothing
	Reporter  *place.Reporter
}

// A selector makes the code of a plan.
type selector struct {
	Options
	plan *place.Plan
	code *lir.Code

	// The statement at hand.
	at    int
	pos   diag.Pos
	guard string
	calls int // before it

	names   *names
	owner   []int32 // of those that are made
	words   []wordNames
	elems   map[int32]int32  // elements of vectors, by the number of the vector times 4 plus the element
	renamed map[string]int32 // other names that are made
	labels  labelScope
	block   int // the last one that was opened
	lists   int // prototypes and lists of targets so far

	spare    int       // registers that temp has given for the move at hand
	grouped  bool      // copies are members of a group
	loaded   []lir.Reg // the registers that loads of the group write
	operands []source  // memory for the lists of operands
	// stackBytes says of words of the stack area which bytes have a value.
	stackBytes []uint8
	line       []byte
}

// A Code is the code of a function, with what passes want to know of its registers.
type Code struct {
	*lir.Code
	names *names
	owner *[]int32 // of the names that are made
	text  Text
}

// names are the names of registers: those that the plan has, and those that are made.
type names struct {
	plan *place.Numbers
	of   int // how many the plan has
	made []string
}

// Name returns the name of a number.
func (n *names) Name(k int32) string {
	if int(k) < n.of {
		return n.plan.Name(k)
	}
	return n.made[int(k)-n.of]
}

// add makes a name, and returns its number.
func (n *names) add(name string) int32 {
	n.made = append(n.made, name)
	return int32(n.of + len(n.made) - 1)
}

// Registers returns how many names registers have.
func (c *Code) Registers() int { return c.names.of + len(c.names.made) }

// ownName is the owner of a name that no text mentions, but for those of the words of variables.
const ownName = -1

// Left returns the variables, by their indexes, of which the code has words.
func (c *Code) Left() map[int32]bool {
	left := make(map[int32]bool)
	var list [8]*lir.Reg
	note := func(r lir.Reg) {
		if r.Kind() == sass.Virtual {
			if n := c.Owner(r.Name()); n < ownName {
				left[ownName-1-n] = true
			}
		}
	}
	for i := range c.List {
		if r, n := c.Dest(&c.List[i]); n > 0 {
			note(r)
		}
		for _, r := range c.Sources(&c.List[i], list[:0]) {
			note(*r)
		}
	}
	return left
}

// Owner returns the number of the name that text has for a register whose name has number n, or
// a negative number for a register that no text mentions.
func (c *Code) Owner(n int32) int32 {
	if int(n) < c.names.of {
		return n
	}
	return (*c.owner)[int(n)-c.names.of]
}

// Text returns what the text of statements mentions.
func (c *Code) Text() *Text { return &c.text }

// A Selector selects the code of functions, one after the other, in memory that it uses again.
type Selector struct {
	Options
	code  lir.Code
	names names
	s     selector
	out   Code
}

// Select returns the code of a function. It is good until the next call.
func (sel *Selector) Select(plan *place.Plan) *Code {
	s := &sel.s
	*s = selector{
		Options: sel.Options, plan: plan, code: &sel.code, names: &sel.names, owner: s.owner[:0], words: s.words,
		operands: s.operands[:0], loaded: s.loaded[:0], stackBytes: s.stackBytes[:0], line: s.line[:0],
	}
	*s.names = names{plan: plan.Registers, of: plan.Registers.Count(), made: s.names.made[:0]}
	s.words = arena.Resized(s.words, int(plan.PvarsMade))
	for i := range s.words {
		s.words[i] = wordNames{low: s.words[i].low[:0]}
	}
	s.code.Reset(plan.F, s.names)
	s.labels.reset(plan.Names.LabelIn)
	s.pos = plan.F.BodyPos
	s.entry()
	for i, st := range plan.F.Body {
		s.at, s.guard, s.operands = i, "", s.operands[:0]
		if s.grouped && !plan.Transparent(i) {
			s.endGroup()
		}
		s.statement(st)
	}
	s.endGroup()
	if plan.Falls {
		s.at, s.guard, s.pos = len(plan.F.Body), "", plan.F.EndPos
		s.ret()
	}
	sel.out = Code{Code: s.code, names: s.names, owner: &s.owner, text: Text{s: s}}
	return &sel.out
}

// statement lowers a statement.
func (s *selector) statement(st ptx.Stmt) {
	switch st := st.(type) {
	case *ptx.Instr:
		s.pos, s.guard = st.Pos, s.guardText(st.Guard)
		s.instr(st)
	case *ptx.Access:
		s.pos, s.guard = st.Pos, s.guardText(st.Guard)
		s.paramAccess(st)
	case *ptx.Call:
		s.pos = st.Pos
		s.call(st)
		s.calls++
	case *ptx.Label:
		s.emitLabel(st)
	case *ptx.Decl:
		s.declare(st)
	case *ptx.Open:
		s.block++
		s.labels.open(s.block)
	case *ptx.Close:
		s.labels.close()
	case *ptx.Prototype:
		s.lists++
	case *ptx.TargetList:
		s.emitTargets(st, s.plan.In.Lists[s.lists].Sym)
		s.lists++
	case *ptx.Directive:
		if st.Name == ".pragma" {
			s.comment(string(ptx.AppendStmt(nil, st)))
		}
	}
}

// instr lowers an instruction that is neither a call nor an access.
func (s *selector) instr(in *ptx.Instr) {
	kind := s.plan.Kinds[s.at]
	switch kind.Of() {
	case place.Returns:
		s.ret()
		return
	case place.Exits:
		s.emit(s.plan.T.Spelling.Exit, lir.Note{})
		return
	case place.MovesStack:
		s.stackOp(in)
		return
	}
	if kind&place.TakesAddress != 0 && s.addressOf(in) || s.moveSlot(in) {
		return
	}
	if kind.Of() == place.Branches || kind.Of() == place.BrMore {
		s.goesSomewhere(in)
	}
	s.passThrough(in)
}

// declare says that the words of variables have no value yet.
func (s *selector) declare(d *ptx.Decl) {
	if d.Space != ptx.ParamSpace {
		return
	}
	for i := range d.Vars {
		if v := s.plan.VariableOf(s.plan.In.Lookup(s.at+1, d.Vars[i].Name), d.Vars[i].Name); v != nil {
			s.begin(v)
		}
	}
}

// begin says that the words of a variable have no value yet.
func (s *selector) begin(v *place.Var) {
	if v.Place == place.Scalarized {
		for _, k := range s.passed(v, v.Size) {
			s.code.Add(lir.Begin, "", s.pos).Dst = s.wordOf(v, k)
		}
	}
}

// emit appends an instruction.
func (s *selector) emit(op string, note lir.Note, args ...lir.Arg) *lir.Inst {
	s.code.AddArgs(op, s.guard, s.pos, note, args...)
	return &s.code.List[len(s.code.List)-1]
}

// comment emits a comment.
func (s *selector) comment(text string) { s.commentText([]byte(text)) }

func (s *selector) commentText(text []byte) *lir.Inst {
	at := len(s.code.Buf)
	s.code.Buf = append(s.code.Buf, text...)
	return s.code.AddText(lir.Comment, at, s.pos)
}

// group begins copies that happen at once, where registers have homes: else no copy writes what
// another one reads.
func (s *selector) group() {
	if !s.plan.AllVirtual {
		s.grouped, s.loaded = true, s.loaded[:0]
		s.code.BeginGroup(s.pos)
	}
}

// endGroup ends what group began.
func (s *selector) endGroup() {
	if s.grouped {
		s.endMember()
		s.code.EndGroup()
		s.grouped = false
	}
}

// endMember drops a member without instructions.
func (s *selector) endMember() {
	c := s.code
	if n := len(c.Members) - 1; n >= c.Groups[len(c.Groups)-1].First && c.Members[n].First == len(c.List) {
		c.Members = c.Members[:n]
	}
}

// together begins a load that happens at once with those before and after it, where registers
// have homes: no home is written before all that come in registers have been read. list are the
// registers that it writes.
func (s *selector) together(list []source) {
	for _, x := range list {
		if s.grouped && s.writes(x.reg) {
			s.endGroup()
		}
	}
	if !s.grouped {
		s.group()
	}
	for _, x := range list {
		if x.reg != 0 {
			s.loaded = append(s.loaded, x.reg)
		}
	}
}

// writes reports whether a load of the group writes a register, or one whose slot overlaps its.
func (s *selector) writes(r lir.Reg) bool {
	at, slot := s.plan.Spill.At.Offset(r)
	for _, w := range s.loaded {
		if w == r {
			return true
		}
		if off, ok := s.plan.Spill.At.Offset(w); ok && slot && at < off+4 && off < at+4 {
			return true
		}
	}
	return false
}

// cannot reports what has no lowering, and which package check has no rule for.
func (s *selector) cannot(pos diag.Pos, format string, args ...any) {
	s.Reporter.Cannot(pos, format, args...)
}

func decimal(n int) string { return strconv.Itoa(n) }
