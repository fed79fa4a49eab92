package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// maxFields bounds the fields of one record or kernel that are drawn one by
// one, maxAllFields those of a picture. maxTold bounds those that the text
// alternative lists. maxName is how many bytes of a name or type are kept.
const (
	maxFields    = 1 << 16
	maxAllFields = 1 << 18
	maxTold      = 1000
	maxName      = 4096
)

var fieldColumns = []column{{"byte", 44, false}, {"size", 62, false}, {"field", 140, true}, {"type", 142, false}}

// layoutLine draws the line that explains the signs of layouts.
func (c *canvas) layoutLine(y int) int {
	return c.sign(y, "padding. Bytes count from left to right, bits in a byte from the lowest, at the left, to the highest.")
}

// record draws the i-th record and returns where it ends.
func (c *canvas) record(i int, r *Record, y int) int {
	l := r.Layout
	c.open("record", "data-record", fmt.Sprint(i), "data-name", r.Name)
	head := fmt.Sprintf("%s %s: %s, aligned to %d, %s used", r.Kind, r.Name, plural(l.Size, "byte"), l.Align, grouped(l.DataSize))
	c.path("rule", fmt.Sprintf("M%d %dH%d", c.margin, y-18, c.right()))
	y = c.line("head", y, 14, head)
	c.say("%s.", head)
	lines := slices.Clone(r.Notes)
	if r.Param != "" {
		lines = slices.Insert(lines, 0, r.Param)
	}
	y = c.lines(lines, y)
	f := fields{canvas: c, prefix: fmt.Sprintf("t%d", i), members: true}
	f.add(l, "", r.Name, 0)
	a := area{name: "layout", spans: f.spans, end: l.Size * 8, where: func(off int64) string { return fmt.Sprint(off) }}
	f.tell(&a)
	y = f.draw(&a, fieldColumns, y)
	c.close()
	return y
}

// lines draws notes below a heading whose baseline is y, and returns where the
// next thing begins.
func (c *canvas) lines(notes []string, y int) int {
	for _, n := range notes {
		y += lineHeight
		y = c.line("s11 dim", y, 11, n)
		c.say("%s.", n)
	}
	return y + 12
}

// kernel draws the parameter block of a kernel, field by field.
func (c *canvas) kernel(t *abi.Target, i int, k *Kernel, y int) int {
	base := abi.ConstAddr{Bank: k.Block.Bank, Off: k.Block.Base}
	c.open("kernel", "data-kernel", fmt.Sprint(i), "data-name", k.Name)
	head := "kernel " + k.Name
	about := fmt.Sprintf("%s of parameters from %s on %s", plural(int64(k.Block.Size), "byte"), base, t.Name)
	if t.AssumedFrom != "" {
		about += ", assumed, as " + t.AssumedFrom
	}
	c.path("rule", fmt.Sprintf("M%d %dH%d", c.margin, y-18, c.right()))
	y = c.line("head", y, 14, head)
	c.say("%s.", head)
	notes := []string{about}
	for _, p := range k.Params {
		for _, n := range p.Notes {
			notes = append(notes, p.Name+": "+n)
		}
	}
	y = c.lines(notes, y)
	f := fields{canvas: c}
	where := func(off int64) string {
		return abi.ConstAddr{Bank: k.Block.Bank, Off: k.Block.Base + int(off)}.String()
	}
	for j, p := range k.Params {
		if p.Loc.Kind != abi.InConst {
			continue
		}
		f.prefix, f.hue, f.shade = fmt.Sprintf("k%d.p%d", i, j), j, 0
		at := int64(p.Loc.Off - k.Block.Base)
		if p.Layout == nil {
			f.leaf(&layout.Leaf{Offset: at, Size: p.Size}, f.prefix, p.Name, p.Type)
			continue
		}
		f.add(p.Layout, p.Name+".", p.Name, at)
	}
	slices.SortStableFunc(f.spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	a := area{name: "block", spans: f.spans, end: int64(k.Block.Size) * 8, origin: int64(k.Block.Base), where: where}
	f.tell(&a)
	columns := slices.Clone(fieldColumns)
	columns[0].width, columns[2].width, columns[3].width = 118, 104, 104
	for j := range f.entries {
		e := &f.entries[j]
		e.cells[0] = where(e.first / 8)
		if e.first%8 != 0 {
			e.cells[0] += fmt.Sprintf(":%d", e.first%8)
		}
	}
	y = f.draw(&a, columns, y)
	c.close()
	return y
}

// fields are those of a picture while it is drawn.
type fields struct {
	*canvas
	prefix  string
	spans   []span
	entries []entry
	// A value has a hue, and its fields have shades of it: a parameter, or with members one of a record.
	hue, shade int
	members    bool
}

// add takes up the fields of l, at an offset in bytes. Path begins their names,
// own is the name of a type without fields.
func (f *fields) add(l *layout.Layout, path, own string, at int64) {
	if f.canvas.fields >= maxAllFields { // the first field of nested unions alone takes a while
		f.rest(at*8, (at+l.Size)*8, own)
		return
	}
	n, member := 0, ""
	for leaf := range l.Fields() {
		if top, _, _ := strings.Cut(leaf.Path, "."); f.members {
			if top, _, _ = strings.Cut(top, "["); n > 0 && top != member {
				f.hue, f.shade = f.hue+1, 0
			}
			member = top
		}
		leaf.Offset += at
		if len(f.entries) >= maxFields || f.canvas.fields >= maxAllFields {
			f.rest(leaf.Start(), (at+l.Size)*8, own)
			return
		}
		name := own
		if leaf.Path != "" {
			name = path + leaf.Path
		}
		f.leaf(&leaf, fmt.Sprintf("%s.f%d", f.prefix, n), name, cdecl.TypeText(leaf.Type, l.Rules.Lang))
		n++
	}
}

// rest takes up the bits of a type called own whose fields are too many.
func (f *fields) rest(first, end int64, own string) {
	if end > first {
		f.spans = append(f.spans, span{
			first: first, end: end, value: f.prefix, label: own, note: "more fields", colour: f.colour(),
			tip: fmt.Sprintf("%s: fields beyond the first %s, %s from byte %s", own, grouped(int64(len(f.entries))), extent(first, end), place(first)),
		})
	}
}

// colour is that of the next field.
func (f *fields) colour() int { return f.hue%colours + f.shade%shades*colours }

func (f *fields) leaf(l *layout.Leaf, value, name, typ string) {
	f.canvas.fields += 1 + (len(name)+len(typ))/32 // which are as long as the records around them are deep
	name, typ = shorten(name), shorten(typ)
	first, end := l.Start(), l.Start()+l.BitWidth
	size := plural(l.BitWidth, "bit")
	if l.BitWidth == 0 {
		first, end = l.Offset*8, (l.Offset+l.Size)*8
		size = grouped(l.Size)
	}
	s := span{first: first, end: end, value: value, label: name, note: typ, colour: f.colour()}
	f.shade++
	s.tip = fmt.Sprintf("%s: %s, %s at byte %s", name, typ, extent(first, end), place(first))
	if end > first {
		f.spans = append(f.spans, s)
	}
	f.entries = append(f.entries, entry{value: value, first: first, colour: s.colour, nowhere: end == first, tip: s.tip, cells: []string{place(first), size, name, typ}})
}

// shorten returns s, or its beginning and end where nothing can read it whole.
func shorten(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.ToValidUTF8(s[:maxName/2], "") + "…" + strings.ToValidUTF8(s[len(s)-maxName/2:], "")
}

// tell lists the fields and the padding in the text alternative.
func (f *fields) tell(a *area) {
	all := slices.Concat(a.spans, gaps(a.spans, a.end))
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	for i := range all {
		if i == maxTold {
			f.say("And %s.", plural(int64(len(all)-i), "more field or run of padding"))
			break
		}
		f.say("%s.", all[i].words())
	}
	for i := range f.entries {
		if i < maxTold && f.entries[i].nowhere {
			f.say("%s.", f.entries[i].tip)
		}
	}
}

// draw draws the area with its key beside it.
func (f *fields) draw(a *area, columns []column, y int) int {
	end := f.area(a, y)
	return max(end, f.legend(columns, f.entries, f.keyX(), y, "field"))
}
