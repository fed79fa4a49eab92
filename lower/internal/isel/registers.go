package isel

import (
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// registers has the registers of names, of elements of vectors, and of words of variables. It makes a register when it is
// first looked up.
type registers struct {
	plan     *place.Plan
	names    *lir.Names         // of the code
	words    [][]int32          // by index of the variable and number of the word: the number of its name plus 1, or 0
	renamed  map[body.Ref]int32 // the numbers of names that differ from those of the source
	elems    map[int32]int32    // of vectors without a home: by the number of the vector times 4 plus the element
	operands []source           // memory for the lists of operands of the statement at hand
}

// wordOf returns the register of word i of a variable.
func (rs *registers) wordOf(v *place.Var, i int) lir.Reg {
	list := rs.words[v.Index]
	if i >= len(list) {
		list = append(list, make([]int32, i+1-len(list))...)
		rs.words[v.Index] = list
	}
	if list[i] == 0 {
		list[i] = 1 + rs.names.Make(v.Source+rs.plan.Added(v.Sym), i, lir.OfVar(v.Index))
	}
	return lir.Virt(list[i]-1, sass.Whole)
}

// numberOf returns the number of the name that a register of the source has in the code. Its home, if not nil, must be a
// slot.
func (rs *registers) numberOf(r body.Ref, home *place.Home) int32 {
	switch {
	case home != nil:
		return home.Slot
	case !rs.plan.Syms[r.Sym].Added:
		return r.Name
	}
	n, ok := rs.renamed[r]
	if !ok {
		n = rs.names.Own(rs.plan.In.Name(r.Name) + rs.plan.Added(rs.plan.In.Sym(r)))
		rs.renamed[r] = n
	}
	return n
}

// elementOf returns the number of the name of element i of a vector. Its home, if not nil, must be a slot.
func (rs *registers) elementOf(r body.Ref, home *place.Home, i int) int32 {
	vector := rs.numberOf(r, home)
	if home != nil {
		return vector + 1 + int32(i)
	}
	key := 4*vector + int32(i)
	n, ok := rs.elems[key]
	if !ok {
		n = rs.names.Make(string(append(rs.names.Append(nil, vector), '.', "xyzw"[i])), -1, vector)
		rs.elems[key] = n
	}
	return n
}

// physical returns the words of a value in physical registers.
func (rs *registers) physical(r sass.Reg, size int) []source {
	first := len(rs.operands)
	for k := 0; k < max(size, 1); k += 4 {
		rs.operands = append(rs.operands, source{reg: lir.Phys(r + sass.Reg(k/4))})
	}
	return rs.operands[first:len(rs.operands):len(rs.operands)]
}

// virtual returns the words of a virtual register.
func (rs *registers) virtual(n int32, size int) []source {
	part, words := sass.Whole, 1
	switch {
	case size > 8:
		part, words = sass.W0, 4
	case size > 4:
		part, words = sass.Lo, 2
	}
	first := len(rs.operands)
	for k := range words {
		rs.operands = append(rs.operands, source{reg: lir.Virt(n, part+sass.Part(k))})
	}
	return rs.operands[first:len(rs.operands):len(rs.operands)]
}
