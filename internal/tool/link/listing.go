package link

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/image/isa"
	"github.com/ptxabi/ptxabi/resolve"
	"github.com/ptxabi/ptxabi/sass"
)

// codeSection begins the name of a section with code, by which 11.8 calls the functions that
// other files cannot see.
const codeSection = ".text."

// relocatable is what nvdisasm says of objects.
const relocatable = `.elftype @"ET_REL"`

// ErrNoArch says that a listing does not name the architecture of its code.
var ErrNoArch = errors.New("it names no architecture")

// AddListing adds a disassembler's listing of a cubin. What functions take of the stack
// and what they call is found in their code: nothing of it was recorded. Listings take no
// part in [Set.Report]. arch is that of one that does not name its own; "" if that is not
// known either. The error is a [diag.List] of lines that cannot be read, or [ErrNoArch], or says
// that the text is of several programs, whose code would be taken for that of one.
func (s *Set) AddListing(p Place, text, arch string) error {
	prog, err := sass.Parse(p.Name, []byte(text))
	switch {
	case err != nil:
		return err
	case prog.Target != "":
		a, err := resolve.ParseArch(prog.Target)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		arch = a.Name
	case arch == "":
		return ErrNoArch
	}
	if err := oneProgram(p.Name, text, prog); err != nil {
		return err
	}
	f := &form{kind: Program, arch: arch, graph: &graph{file: p.Name, code: true}}
	if strings.Contains(strings.ReplaceAll(text, "\t", " "), relocatable) {
		f.kind = Object
	}
	regs := listedRegisters(text)
	for _, fn := range prog.Funcs {
		f.graph.addCode(fn, regs)
	}
	s.listings = append(s.listings, f)
	return nil
}

// oneProgram returns an error if a listing has code for several architectures, or two
// functions of one name, as that of a library has.
func oneProgram(name, text string, prog *sass.Program) error {
	const advice = "; a listing is of one cubin here: disassemble that (nvdisasm -c), or name the binary itself"
	first := ""
	for line := range strings.Lines(text) {
		arch := namedArch(strings.TrimSpace(line))
		if first == "" {
			first = arch
		}
		if arch != "" && arch != first {
			return fmt.Errorf("%s has code for %s and for %s%s", name, first, arch, advice)
		}
	}
	seen := make(map[string]bool)
	for _, f := range prog.Funcs {
		if seen[f.Name] {
			return fmt.Errorf("%s has two functions %s%s", name, f.Name, advice)
		}
		seen[f.Name] = true
	}
	return nil
}

// namedArch returns the architecture that a line of a listing names, "" if it names none. The
// letter of one with features of its own is left out, since not all such lines have it.
func namedArch(line string) string {
	var digits string
	switch {
	case strings.HasPrefix(line, "code for sm_"):
		digits = line[len("code for sm_"):]
	case strings.HasPrefix(line, ".headerflags"), strings.HasPrefix(line, ".target"):
		for _, before := range []string{"EF_CUDA_SM", "sm_"} {
			if _, after, ok := strings.Cut(line, before); ok {
				digits = after
				break
			}
		}
	}
	if digits = leadingDigits(digits); digits == "" {
		return ""
	}
	return "sm_" + digits
}

// leadingDigits is what a text begins with of digits.
func leadingDigits(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}

// listedRegisters are the numbers of registers that a listing has beside its code, by the
// function that the section is named for.
func listedRegisters(text string) map[string]int {
	const section, count = ".section", "SHI_REGISTERS="
	regs := make(map[string]int)
	name := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, section+"\t"), strings.HasPrefix(line, section+" "):
			name, _, _ = strings.Cut(strings.TrimSpace(line[len(section):]), ",")
			name = strings.TrimPrefix(name, codeSection)
		case strings.Contains(line, count):
			_, digits, _ := strings.Cut(line, count)
			regs[name], _ = strconv.Atoi(leadingDigits(digits))
		}
	}
	return regs
}

// addCode adds a section of code: the function that it is named for, and those inside of
// it, which the assembler put after a kernel's own code.
func (g *graph) addCode(f *sass.Func, regs map[string]int) {
	c := &code{labels: make(map[string]int), addrs: make(map[int64]int)}
	type entry struct {
		name string
		at   int
	}
	entries := []entry{{f.Name, 0}}
	for i := range f.Items {
		switch it := &f.Items[i]; it.Kind {
		case sass.Label:
			c.labels[it.Text] = len(c.instrs)
			switch n := len(c.inside); {
			case local(it.Text):
				if n == 0 || c.inside[n-1] != len(c.instrs) {
					c.inside = append(c.inside, len(c.instrs))
				}
			default:
				entries = append(entries, entry{it.Text, len(c.instrs)})
			}
		case sass.Code:
			if it.Instr.HasAddr {
				c.addrs[it.Instr.Addr] = len(c.instrs)
			}
			c.instrs = append(c.instrs, &it.Instr)
		}
	}
	for i, e := range entries {
		if i > 0 && e.at == entries[i-1].at { // the same code by another name
			last := &g.funcs[len(g.funcs)-1]
			if e.name != last.Name {
				last.Aliases = append(last.Aliases, &Alias{Name: strings.Clone(e.name)})
			}
			continue
		}
		end := len(c.instrs)
		for _, o := range entries[i+1:] {
			if o.at > e.at {
				end = o.at
				break
			}
		}
		w := c.walk(e.at, end)
		kernel := e.at == 0 && (f.Kernel || w.launched)
		n := node{local: e.at != 0, Func: Func{Name: strings.Clone(e.name), Kernel: kernel, Regs: -1, MinStack: -1, Dynamic: w.dynamic}}
		n.Frame, n.Slack = w.frame(kernel)
		if r, ok := regs[f.Name]; ok {
			n.Regs = r
		}
		for name := range w.calls {
			n.calls = append(n.calls, strings.Clone(name))
		}
		if w.pointer {
			n.Indirect = []string{Unnamed}
		}
		g.funcs = append(g.funcs, n)
	}
}

// Unnamed stands for the prototype of a call in a listing that does not name what is
// called: through a register, or by an address.
const Unnamed = "?"

// local reports whether a label is one inside of a function.
func local(label string) bool { return strings.HasPrefix(label, ".L") }

// code is a section of code.
type code struct {
	instrs []*sass.Instr
	labels map[string]int
	inside []int // instructions after labels inside of functions, in order
	addrs  map[int64]int
}

// A walk is what was found on all ways from a function's entry.
type walk struct {
	depth    int // bytes that the stack pointer is moved by at most
	align    int // what it is aligned to; 0: it is not
	dynamic  bool
	launched bool // it takes the stack pointer from the constant bank, as kernels do
	pointer  bool
	cut      bool // control comes to the end of the code: lines are missing
	calls    map[string]bool
}

// The alignment of the stack pointer at the entry of a function, and where a kernel has
// it from.
const (
	functionAlign = 8
	kernelAlign   = 16
)

// frame is what assemblers record: what the pointer is moved by, and the most that aligning it
// takes beside, -1 of a listing that ends too early. Of that, slack bytes are not taken where the stack
// pointer of a function is aligned to more at its entry, as for a parameter on the stack that is.
func (w *walk) frame(kernel bool) (bytes, slack int) {
	switch {
	case w.cut:
		return -1, 0
	case kernel:
		return w.depth + max(w.align-kernelAlign, 0), 0
	}
	slack = max(w.align-functionAlign, 0)
	return w.depth + slack, slack
}

// A visit is an instruction with how many bytes of stack are taken before it.
type visit struct{ at, depth int }

// walk follows the stack pointer from an entry on. A jump through a register may lead to
// all labels up to end.
func (c *code) walk(entry, end int) *walk {
	w := &walk{calls: make(map[string]bool)}
	seen := make(map[int]int)
	copies := make(map[sass.Reg]int) // of the stack pointer
	tables := -1                     // the depth of a jump through a table
	todo := []visit{{entry, 0}}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for v.at < len(c.instrs) {
			if before, ok := seen[v.at]; ok {
				w.dynamic = w.dynamic || before != v.depth
				break
			}
			seen[v.at] = v.depth
			in := c.instrs[v.at]
			v.depth = w.moved(in, v.depth, copies)
			w.depth = max(w.depth, v.depth)
			goals, on := c.goals(v.at, w)
			for _, to := range goals {
				todo = append(todo, visit{to, v.depth})
			}
			if goals == nil && tableJump(in) && !c.calls(v.at) {
				tables = max(tables, v.depth)
			}
			if !on {
				break
			}
			if v.at++; v.at == end && end < len(c.instrs) {
				break // after a call that never returns, another function begins
			}
			w.cut = w.cut || v.at == len(c.instrs)
		}
		if len(todo) == 0 && tables >= 0 {
			first, _ := slices.BinarySearch(c.inside, entry+1)
			for _, at := range c.inside[first:] {
				if at >= end {
					break
				}
				if _, ok := seen[at]; !ok {
					todo = append(todo, visit{at, tables})
				}
			}
			tables = -1
		}
	}
	return w
}

// tableJump reports whether an instruction jumps through a register.
func tableJump(in *sass.Instr) bool {
	name, _, _ := strings.Cut(in.Op, ".")
	return slices.Contains([]string{"BRX", "BRXU", "JMX", "JMXU"}, name)
}

// calls reports whether a jump through a register is a call: PRET before it says where
// sm_62 and earlier go on.
func (c *code) calls(at int) bool {
	in := c.instrs[at]
	return tableJump(in) && (strings.Contains(in.Remark, "INDIRECT_CALL") || at > 0 && strings.HasPrefix(c.instrs[at-1].Op, "PRET"))
}

// goals are the instructions that one may lead to, and whether it may go on to the next.
func (c *code) goals(at int, w *walk) (to []int, on bool) {
	in := c.instrs[at]
	guarded := in.Guard != "" && in.Guard != "@PT"
	name, _, _ := strings.Cut(in.Op, ".")
	switch name {
	case "EXIT", "RET", "KILL", "SYNC", "BRK", "CONT", "RTT":
		return nil, guarded || slices.ContainsFunc(in.Args, func(o sass.Operand) bool { return o.Kind == sass.KindPred })
	case "CALL", "CAL", "JCAL":
		called := false
		if len(in.Args) > 1 && in.Args[0].Kind == sass.KindRegister && in.Args[0].Reg != sass.RZ { // an address beside the symbol
			w.pointer = true
			return nil, true
		}
		for i := range in.Args {
			o := &in.Args[i]
			switch {
			case o.Kind == sass.KindSymbol && local(o.Name):
				if at, ok := c.labels[o.Name]; ok {
					to = append(to, at)
				}
				called = true
			case o.Kind == sass.KindSymbol:
				w.calls[strings.TrimPrefix(o.Name, codeSection)] = true
				called = true
			}
		}
		w.pointer = w.pointer || !called
		return to, true
	case "PRET", "SSY", "PBK", "PCNT", "BSSY", "WARPSYNC":
		on = true
	case "BRA", "JMP":
		on = guarded || strings.Contains(in.Op, ".") || len(in.Args) > 1
	case "BRX", "BRXU", "JMX", "JMXU":
		if c.calls(at) {
			w.pointer = true
			return nil, guarded
		}
		on = guarded
	default:
		return nil, true
	}
	for i := range in.Args {
		switch o := &in.Args[i]; o.Kind {
		case sass.KindSymbol:
			if at, ok := c.labels[o.Name]; ok && local(o.Name) {
				to = append(to, at)
			} else if !local(o.Name) && name != "RET" {
				w.calls[strings.TrimPrefix(o.Name, codeSection)] = true
			}
		case sass.KindImm:
			if at, ok := c.addrs[o.Off]; ok && !tableJump(in) {
				to = append(to, at)
			}
		}
	}
	return to, on
}

// moved is how many bytes of stack are taken after an instruction. copies has the depths of which registers hold the stack
// pointer.
func (w *walk) moved(in *sass.Instr, depth int, copies map[sass.Reg]int) int {
	if !slices.ContainsFunc(in.Args, isSP) {
		return depth // as of nearly all
	}
	to, args := made(in)
	if to != sass.SP && !slices.ContainsFunc(args, isSP) {
		return depth
	}
	args = slices.DeleteFunc(slices.Clone(args), nothing)
	op, _, _ := strings.Cut(in.Op, ".")
	move := op == "MOV" || op == "MOV32I" || strings.HasPrefix(in.Op, "IMAD.MOV") || in.Op == "IMAD.U32"
	if move && len(args) == 2 && args[1].Kind == sass.KindImm { // a mask of bytes, in old disassembly
		args = args[:1]
	}
	if to != sass.SP {
		if move && len(args) == 1 && fromSP(&args[0]) {
			copies[to] = depth
		}
		return depth
	}
	if in.Guard == "" || in.Guard == "@PT" {
		switch n := len(args); {
		case n == 1 && constant(&args[0]) && (move || op == "LDC" || op == "S2R"):
			w.launched = true
			return 0
		case n == 1 && move && args[0].Kind == sass.KindRegister:
			if d, ok := copies[args[0].Reg]; ok {
				return d
			}
		case n == 2 && adds(in) && args[1].Kind == sass.KindImm && constant(&args[0]):
			w.launched = true
			return -int(int32(args[1].Off))
		case n == 2 && adds(in) && args[1].Kind == sass.KindImm && fromSP(&args[0]):
			return depth - int(int32(args[1].Off))
		case n >= 2 && strings.HasPrefix(op, "LOP") && args[1].Kind == sass.KindImm && fromSP(&args[0]):
			if align := -int(int32(args[1].Off)); align > 0 && align&(align-1) == 0 && align <= 1<<20 {
				w.align = max(w.align, align)
				return depth
			}
		}
	}
	w.dynamic = true
	return depth
}

// made returns the register that an instruction writes, or may write, with what it is made of; RZ and nothing where there
// is none.
func made(in *sass.Instr) (sass.Reg, []sass.Operand) {
	dest := -1
	switch e := isa.OperationOf(in.Op).Effects(in); {
	case e.Sure:
		dest = e.Dest
	case in.Args[0].Kind == sass.KindRegister:
		dest = 0 // it is not known to be one
	}
	if dest < 0 || in.Args[dest].Kind != sass.KindRegister {
		return sass.RZ, nil
	}
	return in.Args[dest].Reg, in.Args[dest+1:]
}

// isSP reports whether an operand names the stack pointer.
func isSP(o sass.Operand) bool { return o.Reg == sass.SP }

// fromSP reports whether an operand is the value of the stack pointer.
func fromSP(o *sass.Operand) bool {
	return o.Kind == sass.KindRegister && o.Reg == sass.SP && !o.Neg && !o.Abs && !o.Not
}

// adds reports whether an instruction is a sum of 32 bits.
func adds(in *sass.Instr) bool {
	op, _, _ := strings.Cut(in.Op, ".")
	return (strings.HasPrefix(op, "IADD") || op == "VIADD" || op == "UIADD3") && op != "IADD64" && !strings.Contains(in.Op, ".X")
}

// constant reports whether an operand is what the constant bank holds, or a uniform
// register, into which it was loaded.
func constant(o *sass.Operand) bool {
	return (o.Kind == sass.KindConst || o.Kind == sass.KindUniform) && !o.Neg
}

// nothing reports whether an operand adds nothing.
func nothing(o sass.Operand) bool {
	return o.Kind == sass.KindRegister && o.Reg == sass.RZ || o.Kind == sass.KindPred || o.Kind == sass.KindUniform && o.Reg == sass.RZ
}
