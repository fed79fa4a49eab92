package layout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Clang returns the block that clang prints for the record l with -Xclang
// -fdump-record-layouts-complete, which begins with an empty line. It is empty for types
// that are not records.
//
// With that flag, clang 19 computes a record's layout before it reads the attributes
// after the closing brace, and so prints, and uses, another layout than without the flag.
// Here such attributes count.
func (l *Layout) Clang() string {
	rec, ok := Unalias(l.Type).(*Record)
	if !ok {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n*** Dumping AST Record Layout\n")
	d := clangDump{w: &b, cxx: l.Rules.Lang == CXX, root: rec}
	d.line("0", 0, rec.clangHead("unnamed", rec)+l.emptyMark())
	d.members(l, 0, 1)
	fmt.Fprintf(&b, "%*s | [sizeof=%d, ", 10, "", l.Size)
	switch {
	case !d.cxx:
		fmt.Fprintf(&b, "align=%d]\n", l.natural)
	default:
		if l.Rules.ABI == Itanium {
			fmt.Fprintf(&b, "dsize=%d, ", l.tailSize)
		}
		fmt.Fprintf(&b, "align=%d,\n%*s |  nvsize=%d, nvalign=%d]\n", l.natural, 10, "", l.nvSize, l.nvAlign)
	}
	return b.String()
}

type clangDump struct {
	w    *strings.Builder
	cxx  bool
	root *Record // whose block it is
}

func (d *clangDump) line(where string, depth int, text string) {
	fmt.Fprintf(d.w, "%10s | %*s%s\n", where, 2*depth, "", text)
}

func (d *clangDump) members(l *Layout, off int64, depth int) {
	for _, m := range l.byAddress() {
		at := off + m.Offset
		rec, isRecord := Unalias(m.Field.Type).(*Record)
		switch {
		case m.VTable:
			d.line(fmt.Sprint(at), depth, "("+Unalias(l.Type).(*Record).Name+" vtable pointer)")
		case m.Field.BitField:
			where := fmt.Sprintf("%d:%d-%d", at, m.Bit, m.Bit+m.Field.Bits-1)
			if m.Field.Bits == 0 {
				where = fmt.Sprintf("%d:-", at)
			}
			d.line(where, depth, m.Field.Type.String()+" "+m.Field.Name)
		case isRecord && !isAtomic(m.Field.Type):
			text := rec.clangName(d.root) + " " + m.Field.Name
			switch {
			case m.Base && m.Layout.dynamic && m == &l.Members[0]:
				text = rec.clangName(d.root) + " (primary base)"
			case m.Base:
				text = rec.clangName(d.root) + " (base)"
			case m.Anonymous():
				text = rec.clangHead("anonymous", d.root) + " "
			}
			d.line(fmt.Sprint(at), depth, text+m.Layout.emptyMark())
			d.members(m.Layout, at, depth+1)
		default:
			d.line(fmt.Sprint(at), depth, m.Field.Type.String()+" "+m.Field.Name)
		}
	}
}

// byAddress returns the members with the bases in the order of their offsets,
// from which an empty base that is declared late may deviate.
func (l *Layout) byAddress() []*Member {
	ms := make([]*Member, len(l.Members))
	first, bases := 0, 0
	for i := range l.Members {
		ms[i] = &l.Members[i]
		if ms[i].Base {
			bases++
		}
	}
	if len(ms) > 0 && ms[0].VTable {
		first = 1
	}
	slices.SortStableFunc(ms[first:first+bases], func(a, b *Member) int { return cmp.Compare(a.Offset, b.Offset) })
	return ms
}

func isAtomic(t Type) bool {
	for {
		switch x := t.(type) {
		case *Alias:
			t = x.Type
		case *Qualified:
			if x.Atomic {
				return true
			}
			t = x.Type
		default:
			return false
		}
	}
}

func (l *Layout) emptyMark() string {
	if l.empty {
		return " (empty)"
	}
	return ""
}

// clangHead spells a record where only its own declaration counts: at the head
// of its block, which is printed before a typedef can name it.
func (r *Record) clangHead(unnamed string, root *Record) string {
	if r.Name != "" {
		return r.Kind.String() + " " + r.Name
	}
	return fmt.Sprintf("%s %s(%s at %s)", r.Kind, r.scope(root), unnamed, r.At)
}

// scope qualifies a record without a name by the next record around it that
// has one. That of a typedef counts unless the block is printed before the
// typedef is read, which is so within the record itself.
func (r *Record) scope(root *Record) string {
	known := true
	for p := r.Parent; p != nil; p = p.Parent {
		known = known && p != root
		switch {
		case p.Name != "":
			return p.Name + "::"
		case p.TypedefName != "" && known:
			return p.TypedefName + "::"
		}
	}
	return r.Scope
}

// clangName spells a record as the type of a member.
func (r *Record) clangName(root *Record) string {
	if r.Name == "" && r.TypedefName != "" {
		return r.TypedefName
	}
	return r.clangHead("unnamed", root)
}
