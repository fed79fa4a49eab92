package abitest

import (
	"math/rand/v2"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Dialect limits random functions to those that an assembler accepts for a target.
// [DialectOf] makes one.
type Dialect struct {
	SM          int
	PTX         ptx.Version
	MaxKernel   int // bytes of kernel parameters
	MaxFunction int // bytes of one parameter of a function
	// CrashOnLoneSret reports that ptxas crashes on a call of a function that has no
	// parameters and a result in memory, as [abi.Passing] has it.
	CrashOnLoneSret bool

	preserving *abi.Target // the target, where the assembler takes .abi_preserve for it
}

// DialectOf returns the Dialect of assemblers of a PTX version for a target. The zero Version stands for 9.0, or for the
// first version that has the target, if that is later.
func DialectOf(t *abi.Target, v ptx.Version) Dialect {
	t = zero.Or(t)
	if v == (ptx.Version{}) {
		if v = preserveSince; t.SM == 107 { // which PTX 9.4 brought
			v.Minor = 4
		}
	}
	d := Dialect{SM: t.SM, PTX: v, MaxKernel: t.MaxKernelParams(abi.Version(v)), MaxFunction: 4096, CrashOnLoneSret: t.Passing.CrashOnLoneSret}
	if v.AtLeast(preserveSince.Major, preserveSince.Minor) && t.Passing.Preserving.Most > 0 {
		d.preserving = t
	}
	return d
}

// preserveSince is the first version of PTX with .abi_preserve.
var preserveSince = ptx.Version{Major: 9, Minor: 0}

// b128 reports whether there are scalars of 128 bits.
func (d Dialect) b128() bool { return d.SM >= 70 && d.PTX.AtLeast(8, 3) }

// regHalf reports whether half-precision formals in .reg space work. Before
// sm_53 there are no .f16x2 ones, and ptxas translates .f16 ones in two ways
// that disagree: a caller passes and expects single precision in the register,
// a callee takes and leaves half precision there.
func (d Dialect) regHalf() bool { return d.SM >= 53 }

// generator draws signatures.
type generator struct {
	*rand.Rand
	Dialect
}

// Random returns the index-th function of a seed: the same for the same arguments. About
// one in eight is a kernel, and where the target has .abi_preserve about one in twelve
// has the directive. Declarations that NVIDIA's assembler miscompiles are left out, such
// as half-precision formals in .reg space before sm_53.
func Random(seed uint64, index int, d Dialect) *Function {
	g := generator{rand.New(rand.NewPCG(seed, uint64(index))), d}
	if g.IntN(8) == 0 {
		return g.kernel()
	}
	s := g.function()
	g.preserve(s)
	return s
}

// preserve gives some functions .abi_preserve, with a number that has an assignment.
func (g *generator) preserve(s *Function) {
	if g.preserving == nil || g.IntN(8) != 0 {
		return
	}
	// Small numbers are the likely ones, large ones are at a limit.
	s.Preserve = abi.Preserve{Given: true, N: g.IntN([]int{13, 41, 41, 238}[g.IntN(4)])}
	if _, err := abi.Assign(s.ABI(), g.preserving); err != nil {
		s.Preserve = abi.Preserve{}
	}
}

// pick draws one of several strings.
func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }

// count draws the number of parameters: mostly few, sometimes none or many.
func (g *generator) count() int {
	switch g.IntN(16) {
	case 0:
		return g.IntN(2)
	case 1:
		return 8 + g.IntN(24)
	}
	return 1 + g.IntN(8)
}

func (g *generator) function() *Function {
	s := new(Function)
	if g.IntN(2) == 0 {
		f := g.formal()
		s.Result = &f
	}
	for range g.count() {
		s.Params = append(s.Params, g.formal())
	}
	if s.Params == nil && s.Result != nil && g.CrashOnLoneSret {
		s.Params = append(s.Params, g.formal())
	}
	if g.IntN(8) == 0 {
		s.Params = append(s.Params, Formal{Type: "b8", Len: -1, Align: 1 << g.IntN(8)})
		s.Tail = max(0, g.IntN(68)-3)
	}
	return s
}

// formal draws a parameter or result of a function.
func (g *generator) formal() Formal {
	switch g.IntN(8) {
	case 0, 1:
		return Formal{Reg: true, Type: g.scalar(true)}
	case 2, 3:
		return Formal{Type: g.scalar(false), Align: g.align(4)}
	case 4:
		return g.vector()
	}
	return g.array(g.MaxFunction)
}

// scalar draws a type that a function's scalar may have.
func (g *generator) scalar(reg bool) string {
	switch {
	case reg && !g.regHalf():
		return g.pick("b8", "b16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64")
	case reg && g.IntN(12) == 0:
		return "f16x2"
	case !reg && g.b128() && g.IntN(10) == 0:
		return "b128"
	}
	return g.pick("b8", "b16", "f16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64")
}

// vector draws a vector of at most 128 bits.
func (g *generator) vector() Formal {
	f := Formal{Reg: true, Vec: 2 << g.IntN(2)}
	if f.Vec == 2 && g.IntN(2) == 0 {
		f.Type = g.pick("b64", "u64", "s64", "f64")
	} else {
		f.Type = g.pick("f16", "f16x2")
		if g.regHalf() && g.IntN(8) == 0 {
			return f
		}
		f.Type = g.pick("b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32")
	}
	return f
}

// align draws the .align of a declaration, which may be below the natural alignment. In unless-1 of unless cases there is
// none.
func (g *generator) align(unless int) int {
	if g.IntN(unless) != 0 {
		return 0
	}
	return 1 << g.IntN(8)
}

// array draws an array of at most limit bytes.
func (g *generator) array(limit int) Formal {
	f := Formal{Type: "b8", Align: g.align(2)}
	if g.IntN(2) == 0 {
		f.Type = g.pick("u8", "s8", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64", "b128")
	}
	var size int
	switch g.IntN(64) {
	case 0:
		size = 1 + g.IntN(limit)
	case 1, 2:
		size = 1 + g.IntN(300)
	case 3, 4, 5, 6:
		size = 40 + g.IntN(24)
	default:
		size = 1 + g.IntN(40)
	}
	f.Len = max(1, min(size, limit)/f.Elem())
	return f
}

// kernel draws a kernel: one in eight has parameters near the size at which large blocks begin,
// and one in eight beyond it, if the target has them.
func (g *generator) kernel() *Function {
	s := &Function{Kernel: true}
	limit := smallBlock
	switch g.IntN(8) {
	case 0:
		s.Params = append(s.Params, Formal{Type: "b8", Len: smallBlock - 300 + g.IntN(300), Align: g.align(2)})
		limit = min(g.MaxKernel, smallBlock+300)
	case 1:
		if g.MaxKernel > smallBlock {
			limit = g.MaxKernel
			s.Params = append(s.Params, Formal{Type: "b8", Len: smallBlock + 1 + g.IntN(g.MaxKernel-smallBlock-1200), Align: g.align(2)})
		}
	}
	for range g.count() {
		s.Params = append(s.Params, g.kernelFormal())
	}
	for s.BlockSize() > limit {
		s.Params = s.Params[:len(s.Params)-1]
	}
	return s
}

// smallBlock is the size in bytes above which a block of kernel parameters is a
// large one.
const smallBlock = 4352

// kernelFormal draws a parameter of a kernel.
func (g *generator) kernelFormal() Formal {
	if g.IntN(2) == 0 {
		f := g.array(1024)
		if f.Type == "f16" && g.regHalf() {
			f.Type = "f16x2" // which ptxas does not let a function's caller pass
			f.Len = (f.Len + 1) / 2
		}
		return f
	}
	typ := g.pick("b8", "u8", "s8", "b16", "u16", "s16", "f16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64")
	if g.b128() && g.IntN(12) == 0 {
		typ = "b128"
	}
	f := Formal{Type: typ, Align: g.align(6)}
	if g.IntN(32) == 0 {
		f.Align = 256 << g.IntN(3) // kernels have no limit of 128
	}
	return f
}

// BlockSize returns the size in bytes of a block with the parameters of s, aligned
// relative to its start, which the assembler compares with its limit.
func (s *Function) BlockSize() int {
	s = zero.Or(s)
	size := 0
	for _, f := range s.Params {
		v := f.Value()
		size = (size+v.Align-1)&-v.Align + v.Size
	}
	return size
}
