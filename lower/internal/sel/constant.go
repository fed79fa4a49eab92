package sel

import (
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/lower/internal/lir"
	"github.com/ptxabi/ptxabi/lower/internal/place"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// A knownConstant is what a register is known to hold.
type knownConstant struct {
	bits  uint64
	size  int // bytes of it that are known: 2, 4 or 8
	reads int // st.params and arguments of calls that mention the register
}

// knownConstants are the registers that hold known values, by number of the name. They are
// good if constantsFound is set.
type knownConstants struct {
	constants      map[int32]knownConstant
	constantsFound bool
}

// withConstants makes bytes of a word constants that come from registers whose
// values are known, where that saves instructions: where the whole word becomes a
// constant, where two registers or more become one constant, and where there is a
// constant to be made anyway.
//
// A register is known where one mov of an integer writes it and all else that
// mentions it stores it to a parameter or passes it. Nothing can have put anything
// else there; a path that comes by no mov reads what PTX leaves undefined. Several
// registers of one name are taken together.
func (fn *Selector) withConstants(w *word) {
	if w.n == 0 || !fn.Runs(lir.Constants) {
		return
	}
	if _, ok := w.plain(); ok {
		return
	}
	if fn.constantsFound && len(fn.constants) == 0 {
		return
	}
	var from [4]knownConstant
	known, made := 0, false
	for i := range w.n {
		if from[i] = fn.constantIn(w.srcs[i]); from[i].size > 0 {
			known++
		}
	}
	for _, f := range w.from {
		made = made || f.kind() == constant
	}
	if known == 0 || known == 1 && w.n > 1 && !made {
		return
	}
	v := *w
	*w = word{}
	for i, f := range v.from {
		c := from[f.src()]
		if !f.reads() || int(f.val()) >= c.size {
			w.put(i, &v, i)
			continue
		}
		b := byte(c.bits >> (8 * f.val()))
		if f.kind() == signOf {
			b = byte(int8(b) >> 7)
		}
		w.set(i, b)
	}
}

// constantIn returns what a register of one word is known to hold; its size is 0
// where that is nothing.
func (fn *Selector) constantIn(r lir.Reg) knownConstant {
	if r.Kind() != sass.Virtual {
		return knownConstant{}
	}
	if !fn.constantsFound {
		fn.findConstants()
	}
	c, ok := fn.constants[r.Name()]
	if !ok {
		return c
	}
	switch r.Part() {
	case sass.Whole, sass.Lo:
	case sass.Hi:
		c.bits, c.size = c.bits>>32, c.size-4
	default:
		return knownConstant{}
	}
	c.size = min(c.size, 4)
	return c
}

// findConstants finds the registers of the function that are known.
func (fn *Selector) findConstants() {
	fn.constantsFound = true
	clear(fn.constants)
	m := &fn.Uses
	for _, i := range fn.Movs {
		to, c := movedConstant(fn.F.Body[i].(*ptx.Instr))
		if c.size == 0 {
			continue
		}
		if n := fn.In.Numbered(to); n >= 0 {
			if fn.constants == nil {
				fn.constants = make(map[int32]knownConstant)
			}
			fn.constants[n] = c
		}
	}
	if len(fn.constants) == 0 {
		return
	}
	fn.Uses.CountInstrs()
	for _, list := range [...][]ptx.Formal{fn.Params, fn.F.Results} { // those in .reg space are written before the body
		for i := range list {
			delete(fn.constants, fn.In.Numbered(list[i].Name))
		}
	}
	for i, s := range fn.F.Body {
		var read []resolved.Ref
		switch s := s.(type) {
		case *ptx.Access:
			if s.Store {
				read = fn.In.Operands(i)[1:]
			}
		case *ptx.Call:
			read = fn.In.Operands(i)[2+len(s.Results):]
		}
		for _, r := range read {
			if c, ok := fn.constants[r.Name]; ok {
				c.reads++
				fn.constants[r.Name] = c
			}
		}
	}
	for n, c := range fn.constants {
		if int(m.Use(n).Count) != 1+c.reads {
			delete(fn.constants, n)
		}
	}
}

// movedConstant returns the name of the register that a mov of an integer writes, and
// the integer; its size is 0 for all other instructions.
func movedConstant(in *ptx.Instr) (to string, c knownConstant) {
	kind, ok := strings.CutPrefix(in.Op, "mov.")
	if !ok || in.Guard != nil || in.Ragged || len(kind) != 3 || strings.IndexByte("bsu", kind[0]) < 0 {
		return "", c
	}
	bits, err := strconv.Atoi(kind[1:])
	to, text, ok := strings.Cut(in.Args, ",")
	if err != nil || !ok {
		return "", c
	}
	names := place.Identifiers{Text: to}
	if to = strings.TrimSpace(to); to == "" || names.Next() != to {
		return "", c
	}
	v, ok := ptx.ParseInt(strings.TrimSpace(text))
	if !ok {
		return "", c
	}
	return to, knownConstant{bits: uint64(v), size: bits / 8}
}
