package check

import (
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/round"
	"github.com/ptxabi/ptxabi/ptx"
)

// Limits of the manual (section on parameter passing) and of the assembler.
const (
	manualAlign    = 16
	assemblerAlign = 128
	vectorBytes    = 16
	literalLimit   = 1 << 32 // extents from here on do not fit the assembler's literals
)

// head checks the head of a function or kernel.
func (c *checker) head(f *ptx.Func) {
	headDirectives(c, f)
	if len(f.Results) > 0 && f.Entry {
		c.errorf(KernelResult, f.Results[0].Pos, "kernel %s has a result; return it through memory", f.Name)
	}
	c.formals(f, f.Results, f.Params)
	if len(f.Results) > 1 {
		c.results(f.Results, f.NamePos, "function "+f.Name)
	}
	if f.Entry {
		block(c, f)
	}
}

// headDirectives checks the linkage, the attribute and the directives of a head.
func headDirectives(c *checker, f *ptx.Func) {
	if f.Linkage == ptx.Weak && !f.Entry {
		c.need(weakFunctions, f.Pos)
	}
	if f.Linkage == ptx.Common {
		d := c.errorf(ConflictingLinkage, f.Pos, ".common is for variables; use .weak on function %s", f.Name)
		c.fix(d, f.Pos, c.m.TokenEnd(f.Pos), ".weak", "write .weak")
	}
	if f.Attr != "" && f.Entry {
		c.errorf(MisplacedDirective, f.Pos, ".attribute on kernel %s; it is for functions and variables", f.Name)
	} else if f.Attr != "" && c.attributeWords(f.Attr, f.Pos) && !c.Compile {
		c.errorf(UnifiedFunction, f.Pos, "function %s is .unified, which only separate compilation has; compile with -c", f.Name)
	}
	for i := range f.Directives {
		headDirective(c, f, i)
	}
}

// noreturn reports a result of a head with .noreturn, which ends at end.
func (c *checker) noreturn(end diag.Pos, results int, what string) {
	if results > 0 {
		c.errorf(NoreturnResult, end, "%s is .noreturn and has a result, which no caller can ever get; drop one", what)
	}
}

// name reports a formal without a name, or with the name of another formal.
func (c *checker) name(f *ptx.Formal, defined, entry bool) {
	if f.Name == "" {
		return // it could not be read
	}
	if f.Name == "_" && !entry {
		c.errorf(NamelessFormal, f.Var.Pos, "a formal of a function has a name; '_' stands in prototypes only")
		return
	}
	pos, taken := c.seen[f.Name]
	if !taken {
		c.seen[f.Name] = f.Var.Pos
	} else {
		sev := diag.Error
		if !defined {
			sev = c.forbidden() // the assembler reads no names of declarations
		}
		c.add(sev, DuplicateName, f.Var.Pos, sprintf("two formals are named %s; rename one", f.Name), related(pos, "the other one is here"))
	}
}

// A role tells whether a formal is a result, and which formals follow it.
type role struct {
	result bool
	after  []ptx.Formal // the input formals that follow
}

// formals checks the formals of a function, or of a prototype where f is nil.
func (c *checker) formals(f *ptx.Func, results, params []ptx.Formal) {
	clear(c.seen)
	one := func(p *ptx.Formal, r role) {
		if f != nil {
			c.name(p, f.HasBody, f.Entry)
		}
		c.formal(f, p, r)
	}
	for i := range results {
		one(&results[i], role{result: true})
	}
	for i := range params {
		one(&params[i], role{after: params[i+1:]})
	}
}

// formal checks one formal. Only definitions have storage; the assembler reads only the shape of the formals
// of declarations and prototypes.
func (c *checker) formal(f *ptx.Func, p *ptx.Formal, r role) {
	reported := len(c.list)
	c.formalRules(f, p, r)
	c.spoil(&p.Var, reported)
	if f != nil {
		for _, err := range c.list[reported:] {
			if len(err.Fixes) > 0 {
				c.later.formals = append(c.later.formals, inFunction{c.program.globals[f.Name], err})
			}
		}
	}
}

func (c *checker) formalRules(f *ptx.Func, p *ptx.Formal, r role) {
	defined := f != nil && f.HasBody
	entry := f != nil && f.Entry
	spec := &p.Spec
	if c.unknownSpec(spec) {
		c.mistakes.markBad(&p.Var)
		return
	}
	if entry && p.AlignLate {
		spec = lateInKernel(c, p)
	}
	if !c.shape(spec, &p.Var, defined, false) {
		return
	}
	if p.Ranged() {
		c.errorf(RangedFormal, p.Var.Pos, "%s<%d> as a formal; declare each one", p.Name, max(p.Count, 0))
		return
	}
	if !unsized(c, f, p, r) {
		return
	}
	pointer(c, p, entry)
	switch {
	case f == nil && p.Type.Class() == ptx.Handle:
		c.errorf(UnplaceableType, p.TypePos, "%s is a parameter of kernels alone; pass its 64-bit handle", p.Type)
	case entry && p.Type == ptx.SamplerRef && !independent(c):
		c.errorf(UnplaceableType, p.TypePos, "%s is for modules with .target texmode_independent; others have the sampler in the .texref", p.Type)
	case p.Space == ptx.RegSpace && entry:
		c.errorf(WrongFormalSpace, p.SpacePos, "parameter %s of a kernel is in .reg space; kernels take .param", p.Name)
	case p.Space == ptx.RegSpace && defined && (len(p.Dims) > 0 || p.Type.Class() == ptx.Handle):
		c.errorf(RegisterArray, p.Var.Pos, "%s cannot be in registers; pass it in .param space", describe(&p.Spec, &p.Var))
	case p.Space == ptx.ParamSpace && !entry && !c.need(paramFormals, p.Pos):
	case p.Space == ptx.ParamSpace && defined:
		c.placeable(&p.Spec, &p.Var, entry)
	}
	if p.Type == ptx.B128 && len(p.Dims) == 0 && defined && c.need(quadWords, p.TypePos) && p.Space == ptx.RegSpace && !entry {
		last := 5
		if r.result { // which 13.5 returns
			last = 4
		}
		c.add(diag.Warning, TruncatedQuad, p.TypePos, sprintf("releases 12.4 to 13.%d of the assembler move only part of the 128 bits of %s; pass .align 16 .b8 %s[16]", last, p.Name, p.Name))
	}
	if p.Space == ptx.ParamSpace && !entry {
		formalAlign(c, p, defined)
	}
}

// formalAlign checks the alignment of a function's formal against the limits.
func formalAlign(c *checker, p *ptx.Formal, defined bool) {
	switch a := p.Align; {
	case a&(a-1) != 0:
	case a > assemblerAlign && defined:
		c.errorf(ExcessiveAlignment, p.AlignPos, "formal %s is aligned to %d bytes; %d is the most that the assembler takes in a function", p.Name, a, assemblerAlign)
	case a > assemblerAlign:
		c.forbidf(ExcessiveAlignment, p.AlignPos, "formal %s is aligned to %d bytes, which no definition and no argument can be; %d is the most that the assembler takes there", p.Name, a, assemblerAlign)
	case a > manualAlign:
		c.forbidf(WideAlignment, p.AlignPos, "formal %s is aligned to %d bytes; the manual allows 1, 2, 4, 8 and 16", p.Name, a)
	}
}

// shape applies the rules for every name in .reg or .param space. stored says that it has storage, and local that it is a
// local variable, not a formal. It returns false after an error that makes other rules pointless.
func (c *checker) shape(s *ptx.Spec, v *ptx.Var, stored, local bool) bool {
	if s.Type.Class() == ptx.Alternate {
		refuse := c.refusef
		if tolerated(c, s, v, stored) {
			refuse = c.forbidf
		}
		d := refuse(AlternateFormat, s.TypePos, "%s is a type of instructions, not of variables; declare %s as %s", s.Type, v.Name, bitsOf(s.Type))
		c.fixType(d, s.TypePos, s.Type, bitsOf(s.Type))
		return false
	}
	if !c.alignment(s) || packed(s.Type) && !c.need(packedHalves, s.TypePos) {
		return false
	}
	switch {
	case s.Attr != "" && !attributes(c, s, stored && !v.Ranged()):
		return false
	case s.AlignLate:
		return true
	case s.Type == ptx.Pred && (s.Vec != 0 || len(v.Dims) > 0):
		c.errorf(PredicateFormal, s.TypePos, "predicates are scalar registers; pass %s as .b32", v.Name)
		return false
	case s.Vec != 0 && s.Vec != 2 && s.Vec != 4:
		if !c.newer("vector", sprintf(".v%d", s.Vec), s.TypePos) {
			c.errorf(IllegalVector, s.TypePos, ".v%d is not a vector of PTX; there are .v2 and .v4", s.Vec)
		}
		return false
	case s.Vec*s.Type.Size() > vectorBytes:
		c.errorf(IllegalVector, s.TypePos, ".v%d %s takes %d bytes; a vector has at most %d", s.Vec, s.Type, s.Vec*s.Type.Size(), vectorBytes)
		return false
	case len(v.Dims) > 1:
		sev := diag.Error
		if s.Space == ptx.ParamSpace && local {
			sev = c.forbidden() // the assembler takes it, but passes it to no formal
		}
		err := c.add(sev, NestedArray, v.Pos, sprintf("%s has %d dimensions; a parameter has one: multiply the extents", v.Name, len(v.Dims)))
		fixExtents(c, err, v)
		if sev == diag.Warning {
			c.mistakes.nested[v] = err
		}
		return false
	}
	for _, n := range v.Dims {
		if n >= literalLimit {
			c.errorf(OversizedArray, v.Pos, "%s has %d elements, more than 32 bits can count", v.Name, n)
			return false
		}
	}
	return true
}

// alignment checks that .align has a power of two and stands in its place. It returns
// false if it has none.
func (c *checker) alignment(s *ptx.Spec) bool {
	if s.AlignPos.IsValid() && (s.Align == 0 || s.Align&(s.Align-1) != 0) {
		c.errorf(OddAlignment, s.AlignPos, ".align %d is not a power of two", s.Align)
		return false
	}
	if s.AlignLate {
		lateAlignment(c, s)
	}
	return true
}

// tolerated reports whether an assembler accepts a variable of an alternate
// format. It accepts .e4m3, .e5m2 and packed ones without
// storage and as arrays in .param space; release 12.4 accepts registers of the
// first two. The other formats came with PTX 8.6.
func tolerated(c *checker, s *ptx.Spec, v *ptx.Var, stored bool) bool {
	array := len(v.Dims) == 1 && v.Dims[0] != ptx.NoExtent && v.Dims[0] != 0 && v.Dims[0] < literalLimit
	if s.Vec != 0 || s.AlignLate || s.Align > assemblerAlign || s.Align&(s.Align-1) != 0 || s.Align == 0 && s.AlignPos.IsValid() || len(v.Dims) > 0 && !array {
		return false
	}
	ok := !stored || s.Space == ptx.ParamSpace && array
	switch s.Type {
	case ptx.E4M3, ptx.E5M2:
		return ok || s.Space == ptx.RegSpace && len(v.Dims) == 0
	case ptx.E4M3X2, ptx.E5M2X2:
		return ok
	case ptx.E2M1X2, ptx.E2M3X2, ptx.E3M2X2, ptx.UE8M0X2, ptx.S2F6X2, ptx.F32X2:
		return ok && c.m.Version.AtLeast(8, 6)
	}
	return false
}

// unsized checks an array without extent, which must be the last formal of a function. It reports false after an error.
func unsized(c *checker, f *ptx.Func, p *ptx.Formal, r role) bool {
	if !p.Var.Unsized() {
		return true
	}
	switch {
	case r.result:
		c.errorf(UnsizedResult, p.Var.Pos, "result %s has no size; a caller must know how much comes back: give it an extent", p.Name)
	case f != nil && f.Entry:
		c.errorf(UnsizedFormal, p.Var.Pos, "parameter %s of a kernel has no size; give it an extent", p.Name)
	case p.Space == ptx.RegSpace:
		c.errorf(UnsizedFormal, p.Var.Pos, "array %s without extent is in .reg space; pass it in .param space", p.Name)
	case len(r.after) > 0:
		c.add(diag.Error, UnsizedFormal, r.after[0].Pos, sprintf("a formal stands after array %s, which has no extent; move the array after the others", p.Name), related(p.Var.Pos, "the array is here"))
	case f != nil:
		return c.need(unsizedArrays, p.Var.Pos)
	default:
		return true
	}
	return false
}

// pointer checks .ptr.
func pointer(c *checker, p *ptx.Formal, entry bool) {
	ptr := p.Ptr
	if ptr == nil {
		return
	}
	if !entry {
		d := c.errorf(MisplacedPointer, ptr.Pos, ".ptr on formal %s of a function; only kernel parameters have it", p.Name)
		c.fix(d, ptr.Pos, p.Var.Pos, "", "drop .ptr")
		return
	}
	if !c.need(pointerAttr, ptr.Pos) {
		return
	}
	switch ptr.Space {
	case ptx.NoSpace, ptx.ConstSpace, ptx.GlobalSpace, ptx.LocalSpace, ptx.SharedSpace:
	default:
		c.errorf(MisplacedPointer, ptr.Pos, ".ptr leads to .const, .global, .local or .shared memory, not to %s", ptr.Space)
		return
	}
	if ptr.AlignPos.IsValid() && (ptr.Align == 0 || ptr.Align&(ptr.Align-1) != 0) {
		c.errorf(OddAlignment, ptr.AlignPos, ".align %d is not a power of two", ptr.Align)
		return
	}
	if size := p.Type.Size(); len(p.Dims) > 0 || p.Vec != 0 || p.Type.Class() == ptx.Float || size != 4 && size != 8 {
		d := c.forbidf(PointlessPointer, ptr.Pos, ".ptr on %s, which holds no pointer; use .u32 or .u64", describe(&p.Spec, &p.Var))
		c.fix(d, ptr.Pos, p.Var.Pos, "", "drop .ptr")
	}
}

// placeable checks that a name with storage may be in .param space.
func (c *checker) placeable(s *ptx.Spec, v *ptx.Var, entry bool) bool {
	scalar := len(v.Dims) == 0
	switch {
	case s.Vec != 0 && scalar:
		c.refusef(VectorParameter, s.TypePos, "%s: the assembler has no vectors in .param space; declare .align %d .b8 %s[%d]", describe(s, v), s.Alignment(), v.Name, s.SizeOf(v))
	case s.Type == ptx.Pred:
		c.refusef(UnplaceableType, s.TypePos, "predicate %s is in .param space; pass .b32 made with selp", v.Name)
	case s.Type == ptx.F16X2 && scalar:
		d := c.refusef(UnplaceableType, s.TypePos, "%s: the assembler has no .f16x2 scalar in .param space; declare .b32 %s", describe(s, v), v.Name)
		c.fixType(d, s.TypePos, s.Type, ".b32")
	case s.Type.Class() == ptx.Handle && !entry:
		c.errorf(UnplaceableType, s.TypePos, "%s is a parameter of kernels alone; pass its 64-bit handle", s.Type)
	default:
		return true
	}
	return false
}

// results checks a list of results: several must be in registers, and switch the ABI off.
func (c *checker) results(list []ptx.Formal, pos diag.Pos, what string) {
	if len(list) < 2 || c.mistakes.anyBad(list) {
		return
	}
	for i := range list {
		if list[i].Space != ptx.RegSpace {
			c.errorf(MultipleResults, list[i].Pos, "%s has %d results, which must all be in .reg space; return one .param array", what, len(list))
			return
		}
	}
	if c.program.noABI.IsValid() {
		return
	}
	c.program.noABI = pos
	msg := sprintf("%s has %d results, which switches the ABI off for the whole module; return one .param array", what, len(list))
	if c.Compile {
		c.errorf(MultipleResults, pos, "%s", msg+", since compiling with -c needs the ABI")
		return
	}
	c.add(c.forbidden(), MultipleResults, pos, msg)
}

// The most bytes of parameters of a kernel, as measured: in every version of PTX,
// and in those with large blocks.
const (
	smallBlock = 4352
	largeBlock = 32764
	// constantBank is the size of the constant bank with the parameters, in bytes.
	constantBank = 1 << 16
)

// blockEnd returns the end of the parameters of a kernel, in bytes from the start of their block; ok is false if their
// declarations have no valid sizes and alignments. Handles take no bytes and are aligned to 4.
func blockEnd(params []ptx.Formal) (end int, ok bool) {
	for i := range params {
		p := &params[i]
		if align := p.Spec.Alignment(); !round.IsPow2(align) || p.Align >= constantBank || p.Var.Unsized() {
			return 0, false
		} else {
			end = round.Up(end, align) + p.Size()
		}
	}
	return end, true
}

// block checks the size of a kernel's parameters against the limits.
func block(c *checker, f *ptx.Func) {
	for i := range f.Params {
		if p := &f.Params[i]; p.Align >= constantBank && round.IsPow2(p.Align) { // an int may be too small for it
			if i == 0 && (c.arch < 70 || c.arch >= 90) {
				c.forbidf(OversizedBlock, p.AlignPos, "parameter %s of kernel %s is aligned to %d bytes, which its address is not, and which is an error for sm_70 to sm_89: align it to less", p.Name, f.Name, p.Align)
			} else {
				c.errorf(OversizedBlock, p.AlignPos, "parameter %s of kernel %s is aligned to %d bytes, beyond the end of the constant bank: align it to less", p.Name, f.Name, p.Align)
			}
			return
		}
	}
	end, ok := blockEnd(f.Params)
	if !ok {
		return
	}
	pos := f.NamePos
	if f.HasBody {
		pos = f.EndPos
	}
	switch {
	case end > largeBlock:
		c.errorf(OversizedBlock, pos, "kernel %s has %d bytes of parameters; %d is the most there is: pass a pointer", f.Name, end, largeBlock)
	case end > smallBlock:
		f := largeBlocks
		f.name = sprintf("kernel parameters of %d bytes, more than %d", end, smallBlock)
		c.need(f, pos)
	}
}

// lateInKernel reports .align after the type of a kernel's parameter, and returns the Spec as
// newer releases of the assembler read it. They accept .align there for parameters of kernels alone.
func lateInKernel(c *checker, p *ptx.Formal) *ptx.Spec {
	if p.Ptr != nil || p.AlignPos.Before(p.TypePos) {
		return &p.Spec
	}
	report := c.forbidf
	if c.m.AddressSize == 32 { // which 11.8 alone has
		report = c.refusef
	}
	d := report(LateAlignment, p.AlignPos, ".align stands after the type, where releases of the assembler before 12.9 do not take it; write .align %d %s", p.Align, p.Type)
	c.fixAlignment(d, &p.Spec)
	s := p.Spec
	s.AlignLate = false
	return &s
}

// lateAlignment reports .align after the type or the vector.
func lateAlignment(c *checker, s *ptx.Spec) {
	after, vec := "type", ""
	if s.Vec != 0 {
		vec = sprintf(" .v%d", s.Vec)
		if s.AlignPos.Before(s.TypePos) {
			after = "vector"
		}
	}
	d := c.refusef(LateAlignment, s.AlignPos, ".align stands after the %s; write .align %d%s %s", after, s.Align, vec, s.Type)
	if after == "type" && s.Vec == 0 {
		c.fixAlignment(d, s)
	}
}

// attributes reports .attribute(.managed) on a variable outside of .global space, if it is a single one and no formal of a
// declaration, and .unified without -c.
func attributes(c *checker, s *ptx.Spec, single bool) bool {
	switch {
	case single && strings.Contains(s.Attr, ".managed"):
	case strings.Contains(s.Attr, ".unified") && !c.Compile:
		c.errorf(UnifiedFunction, s.SpacePos, ".attribute(.unified) on a %s variable, which only separate compilation has; compile with -c", s.Space)
		return false
	default:
		return true
	}
	c.errorf(MisplacedDirective, s.SpacePos, ".attribute(.managed) on a %s variable; it is for those in .global space", s.Space)
	return false
}

// independent reports whether the module's .target has texmode_independent.
func independent(c *checker) bool {
	return slices.ContainsFunc(c.m.Items, func(it ptx.Item) bool {
		d, ok := it.(*ptx.Directive)
		return ok && d.Name == ".target" && strings.Contains(d.Args, "texmode_independent")
	})
}

// fixAlignment adds a fix that moves .align in front of the type.
func (c *checker) fixAlignment(d *diag.Diagnostic, s *ptx.Spec) {
	align := sprintf(".align %d", s.Align)
	to := c.m.TokenEnd(c.skip(c.m.TokenEnd(s.AlignPos)))
	c.fix(d, s.TypePos, to, align+" "+s.Type.String(), sprintf("write %s %s", align, s.Type))
}
