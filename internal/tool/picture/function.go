package picture

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

const regHeight = 46

var placeColumns = []column{{"name", 112, true}, {"where", 106, false}, {"size", 56, false}, {"align", 40, false}, {"type", 74, false}}

// register is the name of a register.
func register(r abi.Reg) string { return abi.Loc{Kind: abi.InReg, Reg: r}.String() }

// targetLine draws the line that says what is common to all functions.
func (c *canvas) targetLine(t *abi.Target, y int) int {
	first, last := t.Passing.First, t.Passing.First+abi.Reg(t.Passing.Count-1)
	s := fmt.Sprintf("%s: parameter registers %s to %s, stack pointer %s", t.Name, register(first), register(last), register(t.Regs.SP))
	if t.Regs.HasRetAddr() {
		s += ", return address " + abi.Placement{Loc: abi.Loc{Kind: abi.InReg, Reg: t.Regs.RetAddr}, Size: 8}.String()
	}
	if t.AssumedFrom != "" {
		s += "; not measured, assumed as " + t.AssumedFrom
	}
	c.say("%s.", s)
	y = c.paragraph("sans s11 dim", c.margin, y+10, 11, lineHeight-2, s)
	return c.sign(y+8, "bytes that no value has. The lowest byte stands at the left; name[first:end] are a value's bytes.")
}

// sign explains hatching and what else there is, and returns where that ends.
func (c *canvas) sign(y int, s string) int {
	c.rect("pad", c.margin, y, 22, 12)
	c.hatch(c.margin, y, 22, 12, 6)
	return c.paragraph("sans s11 dim", c.margin+30, y+10, 11, lineHeight-2, s) + 2
}

// A placed is one value of a function, with what a picture needs of it.
type placed struct {
	value, name, typ string
	unnamed          bool // name is made up
	result           bool
	colour           int
	abi.Placement
}

// tip says in words where a value is.
func (p *placed) tip() string {
	s := p.name
	switch {
	case p.unnamed:
	case p.result:
		s = "result " + s
	default:
		s = "parameter " + s
	}
	if p.typ != "" {
		s += ", " + p.typ
	}
	s += ", " + plural(int64(p.Size), "byte")
	if p.Align > 0 { // a cubin records none
		s += fmt.Sprintf(" aligned to %d", p.Align)
	}
	s += ": "
	switch p.Loc.Kind {
	case abi.Nowhere:
		return s + "none, it has no place"
	case abi.Indirect:
		return s + "in local memory, whose address the caller passes in " + register(p.Loc.Reg)
	}
	return s + p.String()
}

// valuesOf are the parameters and results of f, the i-th function.
func valuesOf(f *resolve.Assigned, i int) []placed {
	var out []placed
	add := func(role string, formals []ptx.Formal, places []abi.Placement) {
		for j, p := range places {
			v := placed{value: fmt.Sprintf("f%d.%s%d", i, role, j), result: role == "r", colour: len(out), Placement: p}
			v.name, v.typ = formals[j].Name, formals[j].Spec.TypeText()+prose.Extents(formals[j].Dims)
			if v.name == "" || v.name == "_" { // as in prototypes
				v.unnamed = true
				v.name = fmt.Sprintf("%s %d", map[string]string{"p": "param", "r": "result"}[role], j)
			}
			out = append(out, v)
		}
	}
	add("p", f.Params, f.Places.Params)
	add("r", f.Results, f.Places.Results)
	return out
}

// function draws the i-th function and returns where it ends.
func (c *canvas) function(t *abi.Target, i int, f *resolve.Assigned, y int) int {
	c.open("function", "data-function", fmt.Sprint(i), "data-name", f.Name, "data-kind", f.Kind().String())
	c.path("rule", fmt.Sprintf("M%d %dH%d", c.margin, y-12, c.right()))
	y = c.heading(f, y+6)
	values := valuesOf(f, i)
	if len(values) == 0 {
		c.say("No parameters and no results.")
		c.text("sans s11 dim", c.gridX, y+10, "no parameters, no results")
		y += 14
	}
	for j := range values {
		if j == maxTold {
			c.say("And %s.", plural(int64(len(values)-j), "more value"))
			break
		}
		c.say("%s.", values[j].tip())
	}
	if f.Places.Sret.Kind == abi.InReg {
		c.say("%s holds the address of the result, which the caller passes.", f.Places.Sret)
	}
	y = c.registers(t, i, f, values, y)
	y = c.memory(t, i, f, values, y)
	c.close()
	return y
}

// heading draws what a function is called and what it takes.
func (c *canvas) heading(f *resolve.Assigned, y int) int {
	head := declaration(f)
	c.say("%s", head)
	lines, most := wrap(head, c.right()-c.margin, 14), 4
	if !c.shape.key {
		most = 12
	}
	if len(lines) > most {
		lines = append(lines[:most-1], "…")
	}
	c.open("line")
	c.tip(head)
	for i, l := range lines {
		c.text("head", c.margin+20*min(i, 1), y, l)
		y += lineHeight + 1
	}
	c.close()
	var about []string
	if f.Pos.IsValid() {
		about = append(about, fmt.Sprintf("%s, line %d", f.Kind(), f.Pos.Line))
	}
	switch block := f.Places.Block; {
	case f.Places.Kind == abi.Entry:
		about = append(about, fmt.Sprintf("%s of parameters from %s", plural(int64(block.Size), "byte"), abi.ConstAddr{Bank: block.Bank, Off: block.Base}))
	case f.Places.StackBytes > 0:
		about = append(about, plural(int64(f.Places.StackBytes), "byte")+" of stack")
	}
	if why := f.About(); why != "" {
		about = append(about, why)
	}
	if len(about) > 0 {
		text := strings.Join(about, "; ")
		c.say("%s.", text)
		y = c.line("sans s11 dim", y-2, 11, text) + 2 + lineHeight
	}
	return y - 4
}

// declaration is the function's as PTX text, without its body, linkage and
// directives, on one line.
func declaration(f *resolve.Assigned) string {
	var item ptx.Item = &ptx.Func{
		Entry: f.Kind() == resolve.Entry, Name: f.Name, Params: f.Params, HasParams: len(f.Params) > 0, Results: f.Results,
	}
	if f.Kind() == resolve.Prototype {
		item = &ptx.Prototype{Name: f.Name, Params: f.Params, HasParams: len(f.Params) > 0, Results: f.Results}
	}
	text := (&ptx.Module{Items: []ptx.Item{item}}).AppendText(nil)
	return strings.Join(strings.Fields(string(bytes.TrimRight(text, ";\n"))), " ")
}

// wrap breaks s at blanks into lines of at most w pixels, those after the first
// 20 less, and shortens words that are longer.
func wrap(s string, w, size int) []string {
	var out []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && columns(line)+1+columns(word) <= room(w, size) {
			line += " " + word
			continue
		}
		if line != "" {
			out = append(out, fit(line, w, size))
			if len(out) == 1 {
				w -= 20
			}
		}
		line = word
	}
	return append(out, fit(line, w, size))
}

// A regCell is what one register holds.
type regCell struct {
	value      *placed
	first, end int // bytes of the value
	hidden     bool
}

// registers draws what the parameter registers hold at the call, and at the
// return.
func (c *canvas) registers(t *abi.Target, i int, f *resolve.Assigned, values []placed, y int) int {
	call, ret := map[abi.Loc]regCell{}, map[abi.Loc]regCell{}
	for j := range values {
		v := &values[j]
		in := call
		if v.result {
			in = ret
		}
		if v.Loc.Kind != abi.InReg {
			continue
		}
		for _, p := range v.Pieces() {
			in[p.Loc] = regCell{value: v, first: p.Off, end: p.Off + p.Size}
		}
	}
	if f.Places.Sret.Kind == abi.InReg {
		for j := range values {
			if v := &values[j]; v.Loc.Kind == abi.Indirect {
				hidden := *v
				hidden.value = fmt.Sprintf("f%d.h", i)
				call[f.Places.Sret] = regCell{value: &hidden, end: 4, hidden: true}
			}
		}
	}
	if len(call) > 0 {
		y = c.registerRow(t, call, y, "at the call")
	}
	if len(ret) > 0 {
		y = c.registerRow(t, ret, y, "at the return")
	}
	return y
}

// registerRow draws the parameter registers up to the last that holds something, with what they hold, and the rest as
// one cell.
func (c *canvas) registerRow(t *abi.Target, held map[abi.Loc]regCell, y int, when string) int {
	c.open("registers", "data-when", when)
	c.text("end sans s11", c.gridX-8, y+14+regHeight/2+4, when)
	loc, used := abi.Loc{Kind: abi.InReg, Reg: t.Passing.First}, 0
	for n := range t.Passing.Count {
		if at := loc.Reg + abi.Reg(n); held[abi.Loc{Kind: abi.InReg, Reg: at}].value != nil {
			used = n + 1
		}
	}
	cells := 0 // from the left
	place := func(want int) (x, width int) {
		if cells > 0 && cells+min(want, 2) > c.perRow {
			y, cells = y+14+regHeight+rowGap, 0
		}
		x, want = c.gridX+cells*c.regWidth(), min(want, c.perRow-cells)
		cells += want
		return x, want * c.regWidth()
	}
	for range used {
		x, width := place(1)
		c.text("mid s11 dim", x+width/2, y+10, loc.String())
		if cell, ok := held[loc]; ok {
			c.register(loc, &cell, x, y+14)
		} else {
			c.rect("free", x, y+14, width, regHeight)
		}
		loc.Reg++
	}
	if rest := t.Passing.Count - used; rest > 0 {
		x, width := place(min(rest, 3))
		last := loc
		last.Reg += abi.Reg(rest - 1)
		name := loc.String()
		if rest > 1 {
			name = fmt.Sprintf("%s to %s", loc, last)
		}
		c.rect("free", x, y+14, width, regHeight)
		c.text("mid s11 dim", x+width/2, y+10, name)
		c.text("mid s11 dim", x+width/2, y+14+regHeight/2+4, "free")
	}
	c.close()
	return y + 14 + regHeight + 10
}

// register draws one register: the value's name, which of its bytes they are,
// and at the lower edge those of the register's four that it does not have.
func (c *canvas) register(loc abi.Loc, r *regCell, x, y int) {
	v := r.value
	class, name := class(v.colour), v.name
	part := fmt.Sprintf("[%d:%d]", r.first, r.end)
	tip := fmt.Sprintf("%s: %s, bytes %d to %d of %d", loc, v.name, r.first, r.end, v.Size)
	if r.hidden {
		class, name, part = class+" hidden", "&"+v.name, "address"
		tip = hiddenTip(loc, v)
	}
	c.open(class, "data-value", v.value, "data-place", loc.String(), "data-bytes", bitsText(int64(r.first), int64(r.end)))
	c.tip(tip)
	c.rect("", x, y, c.regWidth(), regHeight)
	const strip = 8
	if used := r.end - r.first; used < 4 {
		from := x + used*c.regWidth()/4
		c.rect("pad", from, y+regHeight-strip, x+c.regWidth()-from, strip)
		c.hatch(from, y+regHeight-strip, x+c.regWidth()-from, strip, 5)
	}
	c.label(x, y, c.regWidth(), regHeight-strip+2, name, part)
	c.close()
}

func hiddenTip(loc abi.Loc, v *placed) string {
	return fmt.Sprintf("%s: the address of the result %s, which the caller passes", loc, v.name)
}

// memory draws the areas of a function with the key of all its values.
func (c *canvas) memory(t *abi.Target, i int, f *resolve.Assigned, values []placed, y int) int {
	keyAt, top := c.gridX, y
	for _, a := range areasOf(f, t, values) {
		keyAt = c.keyX()
		for n, gap := range gaps(a.spans, a.end) {
			if n == maxTold {
				c.say("And more padding.")
				break
			}
			c.say("%s: %s at %s.", gap.label, extent(gap.first, gap.end), a.where(gap.first/8))
		}
		c.text("sans s11", c.gridX, y+10, a.title)
		y = c.area(&a.area, y+16) + 6
	}
	var list []entry
	for j := range values {
		v := &values[j]
		name := v.name
		if v.result {
			name = "→ " + name
		}
		list = append(list, entry{
			value: v.value, colour: v.colour, nowhere: v.Loc.Kind == abi.Nowhere, tip: v.tip(),
			cells: []string{name, v.String(), grouped(int64(v.Size)), fmt.Sprint(v.Align), v.typ},
		})
	}
	if f.Places.Sret.Kind == abi.InReg {
		for j := range values {
			if v := &values[j]; v.Loc.Kind == abi.Indirect {
				list = append(list, entry{
					value: fmt.Sprintf("f%d.h", i), colour: v.colour, tip: hiddenTip(f.Places.Sret, v),
					cells: []string{"&" + v.name, f.Places.Sret.String(), "4", "4", "address"},
				})
			}
		}
	}
	return max(y, c.legend(placeColumns, list, keyAt, top, "value"))
}

// A titled is an area with its heading.
type titled struct {
	area
	title string
}

// areasOf are the memory that the values of f lie in.
func areasOf(f *resolve.Assigned, t *abi.Target, values []placed) []titled {
	p := &f.Places
	if p.Kind == abi.Entry {
		a := area{name: "block", end: int64(p.Block.Size) * 8, origin: int64(p.Block.Base)}
		a.spans = spansOf(values, abi.InConst, p.Block.Base)
		a.where = func(off int64) string {
			return abi.ConstAddr{Bank: p.Block.Bank, Off: p.Block.Base + int(off)}.String()
		}
		return oneOrNone(a, fmt.Sprintf("parameter block in constant bank %d", p.Block.Bank))
	}
	stack := area{name: "stack", end: int64(p.StackBytes) * 8, spans: spansOf(values, abi.OnStack, 0)}
	stack.where = func(off int64) string { return abi.Loc{Kind: abi.OnStack, Off: int(off)}.String() }
	out := oneOrNone(stack, fmt.Sprintf("stack, from %s at the call", register(t.Regs.SP)))
	memory := area{name: "memory", spans: spansOf(values, abi.Indirect, 0)}
	memory.where = func(off int64) string {
		return abi.Loc{Kind: abi.Indirect, Reg: p.Sret.Reg, Off: int(off)}.String()
	}
	for i := range memory.spans {
		memory.end = max(memory.end, memory.spans[i].end)
	}
	return append(out, oneOrNone(memory, fmt.Sprintf("result in local memory, from the address in %s", p.Sret))...)
}

func oneOrNone(a area, title string) []titled {
	if len(a.spans) == 0 {
		return nil
	}
	return []titled{{a, title}}
}

// spansOf returns the values in memory of one kind, whose offsets are counted
// from base.
func spansOf(values []placed, kind abi.LocKind, base int) []span {
	var out []span
	for i := range values {
		v := &values[i]
		if v.Loc.Kind != kind {
			continue
		}
		first := int64(v.Loc.Off-base) * 8
		s := span{first: first, end: first + int64(v.Size)*8, value: v.value, label: v.name, note: v.typ, colour: v.colour, tip: v.tip()}
		if v.Size == 0 { // an array without extent
			s.end, s.endless, s.note = (first/rowBits+1)*rowBits, true, "and what follows"
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b span) int { return int(a.first - b.first) })
	return out
}
