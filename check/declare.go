package check

import (
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/ptx"
)

// localDecl reads a declaration in a body.
func localDecl(b *bodyCheck, d *ptx.Decl) {
	b.unclear = b.unclear || len(d.Unknown) > 0
	if !b.c.unknownSpec(&d.Spec) {
		b.localSpec(d)
	}
	for i := range d.Vars {
		v := &d.Vars[i]
		if same := b.declared().Same; same != nil {
			b.c.add(diag.Error, DuplicateName, v.Pos, sprintf("%s is declared twice in one block; rename one", v.Name), related(symbolPos(same), "the other one is here"))
			b.c.mistakes.markBad(v) // a use may mean either of the two
			if same.Var != nil {
				b.c.mistakes.markBad(same.Var)
			}
			continue
		}
		if v.Name == "_" {
			b.c.errorf(NamelessFormal, v.Pos, "a variable has a name; '_' stands in prototypes only")
			continue
		}
		if !d.Known() {
			b.c.mistakes.markBad(v)
			continue
		}
		reported := len(b.c.list)
		b.localVar(d, v)
		b.c.spoil(v, reported)
		if len(d.Vars) > 1 { // an edit would change the others too
			for _, err := range b.c.list[reported:] {
				err.Fixes = nil
			}
		}
	}
}

// declared returns the symbol that is declared next.
func (b *bodyCheck) declared() *body.Symbol {
	b.symbols++
	return b.in.Syms[b.symbols-1]
}

// localSpec checks the part of a declaration that all its variables share. Its diagnostics do not mark them as bad:
// they are about words that do not belong there, not about type, extent or space.
func (b *bodyCheck) localSpec(d *ptx.Decl) {
	if d.Space == ptx.ParamSpace && !b.inKernel14 && !b.c.m.Version.AtLeast(2, 0) && b.c.m.Version != (ptx.Version{}) {
		b.c.need(paramFormals, d.Pos)
	}
	if d.Linkage != ptx.NoLinkage {
		err := b.c.errorf(ConflictingLinkage, d.Pos, "%s on a variable of a body; it is for variables of the module", d.Linkage)
		b.c.drops(err, d.Pos, b.c.m.TokenEnd(d.Pos), d.Linkage.String())
	}
	if d.Ptr != nil {
		err := b.c.errorf(MisplacedPointer, d.Ptr.Pos, ".ptr on a variable; only kernel parameters have it")
		if len(d.Vars) > 0 {
			b.c.fix(err, d.Ptr.Pos, d.Vars[0].Pos, "", "drop .ptr")
		}
	}
}

// valued reports an initial value of what is no parameter and has none.
func valued(c *checker, d *ptx.Decl, v *ptx.Var) {
	if v.Init != "" && d.Known() && (d.Space != ptx.GlobalSpace && d.Space != ptx.ConstSpace || d.Linkage == ptx.Extern) {
		c.refusef(InitializedParameter, v.Pos, "%s has an initial value, which only definitions in .global and .const space have; store it", v.Name)
	}
}

// localVar checks one variable of a declaration.
func (b *bodyCheck) localVar(d *ptx.Decl, v *ptx.Var) {
	if d.Space != ptx.ParamSpace {
		valued(b.c, d, v)
	}
	param := d.Space == ptx.ParamSpace
	var ok bool
	if param || d.Space == ptx.RegSpace {
		ok = b.c.shape(&d.Spec, v, true, true)
	} else {
		ok = b.c.alignment(&d.Spec)
		for name := range initialNames(b.c, d, v) {
			if !b.c.Lower && !b.c.newerModule() && b.lookup(name) == nil && b.c.named(name) == nil {
				b.undeclared(name, v.Pos)
			}
		}
	}
	switch {
	case param && ok:
		b.localParam(d, v)
	case ok && d.Space == ptx.RegSpace && len(v.Dims) > 0:
		b.c.errorf(RegisterArray, v.Pos, "%s is an array of registers; declare %s<%d>, or use .local", v.Name, v.Name, max(v.Dims[0], 1))
	case ok && d.Space == ptx.RegSpace && d.Type == ptx.B128:
		b.c.need(quadWords, d.TypePos)
	}
}

// localParam checks a .param variable of a body.
func (b *bodyCheck) localParam(d *ptx.Decl, v *ptx.Var) {
	switch {
	case v.Init != "":
		b.c.errorf(InitializedParameter, v.Pos, "%s has an initial value, which .param variables cannot have; store it with st.param", v.Name)
	case v.Unsized():
		b.c.errorf(UnsizedLocal, v.Pos, "%s has no size; give it an extent, or leave the argument out", v.Name)
	case d.Align > assemblerAlign && d.Align&(d.Align-1) == 0:
		b.c.errorf(ExcessiveAlignment, d.AlignPos, "%s is aligned to %d bytes; %d is the most that the assembler takes", v.Name, d.Align, assemblerAlign)
	case b.c.placeable(&d.Spec, v, false) && d.Type == ptx.B128 && len(v.Dims) == 0:
		b.c.need(quadWords, d.TypePos)
	}
}
