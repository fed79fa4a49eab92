package simtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/ptx"
)

// A simParam is a formal of a random function.
type simParam struct {
	Reg   bool     // in .reg space
	Type  ptx.Type // of an element
	Vec   int      // elements of a vector; 0 for a scalar
	Elems int      // of an array; 0 for a scalar
	Align int      // .align; 0 for none
	Addr  bool     // its address is taken
	Depth bool     // it counts the recursions
	Seed  uint64
}

func (p *simParam) size() int { return p.Type.Size() * max(p.Vec, 1) * max(p.Elems, 1) }

func (p *simParam) align() int { return max(p.Align, p.Type.Size()*max(p.Vec, 1)) }

// class is the letters that names of registers begin with.
func (p *simParam) class() string {
	c := classOf(p.Type.Size())
	if p.Type == ptx.Pred {
		c = "p"
	}
	if p.Vec != 0 {
		c = fmt.Sprintf("v%d%s", p.Vec, c)
	}
	return c
}

func classOf(size int) string {
	return map[int]string{1: "rb", 2: "rs", 4: "r", 8: "rd", 16: "rq"}[size]
}

// name is how the formal is called; what names the variables that callers
// pass, too.
func (p *simParam) name(stem string) string {
	switch {
	case p.Depth:
		return "%r_depth"
	case p.Reg:
		return "%" + p.class() + "_" + stem
	}
	return stem
}

func (p *simParam) decl(stem string) string {
	var b strings.Builder
	if p.Reg {
		b.WriteString(".reg ")
	} else {
		b.WriteString(".param ")
		if p.Align != 0 {
			fmt.Fprintf(&b, ".align %d ", p.Align)
		}
	}
	if p.Vec != 0 {
		fmt.Fprintf(&b, ".v%d ", p.Vec)
	}
	b.WriteString(p.Type.String() + " " + p.name(stem))
	if p.Elems != 0 {
		fmt.Fprintf(&b, "[%d]", p.Elems)
	}
	return b.String()
}

// A simSpec is a random program: a kernel that calls a function f, perhaps
// through another one, with a certain signature in a certain way. The zero
// value of each field is the simplest choice.
type simSpec struct {
	Seed   uint64
	Params []simParam
	Result *simParam
	Tail   *simParam // what is passed for an unsized last formal
	Inner  *simSpec  // f calls this; Params, Result and Tail of it count
	How    int       // ways to name the callee
	Early  int       // f may return after that part; 0 if only at its end

	FromFunc, Branch, Recurse, Alloca, Local, Guarded, Loop, Late bool
	PassThrough                                                   bool // parameters are passed on piece by piece
	Narrow                                                        bool // addresses have 32 bits
	Spills                                                        bool // some registers are only moved, passed and returned

	// Preserve is .abi_preserve of f, Inner's that of g, Mid that of the function
	// between; Border is .abi_preserve_control of f. nil stands for none.
	Preserve, Mid, Border *int

	Kernel []simParam
}

const (
	callDirect = iota
	callForward
	callPrototype
	callTargets
	callWays
)

var scalarTypes = []ptx.Type{
	ptx.B8, ptx.B16, ptx.B32, ptx.B64, ptx.B128, ptx.U8, ptx.U16, ptx.U32, ptx.U64,
	ptx.S8, ptx.S16, ptx.S32, ptx.S64, ptx.F16, ptx.F32, ptx.F64, ptx.B32, ptx.B32, ptx.F16X2,
}

// randomParam returns a formal with at most limit bytes.
func randomParam(r *rand.Rand, limit int, result bool) simParam {
	for {
		p := simParam{Seed: r.Uint64()}
		switch n := r.IntN(20); {
		case n < 5:
			p.Reg = true
			p.Type = scalarTypes[r.IntN(len(scalarTypes))]
			if n == 0 && !result {
				p.Type = []ptx.Type{ptx.B8, ptx.B16, ptx.B32, ptx.U16, ptx.S8, ptx.F32, ptx.B64}[r.IntN(7)]
				p.Vec = 2 + 2*r.IntN(2)
			}
			if n == 1 {
				p.Type = ptx.Pred
			}
		case n < 10:
			p.Type = scalarTypes[r.IntN(len(scalarTypes)-1)]
			if r.IntN(6) == 0 {
				p.Align = 1 << r.IntN(6)
			}
		default:
			p.Type = []ptx.Type{ptx.B8, ptx.B8, ptx.B8, ptx.B8, ptx.B16, ptx.B32, ptx.F32, ptx.B64, ptx.U8}[r.IntN(9)]
			p.Elems = 1 + r.IntN(24)
			if r.IntN(4) == 0 {
				p.Elems = 1 + r.IntN(200)/p.Type.Size()
			}
			if r.IntN(400) == 0 {
				p.Elems = 4096 / p.Type.Size()
			}
			if r.IntN(3) != 0 {
				p.Align = 1 << r.IntN(5)
			}
			if r.IntN(12) == 0 {
				p.Align = 1 << r.IntN(8)
			}
		}
		p.Addr = !p.Reg && r.IntN(8) == 0
		if p.size() <= limit && p.size() <= 16*max(p.Elems*1000, 1) {
			return p
		}
	}
}

// randomSpec returns the program of a seed, of types that the target has.
func randomSpec(seed uint64, t *abi.Target) simSpec {
	r := rand.New(rand.NewPCG(seed, 0x51))
	s := signatureSpec(r, 8, 4096)
	s.Seed = seed
	chance := func(n int) bool { return r.IntN(n) == 0 }
	if chance(2) {
		inner := signatureSpec(r, 3, 100)
		inner.Seed = r.Uint64()
		s.Inner = &inner
	}
	s.How = r.IntN(callWays)
	s.FromFunc, s.Branch, s.Alloca, s.Local = chance(2), chance(3), chance(10), chance(6)
	s.Guarded, s.Loop, s.Late = chance(8), chance(8), chance(6)
	if chance(8) {
		s.Recurse = true
	}
	if chance(6) {
		s.Early = 1 + r.IntN(2)
	}
	for range r.IntN(3) {
		p := randomParam(r, 100, false)
		if !p.Reg && p.Type != ptx.F16X2 {
			s.Kernel = append(s.Kernel, p)
		}
	}
	s.PassThrough = chance(3)
	s.Narrow = chance(4) && narrow(t)
	s.Spills = chance(3)
	s.limit(t)
	s.preserve(t)
	return s
}

// narrow reports whether a target has modules of 32-bit addresses: all up to
// sm_89, in toolkits before CUDA 12.
func narrow(t *abi.Target) bool { return t.SM <= 89 }

// limit replaces the types that came with later targets than t.
func (s *simSpec) limit(t *abi.Target) {
	for _, list := range [][]simParam{s.Params, s.Kernel} {
		for i := range list {
			list[i].limit(t)
		}
	}
	if s.Result != nil {
		s.Result.limit(t)
	}
	if s.Inner != nil {
		s.Inner.limit(t)
	}
}

func (p *simParam) limit(t *abi.Target) {
	switch {
	case p.Type == ptx.B128 && t.SM < 70:
		p.Type = ptx.B64
	case p.Type == ptx.F16X2 && t.SM < 53:
		p.Type = ptx.B32
	}
}

// inRegister reports whether a register can be the argument or take the result:
// alignments have to be equal.
func (p *simParam) inRegister() bool { return p.Reg || p.align() == p.Type.Size() }

func signatureSpec(r *rand.Rand, most, limit int) simSpec {
	var s simSpec
	for range r.IntN(most + 1) {
		s.Params = append(s.Params, randomParam(r, limit, false))
	}
	if r.IntN(4) != 0 {
		p := randomParam(r, limit, true)
		s.Result = &p
	}
	if r.IntN(10) == 0 {
		s.Tail = &simParam{Type: ptx.B8, Elems: 4 * r.IntN(16), Align: 1 << r.IntN(5), Seed: r.Uint64()}
	}
	return s
}

// formals returns the formals but the tail, the one that counts recursions included.
func (s *simSpec) formals() []simParam {
	list := s.Params
	if s.Recurse {
		list = append([]simParam{{Reg: true, Type: ptx.U32, Depth: true}}, list...)
	}
	return list
}

// head is the declaration of a function without its linkage.
func (s *simSpec) head(name string) string {
	var b strings.Builder
	if s.Result != nil {
		fmt.Fprintf(&b, "(%s) ", s.Result.decl("res"))
	}
	b.WriteString(name + " (")
	sep := ""
	for i, p := range s.formals() {
		b.WriteString(sep + p.decl(fmt.Sprintf("f%d", i)))
		sep = ", "
	}
	if s.Tail != nil {
		fmt.Fprintf(&b, "%s.param .align %d .b8 tail[]", sep, s.Tail.Align)
	}
	b.WriteString(")" + s.directives())
	return b.String()
}

// smaller returns programs that are simpler than s in one respect.
func smaller(s simSpec) []simSpec {
	var out []simSpec
	add := func(change func(s *simSpec)) {
		c := s
		c.Params, c.Kernel = slices.Clone(s.Params), slices.Clone(s.Kernel)
		if s.Result != nil {
			p := *s.Result
			c.Result = &p
		}
		if s.Inner != nil {
			in := *s.Inner
			in.Params = slices.Clone(in.Params)
			c.Inner = &in
		}
		change(&c)
		out = append(out, c)
	}
	for i := range s.Params {
		add(func(s *simSpec) { s.Params = slices.Delete(s.Params, i, i+1) })
	}
	for i := range s.Kernel {
		add(func(s *simSpec) { s.Kernel = slices.Delete(s.Kernel, i, i+1) })
	}
	if s.Inner != nil {
		add(func(s *simSpec) { s.Inner = nil })
		for i := range s.Inner.Params {
			add(func(s *simSpec) { s.Inner.Params = slices.Delete(s.Inner.Params, i, i+1) })
		}
		if s.Inner.Result != nil {
			add(func(s *simSpec) { s.Inner.Result = nil })
		}
		if s.Inner.Tail != nil {
			add(func(s *simSpec) { s.Inner.Tail = nil })
		}
	}
	if s.Result != nil {
		add(func(s *simSpec) { s.Result = nil })
	}
	if s.Tail != nil {
		add(func(s *simSpec) { s.Tail = nil })
	}
	if s.How != 0 {
		add(func(s *simSpec) { s.How = 0 })
	}
	for _, n := range []func(s *simSpec) **int{
		func(s *simSpec) **int { return &s.Preserve }, func(s *simSpec) **int { return &s.Mid }, func(s *simSpec) **int { return &s.Border },
	} {
		if *n(&s) != nil {
			add(func(s *simSpec) { *n(s) = nil })
		}
	}
	if s.Early != 0 {
		add(func(s *simSpec) { s.Early = 0 })
	}
	for _, on := range []func(s *simSpec) *bool{
		func(s *simSpec) *bool { return &s.FromFunc }, func(s *simSpec) *bool { return &s.Branch },
		func(s *simSpec) *bool { return &s.Recurse }, func(s *simSpec) *bool { return &s.Alloca },
		func(s *simSpec) *bool { return &s.Local }, func(s *simSpec) *bool { return &s.Guarded },
		func(s *simSpec) *bool { return &s.Loop }, func(s *simSpec) *bool { return &s.Late },
		func(s *simSpec) *bool { return &s.PassThrough }, func(s *simSpec) *bool { return &s.Narrow },
		func(s *simSpec) *bool { return &s.Spills },
	} {
		if *on(&s) {
			add(func(s *simSpec) { *on(s) = false })
		}
	}
	shrink := func(get func(s *simSpec) *simParam) {
		p := get(&s)
		if p == nil {
			return
		}
		if p.Addr {
			add(func(s *simSpec) { get(s).Addr = false })
		}
		if p.Elems > 1 {
			for _, n := range []int{1, p.Elems / 2, p.Elems - 4, p.Elems - 1} {
				if n > 0 && n < p.Elems {
					add(func(s *simSpec) { get(s).Elems = n })
				}
			}
		}
		if p.Align > 1 {
			add(func(s *simSpec) { get(s).Align /= 2 })
		}
		if p.size() > 4 && (p.Elems == 0 || p.Type != ptx.B8) {
			add(func(s *simSpec) { *get(s) = simParam{Type: ptx.B32, Addr: p.Addr, Seed: p.Seed} })
		}
	}
	for i := range s.Params {
		shrink(func(s *simSpec) *simParam { return &s.Params[i] })
	}
	shrink(func(s *simSpec) *simParam { return s.Result })
	return out
}

// minimise returns the simplest program that still fails, and how.
func minimise(s simSpec, fails func(simSpec) error) (simSpec, error) {
	err := fails(s)
	for budget := 2000; ; {
		progress := false
		for _, c := range smaller(s) {
			if budget--; budget < 0 {
				return s, err
			}
			if e := fails(c); e != nil {
				s, err, progress = c, e, true
				break
			}
		}
		if !progress {
			return s, err
		}
	}
}
