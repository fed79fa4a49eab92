package annotate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// notes are what is said of each instruction, and the cells of its registers.
type notes struct {
	*function
	said  [][]string // by instruction
	cells []string   // likewise, a letter for each parameter register
}

// notesOf says what each instruction has to do with the convention.
func notesOf(fn *function) *notes {
	n := &notes{function: fn, said: make([][]string, len(fn.code)), cells: make([]string, len(fn.code))}
	passed := make([][]string, len(fn.code))
	for i := range fn.code {
		op := base(fn.code[i].Op)
		if c, ok := fn.calls[i]; ok && c.callee != nil {
			n.lookBack(passed, i, c.callee, " for "+c.callee.Name, c.callee.Params, c.callee.Hidden, c.callee.StackBytes)
		} else if op == "RET" && !fn.own.Kernel {
			n.lookBack(passed, i, fn.own, " returned", fn.own.Results, abi.Loc{}, 0)
		}
	}
	fn.walk(func(i int, s *state) {
		n.instruction(i, s)
		n.cells[i] = n.registers(i, s)
		n.said[i] = append(n.said[i], passed[i]...)
	})
	return n
}

func (n *notes) sayf(i int, format string, args ...any) { n.say(i, fmt.Sprintf(format, args...)) }

// say adds to what is said of an instruction, once.
func (n *notes) say(i int, text string) {
	if text != "" && !slices.Contains(n.said[i], text) {
		n.said[i] = append(n.said[i], text)
	}
}

func (n *notes) instruction(i int, s *state) {
	in := n.code[i]
	e := in.Effects()
	op := base(in.Op)
	if c, ok := n.calls[i]; ok {
		if c.callee != nil {
			n.say(i, c.callee.Signature())
		}
		if c.indirect {
			n.reads(i, s, &e)
		}
		return
	}
	n.constantNotes(i)
	n.returnAddress(i, s)
	if n.stackPointer(i, s, &e) {
		return
	}
	if op == "LDL" || op == "STL" {
		n.local(i, s, op)
	}
	n.reads(i, s, &e)
}

// constantNotes names the words of the constant bank.
func (n *notes) constantNotes(i int) {
	in := n.code[i]
	k := &n.target.Kernel
	for j, o := range in.Args {
		at := abi.ConstAddr{Bank: o.Bank, Off: int(o.Off)}
		switch {
		case o.Kind != sass.Const && o.Kind != sass.ConstReg && o.Kind != sass.ConstUni || o.Name != "":
		case o.Kind == sass.Const && at == k.SP && n.own.Kernel:
			n.say(i, "stack pointer")
		case o.Kind == sass.Const && (at == k.LocalLo || at == k.LocalHi && k.LocalHi != abi.ConstAddr{}):
			n.say(i, "start of local memory")
		case !n.own.Kernel || o.Off < 0 || o.Off > 1<<20:
		case o.Kind == sass.Const:
			size := n.constSize(in, j)
			if words := n.constants(o, size); words != nil {
				n.say(i, n.loadedNames(in, words, past(int(o.Off), size, func(off int) *Formal { return n.own.inBlock(o.Bank, off) })))
			}
		default:
			if f := n.own.inBlock(o.Bank, int(o.Off)); f != nil && f == &n.own.Params[0] && int(o.Off) == f.Loc.Off {
				n.say(i, "parameters, indexed") // as a whole, or the first of them
			} else if f != nil && int(o.Off) == f.Loc.Off {
				n.say(i, f.Name+", indexed")
			} else if f != nil {
				n.sayf(i, "%s, indexed from %d", f.Name, int(o.Off)-f.Loc.Off)
			}
		}
	}
}

// constSize is how many bytes of a constant operand an instruction reads; 0: not
// known.
func (n *notes) constSize(in *sass.Instr, arg int) int {
	if op := base(in.Op); op == "LDC" || op == "ULDC" || op == "LDCU" {
		return moved(in)
	}
	return 4 * in.Words(arg, n.target.SM)
}

// returnAddress names what is done to the return address.
func (n *notes) returnAddress(i int, s *state) {
	in := n.code[i]
	f := &n.target.Regs
	if !f.HasRetAddr() {
		return
	}
	for _, o := range in.Args {
		switch {
		case (o.Kind == sass.Lo32 || o.Kind == sass.Hi32) && o.Label != "":
			n.say(i, "return address")
		case base(in.Op) == "RET" && o.Kind == sass.Register && s.regs[o.Reg].kind == retAddr:
			n.say(i, "return address")
		}
	}
}

// stackPointer names changes of the stack pointer.
func (n *notes) stackPointer(i int, s *state, e *sass.Effects) bool {
	in := n.code[i]
	sp := n.target.Regs.SP
	switch {
	case isMove(in) && source(in) == sass.R(sp) && s.regs[sp] == (word{kind: address}):
		n.say(i, "old stack pointer")
		return true
	case !e.Writes(sp) || e.Dest < 0:
		return false
	}
	after := s.clone()
	n.step(after, i)
	was, is := s.regs[sp], after.regs[sp]
	switch {
	case is.kind != address || was.kind != address:
		return false // from the constant bank, or by who knows what
	case is.who == 0 && is.off == 0:
		n.say(i, "frame released")
	case is.who != was.who:
		n.say(i, "frame aligned")
	case is.off < was.off:
		n.sayf(i, "frame of %d bytes", was.off-is.off)
	default:
		n.sayf(i, "stack pointer back by %d bytes", is.off-was.off)
	}
	return true
}

// local names what a local load or store moves.
func (n *notes) local(i int, s *state, op string) {
	in := n.code[i]
	m := memOperand(in)
	if m == nil {
		return
	}
	at, ok := memory(s, *m)
	size := moved(in)
	switch {
	case !ok:
	case at.kind == buffer:
		if f := n.own.inMemory(); f != nil && at.off >= 0 && at.off < f.Size {
			n.say(i, f.text(at.off, size)+beyond(at.off+size-f.Size))
		}
	case op == "LDL":
		words := n.loaded(s, in)
		dest := in.Destination(sass.Register)
		for k, w := range words {
			if w.kind == saved && dest >= 0 && int(in.Args[dest].Reg)+k == w.off {
				n.sayf(i, "restores R%d", w.off)
			} else if w.kind == retAddr && dest >= 0 && in.Args[dest].Reg+sass.Reg(k) == n.target.Regs.RetAddr+sass.Reg(w.off) {
				n.sayf(i, "restores R%d, return address", in.Args[dest].Reg+sass.Reg(k))
			}
		}
		n.say(i, n.loadedNames(in, words, past(at.off, size, func(off int) *Formal { return n.incoming(s, at.who, off) })))
	default:
		data := in.Stored()
		for k := 0; k < size/4 && data != sass.RZ; k++ {
			reg := data + sass.Reg(k)
			switch w := s.regs[reg]; {
			case w.kind == saved && w.off == int(reg):
				n.sayf(i, "saves R%d", reg)
			case w.kind == retAddr:
				n.sayf(i, "saves R%d, return address", reg)
			}
		}
	}
}

// A named is an operand with the name of what is in it.
type named struct{ operand, text string }

// reads names what registers hold that an instruction reads.
func (n *notes) reads(i int, s *state, e *sass.Effects) {
	in := n.code[i]
	var all []named
	for j, o := range in.Args {
		if j == e.Dest || !e.Sure && j == 0 { // an unknown operation's first operand may be one it writes
			continue
		}
		words, count := &s.regs, n.readWords(i, j)
		reg, prefix := o.Reg, "R"
		switch o.Kind {
		case sass.Uniform:
			words, prefix = &s.uniform, "UR"
		case sass.Register, sass.Mem, sass.Address:
		default:
			continue
		}
		if reg == sass.RZ || count == 0 {
			continue
		}
		var list []word
		for k := 0; k < count && int(reg)+k < len(words); k++ {
			list = append(list, words[int(reg)+k])
		}
		parts := n.names(list, prefix, reg)
		if list[0].kind == buffer && o.Kind == sass.Register {
			if f := n.own.inMemory(); f != nil {
				parts = []named{{fmt.Sprintf("%s%d", prefix, reg), "address of " + f.Name}}
			}
		}
		for _, one := range parts {
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	n.say(i, inWords(all))
}

// inWords is one name as it is, and of several each with its register.
func inWords(all []named) string {
	if len(all) == 1 {
		return all[0].text
	}
	var parts []string
	for _, one := range all {
		if one.operand == "" || one.text == one.operand+" at entry" {
			parts = append(parts, one.text)
		} else {
			parts = append(parts, one.operand+" = "+one.text)
		}
	}
	return strings.Join(parts, ", ")
}

// names are the names of the values in words, those that are bytes of formals,
// each with the first register that it is in, counted from reg; nil if the first
// word is none. Without a prefix the words are in no registers.
func (n *notes) names(words []word, prefix string, reg sass.Reg) []named {
	if len(words) == 0 || words[0].kind != value {
		return nil
	}
	var all []named
	for k := 0; k < len(words); {
		w, one := words[k], named{}
		if prefix != "" {
			one.operand = fmt.Sprintf("%s%d", prefix, int(reg)+k)
		}
		if k++; w.kind != value {
			continue
		}
		for k < len(words) && words[k].kind == value && words[k].who == w.who && words[k].off == w.off+w.size {
			w.size += words[k].size
			k++
		}
		o := n.owners[w.who]
		if one.text = o.formal.Name; !strings.HasSuffix(one.text, " at entry") {
			one.text = o.formal.text(w.off, w.size) + o.suffix
		}
		all = append(all, one)
	}
	return all
}

// loadedNames are the names of what a load brings into registers, or of what
// another instruction reads from memory, and what else is said of that; "" if
// there are none.
func (n *notes) loadedNames(in *sass.Instr, words []word, more string) string {
	prefix, reg := "", sass.RZ
	if dest := in.Effects().Dest; dest >= 0 && loads(in) {
		reg = in.Args[dest].Reg
		if prefix = "R"; in.Args[dest].Kind == sass.Uniform {
			prefix = "UR"
		}
	}
	text := inWords(n.names(words, prefix, reg))
	if text == "" {
		return ""
	}
	return text + more
}

// loads reports whether an instruction is a load whose words are named.
func loads(in *sass.Instr) bool {
	return slices.Contains([]string{"LDC", "ULDC", "LDCU", "LDL"}, base(in.Op))
}

// Signature says where a function's values are: "f: x R4, y R6:R8 -> r R4".
func (f *Func) Signature() string {
	list := func(formals []Formal) string {
		var parts []string
		for i := range formals {
			parts = append(parts, formals[i].Name+" "+formals[i].Placement.String())
		}
		return strings.Join(parts, ", ")
	}
	text := f.Name + ": " + list(f.Params)
	if len(f.Params) == 0 {
		text = f.Name + ": no parameters"
	}
	if len(f.Results) > 0 {
		text += " -> " + list(f.Results)
	}
	return text
}
