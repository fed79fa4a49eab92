package annotate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/sass"
)

// A saying is what is said of an instruction, in the order of the instructions.
type saying struct {
	instr int
	text  string
}

// notes says what each instruction has to do with the convention.
type notes struct {
	*function
	said   []saying
	first  int      // of the instruction's, in said
	passed []saying // of what calls and returns take, the last instructions first
	cells  []byte   // with registers a letter for each parameter register of each instruction
}

// of says what each instruction of the function has to do with the convention.
func (n *notes) of(registers bool) {
	n.lookBack()
	next := len(n.passed) - 1
	n.walk(func(i int, s *state) {
		n.first = len(n.said)
		if !n.code[i].strange {
			n.instruction(i, s)
		}
		if registers {
			n.registers(i, s)
		}
		end := next + 1
		for next >= 0 && n.passed[next].instr == i {
			next--
		}
		n.said = append(n.said, n.passed[next+1:end]...)
	})
}

func (n *notes) sayf(i int, format string, args ...any) { n.say(i, fmt.Sprintf(format, args...)) }

// say adds to what is said of an instruction, once.
func (n *notes) say(i int, text string) {
	if one := (saying{i, text}); text != "" && !slices.Contains(n.said[n.first:], one) {
		n.said = append(n.said, one)
	}
}

func (n *notes) instruction(i int, s *state) {
	in := &n.code[i]
	if in.call >= 0 {
		c := &n.calls[in.call]
		if c.callee != nil {
			n.say(i, c.callee.Signature())
		}
		if c.indirect {
			n.reads(i, s)
		}
		return
	}
	n.constantNotes(i)
	n.returnAddress(i, s)
	if n.stackPointer(i, s) {
		return
	}
	if in.class == loadsLocal || in.class == storesLocal {
		n.local(i, s)
	}
	n.reads(i, s)
}

// constantNotes names the words of the constant bank.
func (n *notes) constantNotes(i int) {
	in := &n.code[i]
	k := &n.target.Kernel
	for j, o := range in.Args {
		if o.Kind != sass.KindConst && o.Kind != sass.KindConstReg && o.Kind != sass.KindConstUni || o.Name != "" {
			continue
		}
		at := abi.ConstAddr{Bank: o.Bank, Off: int(o.Off)}
		switch {
		case o.Kind == sass.KindConst && at == k.SP && n.own.Kernel:
			n.say(i, "stack pointer")
		case o.Kind == sass.KindConst && (at == k.LocalLo || at == k.LocalHi && k.LocalHi != abi.ConstAddr{}):
			n.say(i, "start of local memory")
		case o.Kind == sass.KindConst && at == k.PerCTASize && at != abi.ConstAddr{}:
			n.say(i, "%perctamemorysize")
		case o.Kind == sass.KindConst && k.PerCTAStart != abi.ConstAddr{} && at.Bank == k.PerCTAStart.Bank && (at.Off == k.PerCTAStart.Off || at.Off == k.PerCTAStart.Off+4):
			n.say(i, "start of %perctamemoryoffset")
		case !n.own.Kernel || o.Off < 0 || o.Off > maxOffset:
		case o.Kind == sass.KindConst:
			size := n.constSize(in, j)
			if words := n.constants(nil, &o, size); len(words) > 0 {
				n.say(i, n.loadedNames(in, words, past(int(o.Off), size, func(off int) *Formal { return n.own.at(abi.Loc{Kind: abi.InConst, Bank: o.Bank, Off: off}) })))
			}
		default:
			if f := n.own.at(abi.Loc{Kind: abi.InConst, Bank: o.Bank, Off: int(o.Off)}); f != nil && f == &n.own.Params[0] && int(o.Off) == f.Loc.Off {
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
func (n *notes) constSize(in *instr, arg int) int {
	if in.class == loadsConst {
		return in.op.AccessSize()
	}
	return 4 * in.op.Words(&in.Instr, arg, n.target.SM)
}

// returnAddress names what is done to the return address.
func (n *notes) returnAddress(i int, s *state) {
	in := &n.code[i]
	if !n.target.Regs.HasRetAddr() {
		return
	}
	for _, o := range in.Args {
		switch o.Kind {
		case sass.KindLo32, sass.KindHi32:
			if o.Label != "" {
				n.say(i, "return address")
			}
		case sass.KindRegister:
			if in.op.Name() == "RET" && s.reg(o.Reg).kind == retAddr {
				n.say(i, "return address")
			}
		}
	}
}

// stackPointer names changes of the stack pointer.
func (n *notes) stackPointer(i int, s *state) bool {
	in := &n.code[i]
	sp := n.target.Regs.SP
	was := s.reg(sp)
	switch {
	case was == (word{kind: address}) && in.isMove() && isReg(in.source(), sp):
		n.say(i, "old stack pointer")
		return true
	case in.effects.Dest < 0 || in.Args[in.effects.Dest].Kind != sass.KindRegister || !in.effects.Writes(sp):
		return false
	}
	is := word{}
	if !in.guarded {
		result := n.result(s, i)
		if k := int(sp) - int(in.Args[in.effects.Dest].Reg); k >= 0 && k < len(result) {
			is = result[k]
		}
	}
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
func (n *notes) local(i int, s *state) {
	in := &n.code[i]
	at, ok := local(s, in)
	size := in.op.AccessSize()
	switch {
	case !ok:
	case at.kind == buffer:
		if f := n.own.inMemory(); f != nil && at.off >= 0 && at.off < int64(f.Size) {
			n.say(i, f.text(int(at.off), size)+beyond(int(at.off)+size-f.Size))
		}
	case in.class == loadsLocal:
		words := n.loaded(nil, s, in)
		to := isa.Destination(&in.Instr, sass.KindRegister)
		for k, w := range words {
			if to < 0 {
				break
			}
			if reg := in.Args[to].Reg; w.kind == saved && int64(reg)+int64(k) == w.off {
				n.sayf(i, "restores R%d", w.off)
			} else if w.kind == retAddr && reg+sass.Reg(k) == n.target.Regs.RetAddr+sass.Reg(w.off) {
				n.sayf(i, "restores R%d, return address", reg+sass.Reg(k))
			}
		}
		n.say(i, n.loadedNames(in, words, past(int(at.off), size, func(off int) *Formal { return n.incoming(s, at.who, int64(off)) })))
	default:
		data := in.op.Stored(&in.Instr)
		for k := 0; k < size/4 && data != sass.RZ; k++ {
			reg := data + sass.Reg(k)
			switch w := s.reg(reg); {
			case w.kind == saved && w.off == int64(reg):
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
func (n *notes) reads(i int, s *state) {
	in := &n.code[i]
	var all []named
	for j, o := range in.Args {
		if j == in.effects.Dest || !in.effects.Sure && j == 0 { // an unknown operation's first operand may be one it writes
			continue
		}
		first, prefix := 0, "R"
		switch o.Kind {
		case sass.KindUniform:
			first, prefix = uniforms, "UR"
		case sass.KindRegister, sass.KindMem, sass.KindAddress:
		default:
			continue
		}
		kind := s.regs[first+int(o.Reg)].kind
		if o.Reg == sass.RZ || kind != value && kind != buffer {
			continue
		}
		count := n.readWords(in, j)
		if count == 0 {
			continue
		}
		if kind == buffer {
			if f := n.own.inMemory(); f != nil && o.Kind == sass.KindRegister {
				all = once(append(all, named{prefix + strconv.Itoa(int(o.Reg)), "address of " + f.Name}), len(all))
			}
			continue
		}
		all = once(n.name(all, s.regs[first+int(o.Reg):min(first+int(o.Reg)+count, first+256)], prefix, o.Reg), len(all))
	}
	n.say(i, inWords(all))
}

// once leaves those after the first n out that are among the ones before them.
func once(all []named, n int) []named {
	out := all[:n]
	for _, one := range all[n:] {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// inWords is one name as it is, and of several each with its register.
func inWords(all []named) string {
	switch len(all) {
	case 0:
		return ""
	case 1:
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

// name adds the names of the values in words, those that are bytes of formals,
// each with the first register that it is in, counted from reg; none if the first
// word is none. Without a prefix the words are in no registers.
func (n *notes) name(all []named, words []word, prefix string, reg sass.Reg) []named {
	if len(words) == 0 || words[0].kind != value {
		return all
	}
	for k := 0; k < len(words); {
		w, one := words[k], named{}
		if prefix != "" {
			one.operand = prefix + strconv.Itoa(int(reg)+k)
		}
		if k++; w.kind != value {
			continue
		}
		size := int(w.size)
		for k < len(words) && words[k].kind == value && words[k].who == w.who && words[k].off == w.off+int64(size) {
			size += int(words[k].size)
			k++
		}
		o := n.owners[w.who]
		if one.text = o.formal.Name; !strings.HasSuffix(one.text, " at entry") {
			one.text = o.formal.text(int(w.off), size) + o.suffix
		}
		all = append(all, one)
	}
	return all
}

// loadedNames are the names of what a load brings into registers, or of what
// another instruction reads from memory, and what else is said of that; "" if
// there are none.
func (n *notes) loadedNames(in *instr, words []word, more string) string {
	prefix, reg := "", sass.RZ
	if in.effects.Dest >= 0 && (in.class == loadsConst || in.class == loadsLocal) {
		dest := in.Args[in.effects.Dest]
		reg = dest.Reg
		if prefix = "R"; dest.Kind == sass.KindUniform {
			prefix = "UR"
		}
	}
	text := inWords(n.name(nil, words, prefix, reg))
	if text == "" {
		return ""
	}
	return text + more
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
