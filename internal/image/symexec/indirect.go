package symexec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/sass"
)

// aPointer stands for the name of a function that is called through a register.
const aPointer = "a pointer"

// callTarget returns the name of what a call calls, aPointer and the words of the
// registers if it goes through such.
func (m *machine) callTarget(in *instr) (name string, pointer []word, err error) {
	name = aPointer
	switch {
	case len(in.Args) == 0 || len(in.Args) > 2 || len(in.Args) == 2 && in.Args[1].Kind != sass.Symbol:
		return "", nil, fmt.Errorf("unknown call")
	case in.Args[0].Kind == sass.Symbol && len(in.Args) == 1:
		name = functionName(in.Args[0].Name)
	case in.Args[0].Kind == sass.Register || in.Args[0].Kind == sass.Virtual:
		words := 2
		if in.op == "JMX" {
			words = 1
		}
		for k := range words {
			w := m.reg(in.Args[0].Reg + sass.Reg(k))
			if in.Args[0].Kind == sass.Virtual {
				w = m.virt[wordOf(in.Args[0], k, words)]
			}
			pointer = append(pointer, w)
		}
	default:
		return "", nil, fmt.Errorf("unknown call")
	}
	return name, pointer, nil
}

// anyRegister is an instruction that calls through a register with a name in
// place of that, which is the assembler's to choose.
func anyRegister(in *sass.Instr) sass.Instr {
	out := sass.Instr{Op: in.Op, Args: in.Args}
	if op, _, _ := strings.Cut(in.Op, "."); op != "RET" && len(in.Args) > 0 && in.Args[0].Kind != sass.Symbol {
		out.Args = slices.Clone(in.Args)
		out.Args[0] = sass.Sym(aPointer)
	}
	return out
}

// functionAddress returns the symbol whose words are the address of a function that the text of PTX names:
// its entry in the table of the target, where that has one. It is false for other names.
func (p *path) functionAddress(name string) (string, bool) {
	if c := p.sites.table.Lookup(name); c == nil || c.Func.Entry {
		return "", false
	}
	if p.sites.t.Spelling.IndirectTable != "" {
		name = "fun@unified(" + name + ")"
	}
	return name, true
}
