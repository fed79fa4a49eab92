package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// formals declares formals.
func (fn *function) formals(list []ptx.Formal, role resolved.Role) {
	p := &fn.plain
	for i := range list {
		f := &list[i]
		sym := fn.scope.NewVar(&f.Spec, &f.Var, role, i)
		fn.note(&f.Var)
		p.odd = fn.scope.Add(f.Name, sym) != nil || f.Ranged() || p.odd || f.Name == "" || f.Name[0] == '%'
		p.formals = append(p.formals, sym)
	}
	if p.odd {
		p.formals = p.formals[:0]
	}
}

// declare declares a name of the body, and returns what has it in the block already,
// nil for nothing.
func (fn *function) declare(v *ptx.Var, sym *resolved.Symbol) (same *resolved.Symbol) {
	if fn.note(v) {
		same = fn.scope.Overlap(v)
	}
	old := fn.scope.Add(v.Name, sym)
	if old != nil && old.Depth == sym.Depth {
		same = old
	}
	fn.plain.declare(v, old != nil, sym.Depth)
	if v.Ranged() && sym.Spec != nil {
		fn.plain.know(sym)
	}
	return same
}

// note notes the name of a declaration, and reports whether it may be one of a range
// that is declared, or a range that one of the names declared is of. Few begin like
// another of the other kind, and to look for such takes as long as to declare one.
func (fn *function) note(v *ptx.Var) bool {
	n := len(v.Name)
	if n == 0 {
		return true
	}
	bit := uint64(1) << (v.Name[0] & 63)
	if v.Ranged() {
		fn.ranged |= bit
		return fn.single&bit != 0
	}
	if !digit(v.Name[n-1]) {
		return false
	}
	fn.single |= bit
	return fn.ranged&bit != 0
}

// declare is told of a declaration in the body: of the name, whether it hides one, and
// of the blocks that it is in.
func (p *plain) declare(v *ptx.Var, hides bool, depth int) {
	if !hides && !v.Ranged() && v.Name != "" && v.Name[0] != '%' {
		p.slot(v.Name).stamp = 0 // as nearly always
		return
	}
	ranged := v.Ranged()
	percent := v.Name == "" || v.Name[0] == '%'
	if hides || ranged || v.Name == "" {
		p.forget()
	} else {
		p.slot(v.Name).stamp = 0
	}
	if hides || ranged && !percent {
		p.formals = p.formals[:0]
	}
	if percent && (hides || !ranged && (v.Name == "" || digit(v.Name[len(v.Name)-1]))) {
		p.odd = true
		p.forgetRanges()
	}
	p.nested = p.nested || ranged && depth > 0
}

// localDecl reads a declaration in a body.
func (c *checker) localDecl(d *ptx.Decl) {
	fn := c.fn
	param := d.Space == ptx.ParamSpace
	plain := c.plainDecl(d)
	if !plain {
		c.localSpec(d)
	}
	for i := range d.Vars {
		v := &d.Vars[i]
		if param && v.Name != "" && v.Name[0] == '%' && !c.later.Percent {
			c.reachesOut = true
		}
		role := resolved.Local
		if param && fn.inKernel14 {
			role = resolved.Param
		}
		said := len(c.errs)
		sym := fn.scope.NewVar(&d.Spec, v, role, 0)
		if same := fn.declare(v, sym); same != nil {
			c.add(diag.Error, DuplicateName, v.Pos, sprintf("%s is declared twice in one block; rename one", v.Name), related(symbolPos(same), "the other one is here"))
			continue
		}
		if v.Name == "_" && (param || d.Space == ptx.RegSpace) {
			c.errorf(NamelessFormal, v.Pos, "a variable has a name; '_' stands in prototypes only")
			continue
		}
		if !plain || !plainVar(v, param) {
			c.localVar(d, v)
			c.spoil(v, said)
		}
		if param {
			fn.plain.other = ""
			if !v.Ranged() && v.Name != "" && len(c.errs) == said { // an access is near
				c.plainLocal(sym, plain)
			}
		}
	}
}

// plainTypes are those of which nothing is to be said, by bits.
const plainTypes uint64 = 1<<ptx.B8 | 1<<ptx.B16 | 1<<ptx.B32 | 1<<ptx.B64 | 1<<ptx.U8 | 1<<ptx.U16 | 1<<ptx.U32 | 1<<ptx.U64 |
	1<<ptx.S8 | 1<<ptx.S16 | 1<<ptx.S32 | 1<<ptx.S64 | 1<<ptx.F16 | 1<<ptx.F32 | 1<<ptx.F64

// plainSpec reports whether nothing is to be said of what stands before a name: it is of
// one of the types, and aligned to no more than align bytes.
func plainSpec(s *ptx.Spec, types uint64, align int64) bool {
	return types>>s.Type&1 != 0 && s.Vec == 0 && s.Ptr == nil && s.Attr == "" && !s.AlignLate &&
		s.Align&(s.Align-1) == 0 && s.Align <= align && (s.Align != 0 || !s.AlignPos.IsValid())
}

// plainVar reports the same of a name and what stands behind it.
func plainVar(v *ptx.Var, param bool) bool {
	return v.Init == "" && (len(v.Dims) == 0 || param && len(v.Dims) == 1 && 0 < v.Dims[0] && v.Dims[0] < literalLimit)
}

// plainDecl reports whether nothing is to be said of what a declaration says of all its
// variables, as of nearly all: registers and .param variables of plain types.
func (c *checker) plainDecl(d *ptx.Decl) bool {
	types := plainTypes
	switch d.Space {
	case ptx.RegSpace:
		types |= 1 << ptx.Pred
	case ptx.ParamSpace:
		if c.oldParams() {
			return false
		}
	default:
		return false
	}
	return d.Linkage == ptx.NoLinkage && plainSpec(&d.Spec, types, assemblerAlign)
}

// plainLocal makes a variable known that nothing was said of, of a plain declaration or
// not: each is accessed, nearly.
func (c *checker) plainLocal(sym *resolved.Symbol, plain bool) {
	v := sym.Var
	base := c.fn.plain.slot(v.Name)
	if !plain || c.ownNamed(v.Name) {
		c.plainSymbol(base, v.Name, sym)
		return
	}
	size := int64(sym.Spec.Type.Size())
	align := max(size, sym.Spec.Align)
	if len(v.Dims) > 0 {
		size *= v.Dims[0]
	}
	*base = variableAt{name: v.Name, sym: sym, size: size, align: align, stamp: c.fn.plain.stamp}
}

// oldParams reports whether .param in bodies are formals, or not there yet.
func (c *checker) oldParams() bool {
	return c.fn.inKernel14 || !c.passing
}

// localSpec checks what a declaration says of all its variables.
func (c *checker) localSpec(d *ptx.Decl) {
	if d.Space == ptx.ParamSpace && !c.fn.inKernel14 && !c.m.Version.AtLeast(2, 0) && c.m.Version != (ptx.Version{}) {
		c.need(paramFormals, d.Pos)
	}
	if d.Linkage != ptx.NoLinkage {
		c.errorf(ConflictingLinkage, d.Pos, "%s on a variable of a body; it is for variables of the module", d.Linkage)
	}
	if d.Ptr != nil {
		c.errorf(MisplacedPointer, d.Ptr.Pos, ".ptr on a variable; only kernel parameters have it")
	}
}

// localVar checks one variable of a declaration.
func (c *checker) localVar(d *ptx.Decl, v *ptx.Var) {
	param := d.Space == ptx.ParamSpace
	var ok bool
	if param || d.Space == ptx.RegSpace {
		ok = c.shape(&d.Spec, v, true, true)
	} else {
		ok = c.alignment(&d.Spec)
	}
	switch {
	case param && ok:
		c.localParam(d, v)
	case ok && d.Space == ptx.RegSpace && len(v.Dims) > 0:
		c.errorf(RegisterArray, v.Pos, "%s is an array of registers; declare %s<%d>, or use .local", v.Name, v.Name, max(v.Dims[0], 1))
	case ok && d.Space == ptx.RegSpace && d.Type == ptx.B128:
		c.need(quadWords, d.TypePos)
	}
}

// localParam checks a .param variable of a body.
func (c *checker) localParam(d *ptx.Decl, v *ptx.Var) {
	switch {
	case v.Init != "":
		c.errorf(InitializedParameter, v.Pos, "%s has an initial value, which .param variables cannot have; store it with st.param", v.Name)
	case resolve.Unsized(v):
		c.errorf(UnsizedLocal, v.Pos, "%s has no size; give it an extent, or leave the argument out", v.Name)
	case d.Align > assemblerAlign && d.Align&(d.Align-1) == 0:
		c.errorf(ExcessiveAlignment, d.AlignPos, "%s is aligned to %d bytes; %d is the most that the assembler takes", v.Name, d.Align, assemblerAlign)
	case c.placeable(&d.Spec, v, false) && d.Type == ptx.B128 && len(v.Dims) == 0:
		c.need(quadWords, d.TypePos)
	}
}
