package simtest

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// defectModule has something in it for each of the defects below: arguments in
// registers and on the stack, one of them aligned to more than stacks are,
// bytes to assemble and to extend, bytes that are passed on after another call,
// results in registers and in memory, a function that calls another.
//
//go:embed testdata/text/defectModule.ptx
var defectModule string

// A defect is a way in which lowering could be wrong: a change to what was
// lowered. It reports whether there was anything to change.
type defect struct {
	name   string
	change func(*sass.Program) bool
}

// instrs returns the instructions of a function that satisfy a condition.
func instrs(p *sass.Program, name string, want func(in *sass.Instr) bool) []*sass.Instr {
	var out []*sass.Instr
	for _, f := range p.Funcs {
		for i := range f.Items {
			if it := &f.Items[i]; (name == "" || f.Name == name) && it.Kind == sass.Code && it.Instr.Op != "" && want(&it.Instr) {
				out = append(out, &it.Instr)
			}
		}
	}
	return out
}

// nothing makes an instruction one that does nothing.
func nothing(in *sass.Instr) {
	*in = sass.Instr{Op: "MOV", Args: []sass.Operand{sass.Register(sass.RZ), sass.Register(sass.RZ)}}
}

func isReg(o sass.Operand, first, last sass.Reg) bool {
	return o.Kind == sass.KindRegister && o.Reg >= first && o.Reg <= last
}

// argumentMove reports whether in moves a virtual register to a parameter
// register.
func argumentMove(in *sass.Instr) bool {
	return in.Op == "MOV" && isReg(in.Args[0], 4, 15) && in.Args[1].Kind == sass.KindVirtual
}

func isStackStore(in *sass.Instr) bool {
	return strings.HasPrefix(in.Op, "STL") && in.Args[0].Reg == sass.SP && in.Args[0].Name == ""
}

func isSPAdd(in *sass.Instr) bool {
	return strings.HasPrefix(in.Op, "IADD") && in.Args[0] == sass.Register(sass.SP)
}

// addend is the number that an addition adds.
func addend(in *sass.Instr) *sass.Operand {
	return &in.Args[slices.IndexFunc(in.Args, func(o sass.Operand) bool { return o.Kind == sass.KindImm })]
}

// each applies a change to the instructions that satisfy a condition.
func each(fn string, want func(*sass.Instr) bool, change func(*sass.Instr)) func(*sass.Program) bool {
	return func(p *sass.Program) bool {
		list := instrs(p, fn, want)
		for _, in := range list {
			change(in)
		}
		return len(list) > 0
	}
}

// first is each for the first such instruction alone.
func first(fn string, want func(*sass.Instr) bool, change func(*sass.Instr)) func(*sass.Program) bool {
	return func(p *sass.Program) bool {
		list := instrs(p, fn, want)
		if len(list) == 0 {
			return false
		}
		change(list[0])
		return true
	}
}

var defects = []defect{
	{"two words swapped", func(p *sass.Program) bool {
		list := instrs(p, "k", argumentMove)
		if len(list) < 2 {
			return false
		}
		a, b := list[0], list[1]
		a.Args[0], b.Args[0] = b.Args[0], a.Args[0]
		return true
	}},
	{"wrong stack offset", first("f", func(in *sass.Instr) bool {
		return isStackStore(in) && strings.HasPrefix(in.Note, "wide")
	}, func(in *sass.Instr) { in.Args[0].Off += 4 })},
	{"extension lost", each("k", func(in *sass.Instr) bool {
		return in.Op == "PRMT" && strings.HasPrefix(in.Note, "small")
	}, func(in *sass.Instr) { in.Args[2] = sass.Imm(0x7770) })},
	{"wrong selector", first("k", func(in *sass.Instr) bool {
		return in.Op == "PRMT" && strings.HasPrefix(in.Note, "bytes")
	}, func(in *sass.Instr) { in.Args[2].Off = in.Args[2].Off&0xf<<12 | in.Args[2].Off>>4 })},
	{"half of a word from the wrong place", each("f", func(in *sass.Instr) bool {
		return in.Op == "PRMT" && strings.HasPrefix(in.Note, "bytes")
	}, func(in *sass.Instr) { in.Args[2].Off ^= 0x22 })},
	{"a preserved register changed", func(p *sass.Program) bool {
		f := p.Funcs[0]
		in := sass.Instr{Op: "MOV", Args: []sass.Operand{sass.Register(16), sass.Register(sass.RZ)}}
		f.Items = append([]sass.Item{{Instr: in}}, f.Items...)
		return true
	}},
	{"the stack pointer misaligned", first("k", isSPAdd, func(in *sass.Instr) { addend(in).Off -= 4 })},
	{"the frame not realigned", each("f", func(in *sass.Instr) bool {
		return strings.HasPrefix(in.Op, "LOP") && in.Args[0] == sass.Register(sass.SP)
	}, nothing)},
	{"the frame too small", each("f", isSPAdd, func(in *sass.Instr) { addend(in).Off += 64 })},
	{"a value kept in a scratch register", func(p *sass.Program) bool {
		found := false
		for _, in := range instrs(p, "f", func(*sass.Instr) bool { return true }) {
			for i := range in.Args {
				if in.Args[i].Kind == sass.KindVirtual && in.Args[i].Name == "y.0" {
					in.Args[i], found = sass.Register(14), true
				}
			}
		}
		return found
	}},
	{"wrong address for the result", first("k", func(in *sass.Instr) bool {
		return strings.HasPrefix(in.Note, "address of the result")
	}, func(in *sass.Instr) { in.Op, in.Args = "IADD", []sass.Operand{in.Args[0], in.Args[1], sass.Imm(8)} })},
	{"a result from the wrong register", first("f", func(in *sass.Instr) bool {
		return in.Op == "MOV" && in.Args[1] == sass.Register(4) && strings.HasPrefix(in.Note, "res")
	}, func(in *sass.Instr) { in.Args[1] = sass.Register(5) })},
	{"a word of the result in the wrong place", first("f", func(in *sass.Instr) bool {
		return strings.HasPrefix(in.Op, "STL") && strings.HasPrefix(in.Note, "res[56:")
	}, func(in *sass.Instr) { in.Args[0].Off -= 4 })},
	{"a store after the result", first("f", func(in *sass.Instr) bool {
		return strings.HasPrefix(in.Op, "STL") && strings.HasPrefix(in.Note, "res[56:")
	}, func(in *sass.Instr) { in.Args[0].Off += 4 })},
	{"a word passed on that a call has destroyed", func(p *sass.Program) bool {
		found := false
		for _, in := range instrs(p, "pass", func(*sass.Instr) bool { return true }) {
			for i := range in.Args {
				if in.Args[i] == sass.Virtual("%rs0", sass.Whole) {
					in.Args[i], found = sass.Register(4), true
				}
			}
		}
		return found
	}},
	{"bytes passed on in the wrong order", first("pass", func(in *sass.Instr) bool {
		return in.Op == "PRMT"
	}, func(in *sass.Instr) { in.Args[2] = sass.Imm(0x3210) })},
	{"a word passed on from its neighbour", first("pass", func(in *sass.Instr) bool {
		return in.Op == "MOV" && in.Args[0] == sass.Virtual("%rs2", sass.Whole)
	}, func(in *sass.Instr) { in.Args[1] = sass.Register(4) })},
	{"the words of a wide load swapped", func(p *sass.Program) bool {
		list := instrs(p, "k", func(in *sass.Instr) bool {
			return in.Op == "MOV" && strings.HasPrefix(in.Args[1].Name, "res.0$")
		})
		if len(list) != 2 {
			return false
		}
		a, b := list[0], list[1]
		a.Args[1], b.Args[1] = b.Args[1], a.Args[1]
		return true
	}},
	{"a wide load from the wrong place", first("k", func(in *sass.Instr) bool {
		return in.Op == "LDL.64" && strings.HasPrefix(in.Note, "res[0:8]")
	}, func(in *sass.Instr) { in.Args[1].Off += 8 })},
	{"wrong return address", func(p *sass.Program) bool {
		for _, in := range instrs(p, "f", func(in *sass.Instr) bool { return len(in.Args) == 2 }) {
			if in.Args[1].Kind == sass.KindLo32 {
				in.Args[1].Label = ""
				return true
			}
		}
		return false
	}},
	{"half of the return address", first("f", func(in *sass.Instr) bool {
		return len(in.Args) == 2 && in.Args[1].Kind == sass.KindHi32
	}, nothing)},
	{"another function called", first("k", func(in *sass.Instr) bool {
		return len(in.Args) > 0 && in.Args[0] == sass.Symbol("f")
	}, func(in *sass.Instr) { in.Args[0] = sass.Symbol("inner") })},
}

// onlyNew are the defects that need a return address in registers.
var onlyNew = map[string]bool{"wrong return address": true, "half of the return address": true}

// homeDefects are those of turnModule, whose registers live in each other's way.
var homeDefects = []defect{
	{"a cycle broken wrongly: another word set aside", first("f", setsAside, func(in *sass.Instr) {
		in.Args[1].Reg ^= 1
	})},
	{"a cycle of bytes broken wrongly", func(p *sass.Program) bool {
		found := false
		for _, in := range instrs(p, "g", func(in *sass.Instr) bool { return in.Op == "PRMT" }) {
			for i := range in.Args {
				if in.Args[i] == sass.Register(3) {
					in.Args[i], found = sass.Register(8), true
				}
			}
		}
		return found
	}},
	{"a home saved where another is", first("g", func(in *sass.Instr) bool {
		return in.Note == "saved" && in.Args[1] == sass.Register(17)
	}, func(in *sass.Instr) { in.Args[1] = sass.Register(18) })},
	{"a value across a call in a scratch register", func(p *sass.Program) bool {
		for _, f := range p.Funcs {
			for i := range f.Items {
				in := &f.Items[i].Instr
				in.Text = strings.ReplaceAll(in.Text, "R17", "R14")
			}
		}
		return true
	}},
}

func setsAside(in *sass.Instr) bool { return in.Op == "MOV" && in.Args[0] == sass.Register(3) }

// with returns a function that reports whether an instruction has a note and a register.
func with(note string, r sass.Reg) func(in *sass.Instr) bool {
	return func(in *sass.Instr) bool { return in.Note == note && slices.Contains(in.Args, sass.Register(r)) }
}

var preserveDefects = []defect{
	{"what a callee does not preserve is not saved", first("many", with("saved", 37), nothing)},
	{"what a callee does not preserve is not restored", first("many", with("restored", 37), nothing)},
	{"a plain caller does not save", first("plain", with("saved", 17), nothing)},
	{"its own return address not saved", first("many", with("saved", 54), nothing)},
	{"two saved registers swapped", first("many", with("saved", 37), func(in *sass.Instr) { in.Args[1].Reg++ })},
	{"the return address where plain callees have it", each("many", func(in *sass.Instr) bool {
		return in.Op == "MOV" && (in.Args[1].Kind == sass.KindLo32 || in.Args[1].Kind == sass.KindHi32)
	}, func(in *sass.Instr) { in.Args[0].Reg += 6 })},
	{"a return through R20", first("many", func(in *sass.Instr) bool { return in.Op == "RET.ABS.NODEC" }, func(in *sass.Instr) {
		in.Args[0] = sass.Register(20)
	})},
	{"an argument where plain callees have it", first("plain", func(in *sass.Instr) bool {
		return in.Op == "MOV" && isReg(in.Args[0], 20, 30) && strings.HasPrefix(in.Note, "x[")
	}, func(in *sass.Instr) { in.Args[0] = sass.Register(4) })},
	{"the old stack pointer not kept", first("plain", func(in *sass.Instr) bool {
		return in.Note == "stack pointer at entry" && strings.HasPrefix(in.Op, "STL")
	}, nothing)},
}

// guardedModule has guards of a store and of calls.
//
//go:embed testdata/text/guardedModule.ptx
var guardedModule string

var guardDefects = []defect{
	{"guarded calls made always", each("k", isBranch, nothing)},
	{"a guarded call under the other guard", first("k", isBranch, otherGuard)},
	{"a move under the other guard", first("k", func(in *sass.Instr) bool { return in.Op == "MOV" && in.Guard != "" }, otherGuard)},
}

// isBranch reports whether in is a branch that lowering makes: around a guarded call.
func isBranch(in *sass.Instr) bool { return in.Op == "BRA" && in.Guard != "" }

func otherGuard(in *sass.Instr) {
	if guard, ok := strings.CutPrefix(in.Guard, "@!"); ok {
		in.Guard = "@" + guard
	} else {
		in.Guard = "@!" + in.Guard[1:]
	}
}
