package lir

import "github.com/ptxabi/ptxabi/diag"

// A Group is instructions that happen at once: no register is written before all that read
// it have. Package sequence puts them in an order; who prints code or spills registers sees
// none any more.
type Group struct {
	First, N int      // the members, in Code.Members
	End      int      // index of the instruction after the last
	Pos      diag.Pos // of the statement that they are emitted for
}

// A Member is what gives a register its word in a group: the instructions from First on
// before the next member. Copy says that it is one copy of a physical register to another,
// which may be to itself.
type Member struct {
	First int
	Copy  bool
}

// BeginGroup begins instructions that happen at once, EndGroup ends them.
func (c *Code) BeginGroup(pos diag.Pos) {
	c.Groups = append(c.Groups, Group{First: len(c.Members), Pos: pos})
}

// AddMember begins the next member of the group.
func (c *Code) AddMember(isCopy bool) {
	c.Members = append(c.Members, Member{len(c.List), isCopy})
}

// EndGroup ends what BeginGroup has begun.
func (c *Code) EndGroup() {
	g := &c.Groups[len(c.Groups)-1]
	g.N, g.End = len(c.Members)-g.First, len(c.List)
}

// A Rewrite makes another list of the instructions of a code, in order. What else the code
// says of instructions by index it says of the new ones.
type Rewrite struct {
	*Code
	Old              []Inst
	contracts, lists int // how many are of instructions that have been seen to
}

// Rewrite begins with an empty list.
func (c *Code) Rewrite() Rewrite {
	r := Rewrite{Code: c, Old: c.List}
	c.List, c.other = c.other[:0], nil
	return r
}

// Keep appends the instructions [from, to) of the old list as they are.
func (r *Rewrite) Keep(from, to int) {
	by := len(r.List) - from
	r.List = append(r.List, r.Old[from:to]...)
	r.moved(to, by)
}

// Became says that the last instruction now stands for that of an index in the old list.
func (r *Rewrite) Became(i int) { r.moved(i+1, len(r.List)-1-i) }

// moved moves what is said of the instructions before an index that have not been seen to.
func (r *Rewrite) moved(before, by int) {
	for ; r.contracts < len(r.Contracts) && r.Contracts[r.contracts].Inst < before; r.contracts++ {
		r.Contracts[r.contracts].Inst += by
	}
	for ; r.lists < len(r.Lists) && r.Lists[r.lists].Inst < before; r.lists++ {
		r.Lists[r.lists].Inst += by
	}
}

// End ends the rewriting. The memory of the old list is for the next one.
func (r *Rewrite) End() { r.other = r.Old[:0] }
