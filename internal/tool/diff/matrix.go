package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/cli/display"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
	"github.com/ptxabi/ptxabi/ptx"
)

// A Matrix is a module on many targets.
type Matrix struct {
	File   string  `json:"file"`
	Groups []Group `json:"groups"`
	// LeftOut are functions whose declarations have errors.
	LeftOut []string `json:"leftOut,omitempty"`
}

// A Group is targets, one after the other, on which everything lies alike.
type Group struct {
	Targets []string `json:"targets"`
	// Refused says why the module has no layout there; then it has no functions.
	Refused   string  `json:"refused,omitempty"`
	Functions []*Func `json:"functions"`
}

// NewMatrix lays a module out on each target.
func NewMatrix(m *ptx.Module, targets []*abi.Target) *Matrix {
	x := &Matrix{File: m.Name, Groups: []Group{}}
	was := ""
	for _, t := range targets {
		s, list := NewSide(m, t)
		g := Group{Targets: []string{t.Name}, Functions: s.funcs}
		if list.Err() != nil {
			var all []string
			for _, e := range list {
				all = append(all, strings.ReplaceAll(e.Msg, t.Name, "the target"))
			}
			g.Refused, g.Functions = strings.Join(all, "; "), nil
		}
		if g.Functions == nil {
			g.Functions = []*Func{}
		}
		is := g.key()
		if n := len(x.Groups); n > 0 && was == is {
			x.Groups[n-1].Targets = append(x.Groups[n-1].Targets, t.Name)
			continue
		}
		was = is
		x.Groups = append(x.Groups, g)
	}
	return x
}

// key is everything but the targets' names.
func (g *Group) key() string {
	var b strings.Builder
	b.WriteString(g.Refused)
	for _, f := range g.Functions {
		b.WriteString(f.key())
	}
	return b.String()
}

func (f *Func) key() string {
	s := fmt.Sprintf("%s %s %v %v %d;", f.Kind, f.Name, f.Params, f.Returns, f.StackBytes)
	if f.Block != nil {
		s += fmt.Sprint(*f.Block)
	}
	return s
}

// OK reports whether everything lies alike on all targets.
func (x *Matrix) OK() bool { return len(x.Groups) <= 1 }

// TextIn is a table with a column for each group.
func (x *Matrix) TextIn(st Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", x.File)
	for i, g := range x.Groups {
		fmt.Fprintf(&b, "%d: %s\n", i+1, spans(g.Targets))
		if g.Refused != "" {
			fmt.Fprintf(&b, "   refused: %s\n", g.Refused)
		}
	}
	var names []*Func
	if i := slices.IndexFunc(x.Groups, func(g Group) bool { return len(g.Functions) > 0 }); i >= 0 {
		names = x.Groups[i].Functions
	}
	symbols := make([]string, len(names))
	for i, f := range names {
		symbols[i] = f.Name
	}
	shown := cxxname.Show(symbols, st.Mangled)
	if shown.Prefix != "" {
		fmt.Fprintf(&b, "\nnames are without %s\n", shown.Prefix)
	}
	for i, f := range names {
		head := []string{"", ""}
		for n := range x.Groups {
			head = append(head, fmt.Sprint(n+1))
		}
		rows := [][]string{head}
		row := func(role, name string, cell func(*Func) string) {
			cells := []string{role, name}
			for _, g := range x.Groups {
				if len(g.Functions) == 0 {
					cells = append(cells, "-")
				} else {
					cells = append(cells, cell(g.Functions[i]))
				}
			}
			rows = append(rows, cells)
		}
		for k, p := range f.Params {
			row("param", label(&p, f.Name), func(f *Func) string { return f.Params[k].Place })
		}
		for k, p := range f.Returns {
			row("result", label(&p, f.Name), func(f *Func) string { return f.Returns[k].Place })
		}
		if f.Block != nil {
			row("block", "", func(f *Func) string { return fmt.Sprintf("%s, %s", f.Block.at(), bytes(f.Block.Size)) })
		}
		fmt.Fprintf(&b, "\n%s %s%s\n", f.Kind, shown.Of(f.Name), x.launch(i))
		if len(rows) > 1 {
			b.WriteString(display.Table(rows, "  ", st.Width))
		}
	}
	return b.String()
}

// launch says whether a launch of a kernel is the same on all targets.
func (x *Matrix) launch(i int) string {
	var offsets []string
	for _, g := range x.Groups {
		if len(g.Functions) == 0 {
			continue
		}
		f := g.Functions[i]
		if f.Block == nil {
			return ""
		}
		one := fmt.Sprint(f.Block.Size)
		for _, p := range f.Params {
			one += fmt.Sprint(" ", p.loc.Off-f.Block.Base)
		}
		offsets = append(offsets, one)
	}
	if len(slices.Compact(offsets)) > 1 {
		return ": a launch packs its parameters differently on some of them"
	}
	return ": a launch packs its parameters in the same way on all of them"
}

// spans are names of targets, three and more in a row as the first and the last.
func spans(names []string) string {
	if len(names) > 4 {
		return fmt.Sprintf("%s … %s, %d targets", names[0], names[len(names)-1], len(names))
	}
	return strings.Join(names, ", ")
}
