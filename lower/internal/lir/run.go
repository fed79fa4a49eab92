package lir

import "github.com/ptxabi/ptxabi/sass"

// A Run is instructions of which package tune may make fewer. Code is right without that.
type Run struct {
	Kind       RunKind
	First, End int32 // the instructions
	// Apart says of loads in turn that each is into a register of its own, so that they may
	// be in any order and go through another register.
	Apart bool

	// What follows is about stores. They are of bytes of one value, in order, each with what
	// makes the register that it stores before it.

	// Virtual says that words may be put together in virtual registers; else Spare is the
	// first of four registers that nothing is in, 0 for none.
	Virtual bool
	Spare   sass.Reg
	// Words says that what is stored are words: where a store is of a part of one, nobody
	// reads the rest. Begins says that the first one is the first word of the value.
	Words, Begins bool
	Size          int32 // of the value, in bytes
	Stmt, Label   int32 // the statement, and the last label before it; -1 for none
}

// A RunKind is what the instructions of a Run are.
type RunKind uint8

const (
	// InTurn are loads into registers that none of them reads, perhaps with other
	// instructions between them.
	InTurn RunKind = iota
	// AtOnce is what happens at once. If it is a group of the code, the run has all of that.
	AtOnce
	// Stores are stores to memory.
	Stores
)

// AddRun appends a run of the instructions from an index on, to be filled in.
func (c *Code) AddRun(kind RunKind, first int) *Run {
	c.Runs = append(c.Runs, Run{Kind: kind, First: int32(first), End: int32(len(c.List))})
	return &c.Runs[len(c.Runs)-1]
}

// Follows reports whether r is the register after another one: the next physical one, or
// the next word of one virtual register. RZ follows itself.
func (r Reg) Follows(before Reg) bool {
	switch {
	case before.Kind() != r.Kind():
		return false
	case before.Kind() == sass.Register:
		return before.Num() == sass.RZ && r.Num() == sass.RZ || before.Num() != sass.RZ && r.Num() == before.Num()+1 && r.Num() != sass.RZ
	case before.Kind() == sass.Virtual:
		return before.Name() == r.Name() && r.Part() == before.Part()+1 && before.Part() != sass.Whole && (before.Part() == sass.Lo || before.Part() >= sass.W0)
	}
	return false
}

// Group returns n registers that follow each other, beginning with r, as
// one operand; false if they cannot be one.
func (r Reg) Group(n int) (Reg, bool) {
	switch {
	case r.Kind() == sass.Register:
		return r, r.Num() == sass.RZ || int(r.Num())%n == 0
	case r.Part() == sass.Lo && n == 2, r.Part() == sass.W0 && n == 4:
		return r.WithPart(sass.Whole), true
	case r.Part() >= sass.W0:
		return r, int(r.Part()-sass.W0)%n == 0
	}
	return r, false
}

// Word is word i of a virtual register of n words, 2 or 4.
func (r Reg) Word(i, n int) Reg {
	if n > 2 {
		return r.WithPart(sass.W0 + sass.Part(i))
	}
	return r.WithPart(sass.Lo + sass.Part(i))
}

// Aligned reports whether the address that a load or a store accesses is known to be a
// multiple of n.
func (in *Inst) Aligned(n int) bool { return int(in.First) >= n && int(in.N)&(n-1) == 0 }
