package picture

import "fmt"

// A CallGraph is the functions that a kernel reaches.
type CallGraph struct {
	Name  string // of the kernel
	Notes []string
	Funcs []CallNode // the kernel first
	Calls []CallEdge
	More  int // functions that are left out
}

// A CallNode is a function in it.
type CallNode struct {
	Name  string
	Frame int  // bytes; -1: not known
	Total int  // bytes, with all that it calls
	Deep  bool // on the deepest way
	Cycle bool // it calls itself, directly or through others
}

// A CallEdge is a call of one function by another, indices in Funcs.
type CallEdge struct {
	From, To int
	Pointer  bool // through a pointer
}

// Calls draws call graphs of programs for targets one under the other, each function once, in columns by how
// many calls it is from the kernel.
func Calls(targets string, list []CallGraph) []byte {
	const head = "What kernels call, and the stack that it takes"
	title := head + " on " + targets
	c := Page.canvas()
	c.text("head", c.margin, c.margin+12, head)
	c.text("sans s11 dim", c.margin, c.margin+12+lineHeight, targets)
	c.say("%s.", title)
	y := c.callsKey(c.margin+22+lineHeight, list)
	for i := range list {
		y = c.calls(i, &list[i], y+sectionGap)
	}
	return c.finish(title, y)
}

// callsKey explains the colours and the arrows that there are, and returns where that ends.
func (c *canvas) callsKey(y int, list []CallGraph) int {
	var deep, cycle, pointer bool
	for i := range list {
		for _, f := range list[i].Funcs {
			deep, cycle = deep || f.Deep && !f.Cycle, cycle || f.Cycle
		}
		for _, e := range list[i].Calls {
			pointer = pointer || e.Pointer
		}
	}
	x := c.margin
	sign := func(there bool, colour int, text string) {
		if !there {
			return
		}
		if colour >= 0 {
			c.open(class(colour))
			c.rect("", x, y, 22, 12)
			c.close()
		} else {
			c.path("rule none", fmt.Sprintf("M%d %dL%d %d", x, y+6, x+22, y+6))
			c.path("tick", arrowHead(x+22, y+6, 1))
		}
		c.text("sans s11 dim", x+28, y+10, text)
		x += 28 + 7*len(text) + 18
	}
	sign(deep, 0, "on the deepest path")
	sign(cycle, 1, "recursive")
	sign(pointer, -1, "through a pointer")
	if x == c.margin {
		return y - 2
	}
	c.say("Bytes are those of a frame.")
	return y + 12
}

// arrowHead is the head of an arrow that ends at a point, to the right (1) or to the left (-1).
func arrowHead(x, y, way int) string {
	return fmt.Sprintf("M%d %dL%d %dL%d %d", x-7*way, y-4, x, y, x-7*way, y+4)
}

const (
	callWidth  = 164
	callHeight = 38
	callGapX   = 48
	callGapY   = 12
)

// levels are the columns of the functions: the fewest calls from the first one.
func (g *CallGraph) levels() []int {
	level := make([]int, len(g.Funcs))
	for i := range level {
		level[i] = -1
	}
	if len(level) == 0 {
		return level
	}
	level[0] = 0
	to := make([][]int, len(g.Funcs))
	for _, e := range g.Calls {
		to[e.From] = append(to[e.From], e.To)
	}
	for queue := []int{0}; len(queue) > 0; queue = queue[1:] {
		for _, n := range to[queue[0]] {
			if level[n] < 0 {
				level[n] = level[queue[0]] + 1
				queue = append(queue, n)
			}
		}
	}
	return level
}

// calls draws one graph from y down and returns where it ends.
func (c *canvas) calls(i int, g *CallGraph, y int) int {
	c.open("calls", "data-function", fmt.Sprint(i), "data-name", g.Name)
	y = c.line("head", y+12, 14, "kernel "+g.Name)
	c.say("kernel %s:", g.Name)
	for _, n := range g.Notes {
		y = c.line("sans s11 dim", y+lineHeight, 11, n)
		c.say("%s.", n)
	}
	y += 14
	// Columns that do not fit side by side stand below the others.
	perRow := max((c.right()-c.margin+callGapX)/(callWidth+callGapX), 1)
	type point struct{ x, y int }
	at := make([]point, len(g.Funcs))
	rows := make(map[int]int) // functions in each column
	level := g.levels()
	band := make(map[int]int) // the tallest column of each band
	for n, l := range level {
		l = max(l, 0)
		at[n] = point{l, rows[l]}
		rows[l]++
		band[l/perRow] = max(band[l/perRow], rows[l])
	}
	tops, bottom := make(map[int]int), y
	for b := 0; band[b] > 0; b++ {
		tops[b] = bottom
		bottom += band[b]*(callHeight+callGapY) + callGapY
	}
	for n := range at {
		l, row := at[n].x, at[n].y
		at[n] = point{c.margin + l%perRow*(callWidth+callGapX), tops[l/perRow] + row*(callHeight+callGapY)}
	}
	for _, e := range g.Calls {
		a, b := at[e.From], at[e.To]
		class := "rule"
		if g.Funcs[e.From].Deep && g.Funcs[e.To].Deep {
			class = "tick"
		}
		if e.Pointer {
			class += " none"
		}
		switch x1, y1, x2, y2 := a.x+callWidth, a.y+callHeight/2, b.x, b.y+callHeight/2; {
		case e.From == e.To:
			c.path(class, fmt.Sprintf("M%d %dc20-24-60-24-40 0", a.x+callWidth-20, a.y))
			c.path("tick", fmt.Sprintf("M%d %dL%d %dL%d %d", a.x+callWidth-64, a.y-7, a.x+callWidth-60, a.y, a.x+callWidth-55, a.y-6))
		case x2 > x1:
			c.path(class, fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+callGapX/2, y1, x2-callGapX/2, y2, x2, y2))
			c.path("tick", arrowHead(x2, y2, 1))
		default: // back, or in the same column
			c.path(class, fmt.Sprintf("M%d %dC%d %d %d %d %d %d", x1, y1, x1+callGapX/2, y1, b.x+callWidth+callGapX/2, y2, b.x+callWidth, y2))
			c.path("tick", arrowHead(b.x+callWidth, y2, -1))
		}
	}
	for n := range g.Funcs {
		f := &g.Funcs[n]
		colour := 6
		switch {
		case f.Cycle:
			colour = 1
		case f.Deep:
			colour = 0
		}
		frame, total := "frame not known", ""
		if f.Frame >= 0 {
			frame = plural(int64(f.Frame), "byte")
			total = fmt.Sprintf(", %d with what it calls", f.Total)
		}
		tip := f.Name + ": " + frame + total
		if f.Cycle {
			tip += ", recursive"
		}
		c.say("%s.", tip)
		c.open(class(colour), "data-value", fmt.Sprintf("g%d.n%d", i, n))
		c.tip(tip)
		c.rect("", at[n].x, at[n].y, callWidth, callHeight)
		c.label(at[n].x, at[n].y, callWidth, callHeight, f.Name, frame)
		c.close()
	}
	if g.More > 0 {
		bottom += lineHeight
		text := plural(int64(g.More), "more function") + " not drawn"
		c.text("sans s11 dim", c.margin, bottom-5, text)
		c.say("%s.", text)
	}
	c.close()
	return bottom
}
