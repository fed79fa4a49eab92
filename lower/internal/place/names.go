package place

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/body"
	"github.com/ptxabi/ptxabi/internal/core/reg"
	"github.com/ptxabi/ptxabi/ptx"
)

// names makes the names of registers and labels unique within their function. PTX scopes both to blocks, and inline
// assembly repeats them. The first keeps its name; later ones that differ get a suffix, which no name of the function
// has (avoid).
type names struct {
	Any bool // some names are not printed as the source has them

	labels map[string]int // how often the source declares each label
	// LabelIn has the labels in each block, by its number; nil if all labels of the function differ.
	LabelIn map[int][]LabelName
}

// A LabelName is a label and its unique name.
type LabelName struct{ Name, Unique string }

// IsLabel reports whether the source declares a label.
func (n *names) IsLabel(name string) bool { return n.labels[name] > 0 }

// declared records the declarations of a function.
type declared struct {
	seen  []int           // by the number of a name: the size of its first declaration, or a number for another kind; unseen
	stems map[string]bool // names without the digits at their ends; nil if no block within the body declares name<count>
}

// avoid makes the suffix one that the name does not have: it ends up with more dollar signs in a row than any name of the
// function.
func (pl *planner) avoid(name string) {
	for s := &pl.plan.Registers.Suffix; strings.Contains(name, *s); {
		*s += "$"
	}
}

// A symbol has the decisions of lowering about a symbol of the body.
type symbol struct {
	v     *Var // the variable that it is, nil if it is none
	Added bool // its name gets a suffix
	// allocated says that it stands for registers, some of which may have homes or slots.
	allocated bool
	order     int32 // among the symbols: parameters, results, then those of the text
}

// Plain reports whether a symbol's registers are virtual and keep their names.
func (s *symbol) Plain() bool { return !s.Added && !s.allocated }

// declareNames finds out which symbols need another name: those that hide another symbol, those whose name has been
// declared with another size or kind before, and those whose name looks like a register of the machine. Registers of one
// name and size, in blocks of which none is in the other, share the name.
func (pl *planner) declareNames() {
	list, results, params := pl.plan.In.Syms, len(pl.plan.F.Results), len(pl.plan.F.Params)
	pl.plan.Syms = make([]symbol, len(list))
	pl.plan.Registers.Suffix, pl.declared.seen = "$", slices.Repeat([]int{unseen}, pl.plan.In.Numbers())
	pl.plan.Names.Any = pl.plan.Table.Machine || !pl.plan.AllVirtual
	for _, sym := range list {
		if sym.Depth > 0 && sym.Var != nil && sym.Var.Ranged() {
			pl.findStems()
			break
		}
	}
	order := int32(0)
	declare := func(list []*body.Symbol, formals bool) {
		for _, sym := range list {
			if formals == (sym.Role == body.Param) && sym.Label == nil {
				pl.plan.Syms[sym.ID].order = order
				order++
				pl.declareName(sym)
			}
		}
	}
	declare(list[results:], true) // parameters; before PTX 1.4 the body of a kernel declares them
	for _, sym := range list[:results] {
		pl.plan.Syms[sym.ID].order = order
		order++
		pl.declareName(sym)
	}
	declare(list[results+params:], false)
	labels := make(map[string]int)
	for i := range pl.plan.In.Labels {
		labels[pl.plan.In.Labels[i].Name]++
	}
	if pl.plan.Names.labels = labels; len(labels) < len(pl.plan.In.Labels) {
		pl.uniqueLabels()
	}
}

// declareName finds out whether a symbol needs another name.
func (pl *planner) declareName(sym *body.Symbol) {
	d := &pl.declared
	if sym.Var == nil {
		// A list of targets has a name among those of variables. The text of a prototype is not printed.
		if sym.Targets != nil {
			if _, again := d.see(sym, int(sym.From)+listSize); again {
				pl.rename(sym)
			}
		}
		return
	}
	spec, name := sym.Spec, sym.Var.Name
	hides := sym.Hides || sym.Outer != nil || d.stems != nil && sym.Depth > 0 && sym.Var.Ranged() && d.stems[name]
	as := spec.SizeOf(sym.Var)
	switch {
	case spec.Space == ptx.ParamSpace:
	case spec.Space == ptx.RegSpace:
		hides = hides || reg.MachineName(name)
	default:
		as = -2 - int(max(sym.From, 0)) // each declaration is another variable
		hides = hides || reg.MachineName(name)
	}
	if spec.Type == ptx.Pred && as >= 0 {
		as = -1
	}
	first, again := d.see(sym, as)
	if !again || first >= listSize { // else the name has been seen
		pl.avoid(name)
	}
	if hides || first != as {
		pl.rename(sym)
	}
}

// findStems records the names of single declarations without the digits at their ends. A range stem<count> in an inner
// block may hide those.
func (pl *planner) findStems() {
	d := &pl.declared
	d.stems = make(map[string]bool)
	for _, sym := range pl.plan.In.Syms {
		if sym.Var != nil && !sym.Var.Ranged() {
			if stem := strings.TrimRight(sym.Var.Name, "0123456789"); stem != sym.Var.Name {
				d.stems[stem] = true
			}
		}
	}
}

// see returns the size with which the name of a symbol was first declared, and whether that was before; otherwise it
// records this size.
func (d *declared) see(sym *body.Symbol, size int) (first int, again bool) {
	if first = d.seen[sym.Name]; first != unseen {
		return first, true
	}
	d.seen[sym.Name] = size
	return size, false
}

// rename makes the name of a symbol get a suffix.
func (pl *planner) rename(sym *body.Symbol) {
	pl.plan.Syms[sym.ID].Added, pl.plan.Names.Any = true, true
}

// Added returns the suffix of a symbol's name, "" for none. It is unique: it has the number of the symbol.
func (pl *Plan) Added(sym *body.Symbol) string {
	s := &pl.Syms[sym.ID]
	if !s.Added {
		return ""
	}
	return pl.Registers.Suffix + strconv.Itoa(int(s.order))
}

// listSize plus the index of its statement stands for a list of targets among the sizes of declarations. No size is as
// large.
const listSize = min(1<<40, math.MaxInt)

// unseen is the size of a name that has not been declared.
const unseen = math.MinInt

// uniqueLabels gives labels that are declared in several blocks unique names: the first keeps its name, and others get the
// next number with which the name is taken by no label.
func (pl *planner) uniqueLabels() {
	n := &pl.plan.Names
	taken := maps.Clone(n.labels)
	n.LabelIn = make(map[int][]LabelName)
	type place struct {
		block int
		name  string
	}
	in := make(map[place]bool)
	first := make(map[string]bool)
	next := make(map[string]int)
	for _, l := range pl.plan.In.Labels {
		name := l.Name
		for first[l.Name] && taken[name] > 0 {
			next[l.Name]++
			name = l.Name + "$" + strconv.Itoa(next[l.Name])
		}
		first[l.Name] = true
		taken[name]++
		if at := (place{l.Block, l.Name}); !in[at] {
			in[at] = true
			n.LabelIn[l.Block] = append(n.LabelIn[l.Block], LabelName{l.Name, name})
		}
	}
}
