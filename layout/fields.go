package layout

import (
	"iter"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/core/zero"
)

// A Leaf is a field of a record that is not a record itself, with its place in memory. An
// array is one leaf unless its elements are records.
type Leaf struct {
	// Path has dots between the names of nested records, and the index of an element of
	// an array of records. Members of anonymous records and of bases have their own names
	// alone. The path of a type that is not a record is empty.
	Path string
	Type Type
	// Record is the record that declares the field, which may be one without a name; nil for
	// a type that is not a record.
	Record *Record
	Offset int64 // bytes from the start; of a bit-field, those that hold whole bytes before it
	Size   int64 // bytes; of a bit-field, those of its declared type
	Align  int64 // of the declared type or, when larger, as requested on the member

	BitOffset int64 // first bit of a bit-field, counted from Offset
	BitWidth  int64 // 0 unless the leaf is a bit-field
}

// Start returns the first bit of the leaf, counted from the record's start.
func (f *Leaf) Start() int64 { return zero.Or(f).Offset*8 + zero.Or(f).BitOffset }

// Fields returns the leaves of l in the order of their offsets, those of a union's
// members interleaved, without unnamed bit-fields. It computes them while the sequence is
// read, so that an array of many records costs nothing before.
func (l *Layout) Fields() iter.Seq[Leaf] {
	l = zero.Or(l)
	return func(yield func(Leaf) bool) { l.leaves(nil, nil, 0, l.Align, yield) }
}

// A names is a path, from its last name up; nil is the empty path. It becomes text at the leaf, so that
// nested records take no time for the paths between.
type names struct {
	above *names
	name  string // an index has its brackets
}

// in returns the path of a name below n.
func (n *names) in(name string) *names { return &names{n, name} }

// String joins the names by dots, but before indices.
func (n *names) String() string {
	var list []string
	size := 0
	for ; n != nil; n = n.above {
		list = append(list, n.name)
		size += len(n.name) + 1
	}
	var b strings.Builder
	b.Grow(size)
	for i := len(list) - 1; i >= 0; i-- {
		if b.Len() > 0 && list[i][0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(list[i])
	}
	return b.String()
}

// leaves yields the leaves of l, and reports whether all of them were taken.
func (l *Layout) leaves(path *names, in *Record, off, align int64, yield func(Leaf) bool) bool {
	switch {
	case l.Members != nil && !isAtomic(l.Type):
		rec := Unalias(l.Type).(*Record)
		if rec.Kind == Union {
			return l.unionLeaves(path, off, yield)
		}
		for i := range l.Members {
			if !l.Members[i].leaves(path, rec, off, yield) {
				return false
			}
		}
		return true
	case l.Elem != nil && l.baseElem() != nil:
		n := l.elems()
		if l.Elem.lead == noLeaf {
			n = 0
		}
		for i := range n {
			if !l.Elem.leaves(path.in("["+strconv.FormatInt(i, 10)+"]"), in, off+i*l.Elem.Size, l.Elem.Align, yield) {
				return false
			}
		}
		return true
	}
	return yield(Leaf{Path: path.String(), Type: l.Type, Record: in, Offset: off, Size: l.Size, Align: align})
}

// elems counts the elements of an array. Of those without bytes one counts.
func (l *Layout) elems() int64 {
	if l.Elem.Size > 0 {
		return l.Size / l.Elem.Size
	}
	if a, ok := Unalias(l.Type).(*Array); ok {
		return min(a.Len, 1)
	}
	return 0
}

func (m *Member) leaves(path *names, in *Record, off int64, yield func(Leaf) bool) bool {
	f := &m.Field
	off += m.Offset
	switch {
	case m.lead() == noLeaf:
		return true
	case m.Base || m.Anonymous():
	default:
		path = path.in(f.Name)
	}
	if f.BitField {
		return yield(Leaf{
			Path: path.String(), Type: f.Type, Record: in, Offset: off, Size: m.Layout.Size, Align: max(m.Layout.Align, f.Align),
			BitOffset: m.Bit, BitWidth: f.Bits,
		})
	}
	l := m.Layout
	if l.Type != f.Type && l.Members == nil {
		// The layout of an alias is that of its type; the leaf has the
		// type as declared.
		named := *l
		named.Type = f.Type
		l = &named
	}
	return l.leaves(path, in, off, max(m.Layout.Align, f.Align), yield)
}
