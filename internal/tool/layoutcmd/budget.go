package layoutcmd

import (
	"fmt"
	"slices"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// A listing can be far longer than the declarations that it is of. These bound
// what is listed for one record, and for all.
const (
	maxLeaves = 1 << 18 // fields of one record
	maxListed = 1 << 21 // steps to the fields of all records: see blocks
	maxLoads  = 1 << 16 // accesses of one record
	maxLines  = 1 << 18 // accesses of all records
	maxBytes  = 1 << 25 // of text
	maxSteps  = 1 << 26 // looks for the fields that accesses load
)

// A budget is what a listing has used up of its bounds.
type budget struct {
	lines, steps  int
	listed, bytes int64
	sizes         blocks
}

// leaves lists the fields of a record, unless that takes too long: a field is named with all records around it.
func (r *Result) leaves(l *layout.Layout) ([]layout.Leaf, error) {
	if r.used.sizes == nil {
		r.used.sizes = blocks{}
	}
	switch n := r.used.sizes.of(l); {
	case n.fields > maxLeaves:
		return nil, fmt.Errorf("%s has more than %d fields", l.Type, maxLeaves)
	case !r.used.spend(n.steps):
		return nil, fmt.Errorf("the fields are too many to list up to those of %s; -type chooses types", l.Type)
	}
	return slices.Collect(l.Fields()), nil
}

// spend uses up steps, if there are so many.
func (b *budget) spend(steps int64) bool {
	b.listed += steps
	return b.listed <= maxListed
}

// fits refuses a table whose columns, as wide as the longest name in them, make
// it too large.
func (r *Result) fits(l *layout.Layout, list []layout.Leaf) error {
	path, typ := 0, 0
	for i := range list {
		path, typ = max(path, len(list[i].Path)), max(typ, len(list[i].Type.String()))
	}
	if r.used.bytes += int64(path+typ+32) * int64(len(list)); r.used.bytes > 4*maxBytes {
		return fmt.Errorf("%s has names too long for a table of %d lines", l.Type, len(list))
	}
	return nil
}

// clang writes the blocks that clang prints. They have all records within a
// record, each as often as it occurs.
func (r *Result) clang() ([]byte, error) {
	size := blocks{}
	var b []byte
	for _, rec := range r.Records {
		if r.used.bytes += size.of(rec.Layout).bytes; r.used.bytes > maxBytes {
			return nil, fmt.Errorf("the records within %s are too many to list; -type chooses types", rec.Name)
		}
		b = append(b, cdecl.Dump(rec.Layout)...)
	}
	return b, nil
}

// blocks remembers about how much the members of records take.
type blocks map[*layout.Layout]block

// A block is about how many bytes and lines clang prints of a type, how many fields it has, and how many steps it
// takes to list these with the names of the records around them.
type block struct{ bytes, lines, fields, steps int64 }

// passing is how many steps it takes to pass a field on from a member to the record around it. Those of a union's
// members are put in order.
const passing, merging = 1, 4

func (s blocks) of(l *layout.Layout) block {
	if n, ok := s[l]; ok {
		return n
	}
	var n block
	switch {
	case l.Members != nil:
		rec, _ := layout.Unalias(l.Type).(*layout.Record)
		each := int64(passing)
		if rec != nil && rec.Kind == layout.Union {
			each = merging
		}
		for i := range l.Members {
			m := &l.Members[i]
			inner := s.of(m.Layout)
			n.bytes += 32 + int64(len(m.Field.Name)) + nameBytes(m.Field.Type) + inner.bytes + 2*inner.lines // which are indented
			n.lines += 1 + inner.lines
			if m.Field.BitField && (m.Field.Name == "" || m.Field.Bits == 0) || inner.fields == 0 {
				continue // it has no fields, and is passed over
			}
			n.fields += inner.fields
			n.steps += each + inner.steps + inner.fields*(each+int64(len(m.Field.Name))/nameStep)
			n = n.capped() // they would grow beyond all numbers
		}
	case l.Elem != nil && ofRecords(l):
		inner := s.of(l.Elem)
		many := int64(1)
		if l.Elem.Size > 0 {
			many = l.Size / l.Elem.Size
		}
		n = block{inner.bytes, inner.lines, times(inner.fields, many), times(inner.steps+inner.fields, many)}.capped()
	default:
		n = block{fields: 1, steps: 1 + nameBytes(l.Type)/nameStep}
	}
	s[l] = n
	return n
}

// nameStep is how many bytes of a name take a step more.
const nameStep = 64

func nameBytes(t layout.Type) int64 {
	if t == nil {
		return 0
	}
	return int64(len(t.String()))
}

func ofRecords(l *layout.Layout) bool {
	for l.Elem != nil {
		l = l.Elem
	}
	return l.Members != nil
}

// times multiplies what is not larger than maxSteps.
func times(n, by int64) int64 {
	if n > 0 && by > maxSteps/n {
		return maxSteps
	}
	return n * by
}

func (n block) capped() block {
	return block{min(n.bytes, maxBytes+1), min(n.lines, maxBytes+1), min(n.fields, maxSteps), min(n.steps, maxSteps)}
}
