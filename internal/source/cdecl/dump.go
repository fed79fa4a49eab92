package cdecl

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// Dump returns the block that clang prints for the record l with -Xclang
// -fdump-record-layouts-complete, which begins with an empty line. It is empty for types
// that are not records.
//
// With that flag, clang 19 computes a record's layout before it reads the attributes
// after the closing brace, and so prints, and uses, another layout than without the flag.
// Here such attributes count.
func Dump(l *layout.Layout) string {
	rec, ok := layout.Unalias(l.Type).(*layout.Record)
	if !ok {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n*** Dumping AST Record Layout\n")
	d := clangDump{w: &b, cxx: l.Rules.Lang == layout.CXX, root: rec}
	d.line("0", 0, clangHead(rec, "unnamed", rec)+emptyMark(l))
	d.members(l, 0, 1)
	fmt.Fprintf(&b, "%*s | [sizeof=%d, ", 10, "", l.Size)
	switch {
	case !d.cxx:
		fmt.Fprintf(&b, "align=%d]\n", l.NVAlign)
	default:
		if l.Rules.ABI == layout.Itanium {
			fmt.Fprintf(&b, "dsize=%d, ", l.DSize)
		}
		fmt.Fprintf(&b, "align=%d,\n%*s |  nvsize=%d, nvalign=%d]\n", l.NVAlign, 10, "", l.NVSize, l.NVAlign)
	}
	return b.String()
}

type clangDump struct {
	w    *strings.Builder
	cxx  bool
	root *layout.Record // whose block it is
}

func (d *clangDump) line(where string, depth int, text string) {
	fmt.Fprintf(d.w, "%10s | %*s%s\n", where, 2*depth, "", text)
}

func (d *clangDump) members(l *layout.Layout, off int64, depth int) {
	for _, m := range byAddress(l) {
		at := off + m.Offset
		rec, isRecord := layout.Unalias(m.Field.Type).(*layout.Record)
		switch {
		case m.VTable:
			d.line(fmt.Sprint(at), depth, "("+layout.Unalias(l.Type).(*layout.Record).Name+" vtable pointer)")
		case m.Field.BitField:
			where := fmt.Sprintf("%d:%d-%d", at, m.Bit, m.Bit+m.Field.Bits-1)
			if m.Field.Bits == 0 {
				where = fmt.Sprintf("%d:-", at)
			}
			d.line(where, depth, m.Field.Type.String()+" "+m.Field.Name)
		case isRecord && !isAtomic(m.Field.Type):
			text := clangName(rec, d.root) + " " + m.Field.Name
			switch {
			case m.Base && dynamic(m.Layout) && m == &l.Members[0]:
				text = clangName(rec, d.root) + " (primary base)"
			case m.Base:
				text = clangName(rec, d.root) + " (base)"
			case m.Anonymous():
				text = clangHead(rec, "anonymous", d.root) + " "
			}
			d.line(fmt.Sprint(at), depth, text+emptyMark(m.Layout))
			d.members(m.Layout, at, depth+1)
		default:
			d.line(fmt.Sprint(at), depth, m.Field.Type.String()+" "+m.Field.Name)
		}
	}
}

// byAddress returns the members with the bases in the order of their offsets,
// from which an empty base that is declared late may deviate.
func byAddress(l *layout.Layout) []*layout.Member {
	ms := make([]*layout.Member, len(l.Members))
	for i := range l.Members {
		ms[i] = &l.Members[i]
	}
	place := func(m *layout.Member) int64 {
		switch {
		case m.VTable:
			return -1
		case m.Base:
			return m.Offset
		}
		return math.MaxInt64 // members keep their order
	}
	slices.SortStableFunc(ms, func(a, b *layout.Member) int { return cmp.Compare(place(a), place(b)) })
	return ms
}

func emptyMark(l *layout.Layout) string {
	if isEmpty(l) {
		return " (empty)"
	}
	return ""
}

// isEmpty reports whether a class is empty, in the sense of std::is_empty.
func isEmpty(l *layout.Layout) bool {
	if _, ok := layout.Unalias(l.Type).(*layout.Record); !ok || l.Rules.Lang != layout.CXX {
		return false
	}
	return !slices.ContainsFunc(l.Members, func(m layout.Member) bool {
		if m.Field.BitField {
			return m.Field.Bits > 0
		}
		return !m.Base && !m.Field.NoUniqueAddress || !isEmpty(m.Layout)
	})
}

// dynamic reports whether a class has virtual functions: it begins with the pointer to their table.
func dynamic(l *layout.Layout) bool {
	return len(l.Members) > 0 && (l.Members[0].VTable || l.Members[0].Base && dynamic(l.Members[0].Layout))
}

// isAtomic reports whether one of the qualifiers of t is _Atomic.
func isAtomic(t layout.Type) bool {
	for {
		switch x := t.(type) {
		case *layout.Alias:
			t = x.Type
		case *layout.Qualified:
			if x.Atomic {
				return true
			}
			t = x.Type
		default:
			return false
		}
	}
}

// clangHead spells a record where only its own declaration counts: at the head
// of its block, which is printed before a typedef can name it.
func clangHead(r *layout.Record, unnamed string, root *layout.Record) string {
	if r.Name != "" {
		return r.Kind.String() + " " + r.Name
	}
	return fmt.Sprintf("%s %s(%s at %s)", r.Kind, clangScope(r, root), unnamed, r.At)
}

// clangScope qualifies a record without a name by the next record around it that
// has one. That of a typedef counts unless the block is printed before the
// typedef is read, which is so within the record itself.
func clangScope(r, root *layout.Record) string {
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
func clangName(r, root *layout.Record) string {
	if r.Name == "" && r.TypedefName != "" {
		return r.TypedefName
	}
	return clangHead(r, "unnamed", root)
}
