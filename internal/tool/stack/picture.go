package stack

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/tool/picture"
)

// mostDrawn is how many functions of a kernel are drawn, and how many kernels are.
const mostDrawn = 60

// SVG draws the call graphs of all kernels.
func (r *Report) SVG() []byte {
	var list []picture.CallGraph
	var targets []string
	for i := range r.Programs {
		p := &r.Programs[i]
		targets = append(targets, p.target())
		for j := range p.Kernels {
			if len(list) < mostDrawn {
				list = append(list, p.draw(&p.Kernels[j]))
			}
		}
	}
	return picture.Calls(strings.Join(targets, ", "), list)
}

// draw is the graph of one kernel.
func (p *Program) draw(k *Kernel) picture.CallGraph {
	g := p.graph
	root := -1
	for i, f := range g.funcs {
		if f.Kernel && f.Name == k.Name && f.File == k.File {
			root = i
		}
	}
	out := picture.CallGraph{Name: k.Name}
	out.Notes = append(out.Notes, fmt.Sprintf("%s, %d registers", k.Bound.words(": ", fmt.Sprintf("%d bytes", k.Bytes)), k.Registers.Most))
	for _, c := range k.Cycles {
		out.Notes = append(out.Notes, fmt.Sprintf("each level of %s takes %d bytes", strings.Join(c.Functions, ", "), c.Bytes))
	}
	deep := make(map[string]bool)
	for _, s := range k.Path {
		deep[s.Function+"\x00"+s.File] = true
	}
	d := p.most
	if k.Bound == AtLeast {
		d = p.least
	}
	index := make(map[int]int)
	for _, i := range g.reached(root) {
		if len(out.Funcs) == mostDrawn {
			out.More++
		} else {
			f := g.funcs[i]
			index[i] = len(out.Funcs)
			out.Funcs = append(out.Funcs, picture.CallNode{
				Name: f.Name, Frame: d.frame(i), Total: d.bytes[i], Deep: deep[f.Name+"\x00"+f.File], Cycle: g.recurses(g.comp[i]),
			})
		}
	}
	for i := range g.funcs {
		from, ok := index[i]
		if !ok {
			continue
		}
		for _, j := range g.calls[i] {
			if to, ok := index[j]; ok {
				out.Calls = append(out.Calls, picture.CallEdge{From: from, To: to, Pointer: g.pointer(i, j)})
			}
		}
	}
	return out
}
