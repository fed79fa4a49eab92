package layoutcmd

import (
	"fmt"

	"github.com/ptxabi/ptxabi/layout"
)

// A listing can be far longer than the declarations that it is of. These bound
// what is listed for one record, and for all.
const (
	maxLeaves = 1 << 18 // fields of one record
	maxListed = 1 << 19 // fields of all records, longer names counted more than once
	maxLoads  = 1 << 16 // accesses of one record
	maxLines  = 1 << 18 // accesses of all records
	maxBytes  = 1 << 26 // of text
	maxSteps  = 1 << 28 // looks for the fields that accesses load
)

// A budget is what a listing has used up of its bounds.
type budget struct {
	listed, lines, steps int
	bytes                int64
}

// leaves lists the fields of a record.
func (r *Result) leaves(l *layout.Layout) ([]layout.Leaf, error) {
	var out []layout.Leaf
	for f := range l.Fields() {
		if len(out) == maxLeaves {
			return nil, fmt.Errorf("%s has more than %d fields", l.Type, maxLeaves)
		}
		if r.used.listed += 1 + (len(f.Path)+len(f.Type.String()))/64; r.used.listed > maxListed {
			return nil, fmt.Errorf("the fields are too many to list up to those of %s; -type chooses types", l.Type)
		}
		out = append(out, f)
	}
	return out, nil
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
		b = append(b, rec.Layout.Clang()...)
	}
	return b, nil
}

// blocks remembers about how many bytes and lines the members of records take.
type blocks map[*layout.Layout]block

type block struct{ bytes, lines int64 }

func (s blocks) of(l *layout.Layout) block {
	if n, ok := s[l]; ok || l.Members == nil {
		return n
	}
	var n block
	for i := range l.Members {
		m := &l.Members[i]
		inner := s.of(m.Layout)
		n.bytes += 32 + int64(len(m.Field.Name)+len(m.Field.Type.String())) + inner.bytes + 2*inner.lines // which are indented
		n.lines += 1 + inner.lines
		n = block{min(n.bytes, maxBytes+1), min(n.lines, maxBytes+1)} // they would grow beyond all numbers
	}
	s[l] = n
	return n
}
