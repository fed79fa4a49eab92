package packers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ptxabi/ptxabi/layout"
)

// A recordBody is what stands between the braces of a record in a header.
type recordBody struct {
	w       *headerWriter
	name    string // of the record, with its keyword; of one without a name, that of the record around it
	l       *layout.Layout
	names   nameSet // of members
	packed  bool
	lines   []headerLine
	asserts []string
	end     int64 // where the next member may begin
	base    int64 // of a record without a name, where it is in the one around it
	pads    int
	raise   bool // no member gives the record its alignment
}

// A headerLine is a member, or a comment.
type headerLine struct {
	text string
	off  int64 // of a member that can be aligned, or a record without a name that has the alignment; else -1
}

func (b *recordBody) add(off int64, format string, args ...any) {
	b.lines = append(b.lines, headerLine{fmt.Sprintf(format, args...) + ";", off})
}

func (b *recordBody) pad(to int64) {
	if to > b.end {
		b.add(b.end, "unsigned char ptxparam_pad%d[%d]", b.pads, to-b.end)
		b.pads++
		b.end = to
	}
}

// members writes the members of a record.
func (b *recordBody) members(rec *layout.Record) {
	if rec.Kind == layout.Union {
		b.union()
	} else {
		b.structure()
	}
	b.align()
}

// attribute is what stands between the keyword of a record and its name.
func (b *recordBody) attribute() string {
	switch {
	case b.packed:
		return fmt.Sprintf(" __attribute__((packed, aligned(%d)))", b.l.Align)
	case b.raise:
		return fmt.Sprintf(" __attribute__((aligned(%d)))", b.l.Align)
	}
	return ""
}

// flat are the members of a record, with those of its base classes where these lie: C has no classes.
func flat(l *layout.Layout) []layout.Member {
	var out []layout.Member
	for _, m := range l.Members {
		if !m.Base {
			out = append(out, m)
			continue
		}
		for _, in := range flat(m.Layout) {
			in.Offset += m.Offset
			out = append(out, in)
		}
	}
	return out
}

// structure writes the members of a struct, with the padding between them.
func (b *recordBody) structure() {
	members := flat(b.l)
	for i := 0; i < len(members); i++ {
		m := &members[i]
		if m.Layout.Size == 0 || m.Field.Name == "_" {
			continue
		}
		if end := runEnd(members, i); end > i {
			b.bitRun(members[i:end])
			i = end - 1
			continue
		}
		if m.Offset < b.end {
			b.inTail(m)
		}
		b.pad(m.Offset)
		if name := b.member(m); name != "" {
			b.asserts = append(b.asserts, fmt.Sprintf("PTXPARAM_AT(%s, %s, %d)", b.name, name, b.base+m.Offset))
		}
		b.end = m.Offset + m.Layout.Size
	}
	b.pad(b.l.Size)
}

// inTail refuses a member that lies in the padding after the one before it.
func (b *recordBody) inTail(m *layout.Member) {
	what := "member " + m.Field.Name
	if m.Field.Name == "" {
		what = "a member without a name"
	}
	b.w.refuse("%s of %s lies in the tail of the member before it, at byte %d, which no struct of C says", what, b.name, m.Offset)
}

// union writes the members of a union.
func (b *recordBody) union() {
	for i := range b.l.Members {
		m := &b.l.Members[i]
		switch {
		case m.Layout.Size == 0:
		case !m.Field.BitField:
			b.member(m)
		case m.Field.Bits == 0:
		case b.packed:
			b.bytes(b.l.Members[i:i+1], 0, (m.Field.Bits+7)/8)
		default:
			b.bitField(m)
		}
	}
}

// member writes a member, and returns its name; "" of one without a name, whose members are those of this record.
func (b *recordBody) member(m *layout.Member) string {
	name := m.Field.Name
	rec, ok := layout.Unalias(b.l.Type).(*layout.Record)
	if ok && b.w.cname != nil {
		name = b.w.cname(rec, name)
	}
	if inner, ok := layout.Unalias(m.Field.Type).(*layout.Record); ok && name == "" && !misaligned(m.Layout) {
		b.anonymous(m, inner)
		return ""
	}
	name = b.names.take(cIdent(cmp.Or(name, fmt.Sprintf("ptxparam_anonymous%d", m.Offset))))
	_, record, _ := strings.Cut(b.name, " ")
	b.add(m.Offset, "%s%s", b.alignas(m), b.w.declare(m.Layout, m.Field.Type, name, record+"_"+name))
	return name
}

// anonymous writes a record without a name inside this one.
func (b *recordBody) anonymous(m *layout.Member, rec *layout.Record) {
	in := &recordBody{w: b.w, name: b.name, l: m.Layout, names: b.names, packed: isPacked(m.Layout), base: b.base + m.Offset, pads: b.pads}
	in.members(rec)
	b.pads = in.pads
	b.asserts = append(b.asserts, in.asserts...)
	text := strings.ReplaceAll(in.text(), "\n", "\n\t")
	off := int64(-1) // C has no alignment before such a record, and the padding places it
	if m.Layout.Align == b.l.Align {
		off = m.Offset
	}
	b.add(off, "PTXPARAM_EXTENSION %s%s {\n\t%s\n\t}", keyword(rec), in.attribute(), text)
}

// alignas is what gives a member the alignment that its type has not as it is written; "" where nothing has to. Of a packed
// record the places alone count.
func (b *recordBody) alignas(m *layout.Member) string {
	t := m.Field.Type
	l := m.Layout
	for l.Elem != nil && aligned(l, t) == nil {
		arr, ok := layout.Unalias(t).(*layout.Array)
		if !ok {
			break
		}
		l, t = l.Elem, arr.Elem
	}
	align := int64(0)
	if a := aligned(l, t); a != nil && l.Size%a.Align != 0 && !b.packed {
		align = a.Align
	}
	if a := m.Field.Align; a > m.Layout.Align {
		align = max(align, a)
	}
	if align > 1 {
		return fmt.Sprintf("PTXPARAM_ALIGN(%d) ", align)
	}
	return ""
}

// align gives the alignment of the record to a member that lies so that it may have it. Without one, which are records
// that begin with bit-fields, the record is declared with it, if its bit-fields do not have it.
func (b *recordBody) align() {
	if b.packed {
		return
	}
	for i, l := range b.lines {
		if l.off < 0 || l.off%b.l.Align != 0 {
			continue
		}
		own := fmt.Sprintf("PTXPARAM_ALIGN(%d) ", b.l.Align)
		if !strings.HasPrefix(l.text, own) && !strings.HasPrefix(l.text, "PTXPARAM_EXTENSION") {
			b.lines[i].text = own + l.text
		}
		return
	}
	b.raise = !slices.ContainsFunc(flat(b.l), func(m layout.Member) bool {
		return m.Field.BitField && m.Field.Name != "" && m.Layout.Align == b.l.Align
	})
}

func (b *recordBody) text() string {
	var out []string
	for _, l := range b.lines {
		out = append(out, "\t"+l.text)
	}
	return strings.Join(out, "\n")
}

// bitRun writes bit-fields: as such where a compiler of C puts them where they are, else as the bytes that hold them,
// with a comment that says which bits are which.
func (b *recordBody) bitRun(run []layout.Member) {
	from, to := bytesOfRun(run)
	for i := range run {
		if m := &run[i]; !unnamedBits(m) && (m.Offset*8+m.Bit)/8 < b.end {
			b.inTail(m)
			return
		}
	}
	if from < 0 {
		return // what follows is padded
	}
	end, ok := b.placed(run, b.end)
	if !ok {
		b.pad(from)
		end, ok = b.placed(run, from)
	}
	if !ok {
		written := b.filled(run, from)
		if end, ok = b.placed(written, from); !ok {
			b.bytes(run, from, to)
			b.end = to
			return
		}
		run = written
	}
	for i := range run {
		b.bitField(&run[i])
	}
	b.end = end
}

// filled are the bit-fields of a run that have names, and ones without a name between them: those of a derived class begin at a
// byte, which the fields of its base class need not reach.
func (b *recordBody) filled(run []layout.Member, from int64) []layout.Member {
	var out []layout.Member
	at := from * 8
	for _, m := range run {
		unit := m.Layout.Size * 8
		if m.Field.Name == "" || unit == 0 {
			continue
		}
		for start := m.Offset*8 + m.Bit; at < start; at += out[len(out)-1].Field.Bits {
			gap := m
			gap.Field.Name, gap.Field.Bits = "", min(start-at, unit-at%unit)
			out = append(out, gap)
		}
		out = append(out, m)
		at += m.Field.Bits
	}
	return out
}

// bitField writes a bit-field as it is declared.
func (b *recordBody) bitField(m *layout.Member) {
	name := m.Field.Name
	if name != "" {
		name = b.names.take(cIdent(name)) + " "
	}
	text := fmt.Sprintf("%s %s: %d", b.w.scalar(m.Layout), name, m.Field.Bits)
	if m.Layout.Size != 4 { // of int alone every edition of C has them
		text = "PTXPARAM_EXTENSION " + text
	}
	b.add(-1, "%s", text)
}

// bytes writes bit-fields as the bytes that hold them.
func (b *recordBody) bytes(run []layout.Member, from, to int64) {
	for i := range run {
		m := &run[i]
		if !unnamedBits(m) {
			text := fmt.Sprintf("/* %s: %s of what follows */", cIdent(m.Field.Name), bitRange(m.Offset*8+m.Bit-from*8, m.Field.Bits))
			b.lines = append(b.lines, headerLine{text, -1})
		}
	}
	b.add(from, "unsigned char %s[%d]", b.names.take(fmt.Sprintf("ptxparam_bits%d", b.base+from)), to-from)
}

// placed reports whether a compiler places the bit-fields of a run, the first from a byte on, where they are: each
// where the one before it ends, or in the next integer of its type where it does not fit. It returns where they end.
func (b *recordBody) placed(run []layout.Member, from int64) (end int64, ok bool) {
	at := from * 8
	for i := range run {
		m := &run[i]
		unit := m.Layout.Size * 8
		if b.packed || unit == 0 || m.Field.Align > m.Layout.Align || m.Layout.Align != m.Layout.Size || m.Layout.Align > b.l.Align {
			return 0, false
		}
		if at%unit+m.Field.Bits > unit || m.Field.Bits == 0 {
			at = (at + unit - 1) / unit * unit
		}
		if m.Field.Name != "" && m.Offset*8+m.Bit != at {
			return 0, false
		}
		at += m.Field.Bits
	}
	return (at + 7) / 8, true
}

// reserved are names of C, of C++ and of what generated headers include, that a member or a record cannot have in all of them.
var reserved = sync.OnceValue(func() nameSet { return newNameSet(strings.Fields(text("reserved.txt"))) })

// cIdent returns a name that C and C++ can have: one that is theirs gets an
// underscore after it, and one that compilers keep for themselves is told from
// theirs in the same way.
func cIdent(name string) string {
	compilers := strings.HasPrefix(name, "__") ||
		len(name) > 1 && name[0] == '_' && 'A' <= name[1] && name[1] <= 'Z'
	if reserved()[name] || strings.HasPrefix(name, "ptxparam_pad") || compilers {
		return name + "_"
	}
	return name
}
