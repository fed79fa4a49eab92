package measured

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/sass"
)

// program parses a section's code. The error names the section.
func (s *Section) program() (*sass.Program, error) {
	p, err := sass.Parse(s.Module, []byte(s.Code()))
	if err != nil {
		return nil, fmt.Errorf("%s | %s | %s: %w", s.Module, s.Options, s.Targets[0], err)
	}
	return p, nil
}

// code returns the instructions of a function; none where there is no such
// function.
func code(p *sass.Program, name string) []sass.Instr {
	var list []sass.Instr
	for i := range p.Funcs {
		if p.Funcs[i].Name != name {
			continue
		}
		for _, item := range p.Funcs[i].Items {
			if item.Kind == sass.Code {
				list = append(list, item.Instr)
			}
		}
	}
	return list
}

// find returns the first instruction that satisfies a condition; the zero Instr
// where there is none.
func find(list []sass.Instr, ok func(*sass.Instr) bool) sass.Instr {
	for i := range list {
		if ok(&list[i]) {
			return list[i]
		}
	}
	return sass.Instr{}
}

func has(in *sass.Instr, kind sass.OperandKind, name string) bool {
	return slices.ContainsFunc(in.Args, func(o sass.Operand) bool { return o.Kind == kind && o.Name == name })
}

// destines reports whether the instruction's first operand is a register.
func destines(in *sass.Instr, r sass.Reg) bool {
	return len(in.Args) > 0 && in.Args[0].Kind == sass.KindRegister && in.Args[0].Reg == r
}

// reloc returns the kind of the relocation of an instruction of a function, ""
// where there is none.
func (s *Section) reloc(fn string, in *sass.Instr) string {
	for _, note := range s.Notes("reloc") {
		var at int64
		place, rest, _ := strings.Cut(note, ": ")
		name, off, _ := strings.Cut(place, "+")
		if _, err := fmt.Sscanf(off, "0x%x", &at); err == nil && name == fn && in.HasAddr && at == in.Addr {
			kind, _, _ := strings.Cut(rest, " ")
			return kind
		}
	}
	return ""
}

// Calls derives facts, by the names of abi.Fact, from a section of the probe
// "calls".
func Calls(s *Section) (map[string]string, error) {
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	facts := make(map[string]string)
	set := func(name, value string) {
		if value == "" {
			value = "none"
		}
		facts[name] = value
	}

	direct := code(p, "direct")
	call := find(direct, func(in *sass.Instr) bool { return has(in, sass.KindSymbol, "ext") })
	set("direct call", call.Op)
	set("relocation of a direct call", s.reloc("direct", &call))
	self := find(code(p, "self"), func(in *sass.Instr) bool { return has(in, sass.KindSymbol, "self") })
	set("recursive call", self.Op)
	ret := find(direct, func(in *sass.Instr) bool { return strings.HasPrefix(in.Op, "RET") })
	set("return", ret.Op)
	set("return address", "hardware call stack")
	set("family", "old")
	if len(ret.Args) > 0 {
		set("family", "new")
		set("return address", fmt.Sprintf("R%d:R%d", ret.Args[0].Reg, ret.Args[0].Reg+1))
	}
	lo := find(direct, func(in *sass.Instr) bool { return len(in.Args) == 2 && in.Args[1].Kind == sass.KindLo32 })
	hi := find(direct, func(in *sass.Instr) bool { return len(in.Args) == 2 && in.Args[1].Kind == sass.KindHi32 })
	set("return address is loaded by", lo.Op)
	set("relocations of the return address", both(s.reloc("direct", &lo), s.reloc("direct", &hi)))

	indirect := code(p, "indirect")
	jump := find(indirect, func(in *sass.Instr) bool {
		return (strings.HasPrefix(in.Op, "CALL") || in.Op == "JMX") && len(in.Args) > 0 && in.Args[0].Kind == sass.KindRegister
	})
	before := find(indirect, func(in *sass.Instr) bool { return in.Op == "PRET" })
	switch {
	case before.Op != "":
		set("indirect call", before.Op+", "+jump.Op+" with the low word")
	default:
		set("indirect call", jump.Op+" with 2 words")
	}
	table := ""
	if len(jump.Args) > 1 {
		table = jump.Args[1].Name
	}
	set("table of function addresses", table)
	set("relocation of the table of function addresses", s.reloc("indirect", &jump))

	address := code(p, "address")
	lo = find(address, func(in *sass.Instr) bool { return strings.Contains(in.String(), "32@lo") })
	hi = find(address, func(in *sass.Instr) bool { return strings.Contains(in.String(), "32@hi") })
	set("relocations of a function's address", both(s.reloc("address", &lo), s.reloc("address", &hi)))

	kernel := code(p, "kernel")
	set("end of a kernel", find(kernel, func(in *sass.Instr) bool { return in.Op == "EXIT" }).Op)
	sp := find(kernel, func(in *sass.Instr) bool { return destines(in, 1) && in.Args[len(in.Args)-1].Kind == sass.KindConst })
	set("stack pointer of a kernel", strings.TrimSuffix(sp.String(), " ;"))
	adjust := find(direct, func(in *sass.Instr) bool { return destines(in, 1) })
	set("stack adjustment", form(&adjust))
	return facts, nil
}

func both(a, b string) string {
	if a == "" && b == "" {
		return ""
	}
	return a + ", " + b
}

// form is an instruction with n for its immediate.
func form(in *sass.Instr) string {
	parts := make([]string, len(in.Args))
	for i, o := range in.Args {
		parts[i] = o.String()
		if o.Kind == sass.KindImm && (i < 2 || in.Args[i-1].Kind != sass.KindRegister || in.Args[i-1].Reg != sass.RZ) {
			parts[i] = "n"
		}
	}
	return in.Op + " " + strings.Join(parts, ", ")
}

// Kernels derives facts from the recording of the probe "kernels" for a target.
func Kernels(f *File, target string) (map[string]string, error) {
	facts := make(map[string]string)
	get := func(module string) (*block, error) {
		s := f.Find(module, "-c -O1", target)
		if s == nil {
			return nil, fmt.Errorf("kernels: no recording of %s for %s", module, target)
		}
		return s.block()
	}
	blocks := make(map[string]*block)
	for _, m := range []string{"scalars", "align64", "align256", "handle", "lasthandle", "full", "large", "largealign", "most", "beyond", "corner"} {
		b, err := get(m)
		if err != nil {
			return nil, err
		}
		blocks[m] = b
	}
	origin := func(b *block, i, relative int) string {
		if b.offset[i] == relative {
			return "the block's start"
		}
		return "the bank's start"
	}
	facts["kernel parameters"] = fmt.Sprintf("c[%#x][%#x]", blocks["scalars"].bank, blocks["scalars"].base)
	facts["kernel parameter alignments count from"] = origin(blocks["align256"], 0, 0)
	facts["alignment of handles among kernel parameters"] = fmt.Sprintf("%d bytes", blocks["handle"].offset[2])
	facts["alignment of a last handle counts in the block"] = map[int]string{1: "no", 4: "yes"}[blocks["lasthandle"].size]
	if !blocks["full"].refused {
		facts["most kernel parameters"] = "4352 bytes"
	}
	facts["large kernel parameters"] = "none"
	facts["large kernel parameter alignments count from"] = "none"
	if large := blocks["large"]; !large.refused {
		facts["large kernel parameters"] = fmt.Sprintf("c[%#x][%#x]", large.bank, large.base)
		facts["large kernel parameter alignments count from"] = origin(blocks["largealign"], 1, 256)
		if !blocks["most"].refused && blocks["beyond"].refused {
			facts["most large kernel parameters"] = "32764 bytes"
		}
	} else {
		facts["most large kernel parameters"] = "none"
	}
	return facts, nil
}

// A block is a kernel's parameter block.
type block struct {
	refused          bool
	bank, base, size int
	offset           map[int]int // of each parameter with bytes
	read             []int       // offsets in the bank that are read, but for the kernel's own words
}

func (s *Section) block() (*block, error) {
	b := &block{offset: make(map[int]int), refused: s.Refusal() != ""}
	if b.refused {
		return b, nil
	}
	var name string
	for _, note := range s.Notes("kernel") {
		if _, err := fmt.Sscanf(note, "%s bank %d base %v size %d", &name, &b.bank, &b.base, &b.size); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", s.Module, note, err)
		}
	}
	for _, note := range s.Notes("param") {
		var i, off, size int
		if _, err := fmt.Sscanf(note, "%s %d: offset %d size %d", &name, &i, &off, &size); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", s.Module, note, err)
		}
		b.offset[i] = off
	}
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	for _, in := range code(p, s.Module) {
		for _, o := range in.Args {
			if o.Kind == sass.KindConst && int(o.Off) >= b.base {
				b.read = append(b.read, int(o.Off))
			}
		}
	}
	slices.Sort(b.read)
	return b, nil
}

// Signature is the signature of a kernel of the probe "kernels".
func Signature(module string) (abi.Signature, bool) {
	v := func(size, align int) abi.Value { return abi.Value{Size: size, Align: align} }
	handle := abi.Value{Kind: abi.Opaque}
	params, ok := map[string][]abi.Value{
		"scalars":    {v(1, 1), v(2, 2), v(4, 4), v(8, 8)},
		"align64":    {v(4, 64), v(4, 4)},
		"align256":   {v(4, 256), v(4, 4)},
		"handle":     {v(1, 1), handle, v(1, 1)},
		"lasthandle": {v(1, 1), handle},
		"full":       {v(4352, 1)},
		"large":      {v(4353, 1)},
		"largealign": {v(32, 1), v(4288, 256), v(16, 1)},
		"most":       {v(32764, 1)},
		"beyond":     {v(32765, 1)},
		"corner":     {v(4320, 128), v(8, 8)},
		"corner256":  {v(4320, 256), v(8, 8)},
	}[module]
	return abi.Signature{Kind: abi.Entry, Params: params}, ok
}

// Placed says where the parameters of a section of the probe "kernels" are, in
// the text form of want, the assignment that is expected: from what is recorded
// where the code reads those places, or "refused". Where record and code
// disagree, it says so.
func (s *Section) Placed(want *abi.Assignment) (string, error) {
	b, err := s.block()
	if err != nil || b.refused {
		return "refused", err
	}
	got := *want
	got.Params = slices.Clone(want.Params)
	got.Block = abi.Block{Bank: uint8(b.bank), Base: b.base, Size: b.size}
	var places []int
	for i, off := range b.offset {
		if off == 0xffff { // a handle
			continue
		}
		places = append(places, b.base+off)
		if i < len(got.Params) {
			got.Params[i].Loc = abi.Loc{Kind: abi.InConst, Bank: uint8(b.bank), Off: b.base + off}
		}
	}
	slices.Sort(places)
	// A word that is read may hold several small parameters.
	read := slices.Compact(b.read)
	if !slices.ContainsFunc(read, func(off int) bool { return !slices.Contains(places, off) }) && len(read) > 0 {
		return got.String(), nil
	}
	shift := 0
	if len(read) == len(places) {
		shift = read[0] - places[0]
	}
	if shift == 0 {
		return fmt.Sprintf("recorded at %#x, read at %#x", places, read), nil
	}
	return fmt.Sprintf("recorded at %s, read at %s", abi.ConstAddr{Off: b.base}, abi.ConstAddr{Off: b.base + shift}), nil
}
