package isel

import (
	"strconv"

	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/sass"
)

// registers are the virtual registers of a code: those of the plan, and after them those that
// selection and passes make. They are a [lir.Names].
type registers struct {
	plan     *place.Plan
	of       int // how many the plan has
	made     []madeName
	words    map[wordOf]int32 // of variables
	elems    map[int32]int32  // elements of vectors, by the number of the vector times 4 plus the element
	renamed  map[string]int32 // other names that are made
	operands []source         // memory for the lists of operands
	line     []byte
}

// A madeName is a name that is made. Its owner is the number of the name that text has for the
// register, or ownName if no text mentions it, and less for words of variables.
type madeName struct {
	name  string
	owner int32
}

// ownName is the owner of a name that no text mentions, but for those of the words of variables.
const ownName = -1

// reset begins a function.
func (rs *registers) reset(plan *place.Plan) {
	if rs.words == nil {
		rs.words, rs.elems, rs.renamed = make(map[wordOf]int32), make(map[int32]int32), make(map[string]int32)
	}
	clear(rs.words)
	clear(rs.elems)
	clear(rs.renamed)
	rs.plan, rs.of, rs.made, rs.operands = plan, plan.Registers.Count(), rs.made[:0], rs.operands[:0]
}

// count returns how many names there are.
func (rs *registers) count() int { return rs.of + len(rs.made) }

// Name returns the name of a number.
func (rs *registers) Name(k int32) string {
	if int(k) < rs.of {
		return rs.plan.Registers.Name(k)
	}
	return rs.made[int(k)-rs.of].name
}

// owner returns the number of the name that text has for a register.
func (rs *registers) owner(n int32) int32 {
	if int(n) < rs.of {
		return n
	}
	return rs.made[int(n)-rs.of].owner
}

// newName makes a name, and returns its number.
func (rs *registers) newName(name string, owner int32) int32 {
	rs.made = append(rs.made, madeName{name, owner})
	return int32(rs.count() - 1)
}

// A wordOf identifies a word of a variable.
type wordOf struct {
	v    int32 // index of the variable
	word int
}

// wordOf is the register that keeps word i of a variable.
func (rs *registers) wordOf(v *place.Var, i int) lir.Reg {
	key := wordOf{v.Index, i}
	n, ok := rs.words[key]
	if !ok {
		b := append(append(rs.line[:0], v.Source...), rs.plan.Added(v.Sym)...)
		rs.line = strconv.AppendInt(append(b, '.'), int64(i), 10)
		n = rs.newName(string(rs.line), ownName-1-v.Index)
		rs.words[key] = n
	}
	return lir.Virt(n, sass.Whole)
}

// passed returns the numbers of the words of a variable, or of a register, that may have a value.
func (e *emitter) passed(v *place.Var, size int) []int { return v.Stored((size + 3) / 4) }

// NewWords makes a register for n words of a value from a note's on, and returns the number of
// its name.
func (c *Code) NewWords(note lir.Note, n int) int32 {
	b := append([]byte(note.Name), '.')
	b = append(strconv.AppendInt(b, int64(note.First), 10), c.regs.plan.Names.Suffix...)
	if n > 1 {
		b = strconv.AppendInt(append(b, 'x'), int64(n), 10)
	}
	return c.regs.newName(string(b), ownName)
}

// temp makes a register that nothing else uses.
func (rs *registers) temp() int32 {
	return rs.newName("tmp"+rs.plan.Names.Suffix+"."+decimal(len(rs.made)), ownName)
}

// NewTemp makes a register for a word that nothing else uses.
func (c *Code) NewTemp() lir.Reg { return lir.Virt(c.regs.temp(), sass.Whole) }
