package resolve

import (
	"strings"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/core/reg"
	"github.com/ptxabi/ptxabi/internal/core/zero"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Table is the symbol table of a module: it has the meanings of names, except inside of blocks that
// declare them.
type Table struct {
	module *ptx.Module
	byName map[string]*Symbol
	vars   map[string]*ptx.Decl
	// Machine reports that a function, a variable of the module or a formal has a name that listings of machine code
	// may give to a register or a barrier: R4, PT, B.
	Machine bool
}

func (t *Table) name(s string) { t.Machine = t.Machine || reg.MachineName(s) }

// Var returns the declaration of a module's variable, which may declare others too;
// nil if there is none of that name.
func (t *Table) Var(name string) *ptx.Decl { return zero.Or(t).vars[name] }

// A Symbol is the meaning of a name: a function or kernel.
type Symbol struct {
	// Func is the definition if there is one, and otherwise the first declaration; for an
	// alias, that of its aliasee.
	Func  *ptx.Func
	First diag.Pos // where the name is first declared
}

// NewTable returns the table of a module's functions, aliases and variables, with the
// functions and aliases that bodies declare, but not their variables. It takes time
// linear in the size of the module.
func NewTable(m *ptx.Module) *Table {
	return newTable(zero.Or(m), func(f *ptx.Func) *ptx.Func { return f })
}

// NewOutlineTable is [NewTable] for the module of an outline. It reads the bodies whose text may
// declare a function or an alias. If a body has a syntax error, it uses the statements that could be read.
func NewOutlineTable(o *ptx.Outline) *Table {
	if o == nil {
		return NewTable(nil)
	}
	return newTable(o.Module(), func(f *ptx.Func) *ptx.Func {
		if mayDeclare(o.BodyText(f)) {
			f, _ = new(ptx.Reader).Func(o, f)
		}
		return f
	})
}

// mayDeclare reports whether a function, a kernel or an alias may be declared in a text.
func mayDeclare(text string) bool {
	for found := true; found; {
		_, text, found = strings.Cut(text, ".")
		if strings.HasPrefix(text, "func") || strings.HasPrefix(text, "entry") || strings.HasPrefix(text, "alias") {
			return true
		}
	}
	return false
}

// newTable is NewTable with a function that returns a function with its body.
func newTable(m *ptx.Module, read func(*ptx.Func) *ptx.Func) *Table {
	t := &Table{module: m, byName: make(map[string]*Symbol, len(m.Items)), vars: make(map[string]*ptx.Decl)}
	var inner []*ptx.Directive // .alias within bodies
	for _, it := range m.Items {
		if d, ok := it.(*ptx.Decl); ok {
			for i := range d.Vars {
				t.vars[d.Vars[i].Name] = d
				t.name(d.Vars[i].Name)
			}
		}
		f, ok := it.(*ptx.Func)
		if !ok {
			continue
		}
		t.add(f)
		for _, s := range read(f).Body {
			switch s := s.(type) {
			case *ptx.Directive:
				if s.Name == ".alias" {
					inner = append(inner, s)
				}
			case *ptx.Func:
				t.add(s)
			}
		}
	}
	for _, it := range m.Items {
		if d, ok := it.(*ptx.Directive); ok && d.Name == ".alias" {
			t.alias(d)
		}
	}
	for _, d := range inner {
		t.alias(d)
	}
	return t
}

func (t *Table) add(f *ptx.Func) {
	t.name(f.Name)
	for _, list := range [...][]ptx.Formal{f.Results, f.Params} {
		for i := range list {
			t.name(list[i].Name)
		}
	}
	c := t.byName[f.Name]
	if c == nil {
		t.byName[f.Name] = &Symbol{Func: f, First: f.NamePos}
		return
	}
	if f.HasBody && !c.Func.HasBody {
		c.Func = f
	}
}

// alias makes a name mean its aliasee, as the assembler does in every call. A name with a body keeps its own meaning.
func (t *Table) alias(d *ptx.Directive) {
	name, of, ok := AliasNames(d)
	t.name(name)
	was, target := t.byName[name], t.byName[of]
	if !ok || target == nil || was != nil && was.Func.HasBody {
		return
	}
	c := &Symbol{Func: target.Func, First: d.Pos}
	if was != nil {
		c.First = was.First
	}
	t.byName[name] = c
}

// Lookup returns the function, kernel or alias of that name, nil if the module has
// none.
func (t *Table) Lookup(name string) *Symbol { return zero.Or(t).byName[name] }

// AliasNames returns the two names of an .alias directive: the alias that it declares,
// and its aliasee. ok is false if the arguments of the directive are not two names.
func AliasNames(d *ptx.Directive) (name, of string, ok bool) {
	name, of, ok = strings.Cut(string(ptx.AppendTokens(nil, zero.Or(d).Args)), ",")
	if !ok {
		return "", "", false
	}
	return strings.Trim(name, " "), strings.Trim(of, " "), true
}
