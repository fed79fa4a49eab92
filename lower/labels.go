package lower

import (
	"strings"

	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/sass"
)

// emitLabel emits a label, and complains of one that its block has already.
func (fn *fn) emitLabel(l *ptx.Label) {
	name := fn.names.label(l.Name)
	if fn.names.emitted[name] {
		fn.cannot(l.Pos, "the label %s is in this block already", l.Name)
	}
	if fn.names.emitted == nil {
		fn.names.emitted = make(map[string]bool)
	}
	fn.names.emitted[name] = true
	fn.out = append(fn.out, sass.Item{Kind: sass.Label, Text: name})
}

// goesSomewhere complains of a branch to what is no label of the function, nor
// a list of such.
func (fn *fn) goesSomewhere(in *ptx.Instr) {
	op, _, _ := strings.Cut(in.Op, ".")
	if op != "bra" && op != "brx" {
		return
	}
	args := string(ptx.AppendTokens(nil, in.Args))
	_, list, indexed := strings.Cut(args, ",")
	if !indexed {
		if name := strings.TrimSpace(args); fn.names.declared[name] == 0 {
			fn.cannot(in.Pos, "%s has no label %s", fn.f.Name, name)
		}
		return
	}
	name := strings.TrimSpace(list)
	if sym := fn.scope.Lookup(name); sym == nil || sym.Targets == nil || !sym.Targets.Branch {
		fn.cannot(in.Pos, "%s is no list of labels that is declared here", name)
	}
}

// emitTargets lists the labels that a branch through a table may go to.
func (fn *fn) emitTargets(l *ptx.TargetList) {
	if !l.Branch {
		return
	}
	text := fn.names.use(fn, l.Name) + ": .branchtargets"
	for i, o := range l.Names {
		if fn.names.declared[o.Text] == 0 {
			fn.cannot(o.Pos, "%s has no label %s", fn.f.Name, o.Text)
		}
		if i > 0 {
			text += ","
		}
		text += " " + fn.names.label(o.Text)
	}
	fn.comment(text)
}
