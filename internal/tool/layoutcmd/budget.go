package layoutcmd

import (
	"fmt"
	"strings"

	"github.com/ptxabi/ptxabi/internal/source/cdecl"
	"github.com/ptxabi/ptxabi/layout"
)

// A listing can be far longer than the declarations that it is of. These bound
// what is listed for one record, and for all.
const (
	maxLeaves = 1 << 18 // fields of one record
	maxListed = 1 << 21 // steps to the fields of all records: see leaves
	maxLoads  = 1 << 16 // accesses of one record
	maxLines  = 1 << 18 // accesses of all records
	maxBytes  = 1 << 25 // of text
	maxSteps  = 1 << 26 // looks for the fields that accesses load
)

// A budget is what a listing has used up of its bounds.
type budget struct {
	lines, steps  int
	listed, bytes int64
}

// nameStep is how many bytes of a name take a step more.
const nameStep = 64

// leaves lists the fields of a record, unless that takes too long: a field is named with all records around it.
func (r *Result) leaves(l *layout.Layout) ([]layout.Leaf, error) {
	var out []layout.Leaf
	for f := range l.Fields() {
		if len(out) == maxLeaves {
			return nil, fmt.Errorf("%s has more than %d fields", l.Type, maxLeaves)
		}
		if !r.used.spend(int64(2 + strings.Count(f.Path, ".") + strings.Count(f.Path, "[") + len(f.Path)/nameStep)) {
			return nil, fmt.Errorf("the fields are too many to list up to those of %s; -type chooses types", l.Type)
		}
		out = append(out, f)
	}
	return out, nil
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
	var b []byte
	for _, rec := range r.Records {
		if b = append(b, cdecl.Dump(rec.Layout, maxBytes-len(b))...); len(b) > maxBytes {
			return nil, fmt.Errorf("the records within %s are too many to list; -type chooses types", rec.Name)
		}
	}
	return b, nil
}
