package check

import (
	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// A callTable is a table of functions that calls name in place of a list of targets:
// a variable of the module or of a body.
type callTable struct {
	list *ptx.TargetList // nil if it is none
	sigs []signature
}

// byTable returns the signatures of a call that names a variable, which means sym in
// the body; it complains if that is no table of functions.
func (b *body) byTable(call *ptx.Call, sym *resolved.Symbol) []signature {
	name := call.Proto.Name()
	var t *callTable
	switch g := b.globals[name]; {
	case sym != nil && sym.Var != nil:
		if t = b.varTables[sym.Var]; t == nil {
			t = b.callTable(call, resolve.CallTable(sym.Spec, sym.Var))
			if b.varTables == nil {
				b.varTables = make(map[*ptx.Var]*callTable)
			}
			b.varTables[sym.Var] = t
		}
	case sym == nil && g != nil && g.decl != nil:
		if t = b.tables[name]; t == nil {
			t = b.callTable(call, b.names.CallTable(name))
			if b.tables == nil {
				b.tables = make(map[string]*callTable)
			}
			b.tables[name] = t
		}
	case !b.partialBody():
		b.errorf(UnknownPrototype, call.Proto.Pos, "%s is no prototype that is declared before this call; declare it further up in this function", call.Proto.Text)
		return nil
	}
	if t == nil || t.list == nil {
		if !b.partialBody() {
			b.errorf(UnknownPrototype, call.Proto.Pos,
				"%s is a variable and no table of functions, which is an array of .u64 in .global or .const space whose initial values are functions, all of them; write a prototype", call.Proto.Text)
		}
		return nil
	}
	return t.sigs
}

// callTable makes a table of the list that its initialiser is.
func (b *body) callTable(call *ptx.Call, l *ptx.TargetList) *callTable {
	if l == nil {
		return &callTable{}
	}
	for i := range l.Names {
		g := b.globals[l.Names[i].Text]
		if g == nil || g.fn == nil {
			return &callTable{}
		}
		b.mention(b.g, g, call.Proto.Pos)
		if g.fn.Entry {
			b.forbidf(CalledKernel, call.Proto.Pos, "%s, in table %s, is a kernel; a table of call targets has functions", g.name, l.Name)
		}
	}
	b.preservedTargets(call, l)
	return &callTable{l, b.targetsOf(l)}
}
