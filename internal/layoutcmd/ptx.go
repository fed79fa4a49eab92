package layoutcmd

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// ptx writes the declaration of each record and the accesses that load it,
// merged into vectors where alignment allows.
func (r *Result) ptx() ([]byte, error) {
	var b strings.Builder
	for i, rec := range r.Records {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s;\n", rec.Param)
		if rec.Param.Indirect {
			fmt.Fprintf(&b, "// the address of %s\n", rec.Name)
			continue
		}
		if rec.Doubt != "" {
			fmt.Fprintf(&b, "// %s\n", rec.Doubt)
		}
		if cut(rec.Param, rec.passed) && r.Producer == layout.NVCC {
			continue
		}
		if err := r.accesses(&b, rec); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

// accesses writes those of a record, up to the bounds of a listing.
func (r *Result) accesses(b *strings.Builder, rec *Record) error {
	list, err := r.leaves(rec.passed)
	if err != nil {
		return err
	}
	in := newBytesOf(list)
	n := 0
	for a := range rec.passed.Groups(rec.Param.Align) {
		for i := range a.Count {
			off := a.Off + i*a.Size
			from, to := in.around(off, a.Size)
			n, r.used.lines, r.used.steps = n+1, r.used.lines+1, r.used.steps+to-from
			if n > maxLoads || r.used.lines > maxLines || r.used.steps > maxSteps || b.Len() > maxBytes {
				fmt.Fprintf(b, "// more loads, from byte %d of %d on, are left out\n", off, rec.passed.Size)
				return nil
			}
			fmt.Fprintf(b, "ld.param%s %s, [%s+%d];", a.Type, registers(a.Type), rec.Param.Name, off)
			var names []string
			for k := from; k < to; k++ {
				if first, last := extent(&list[k]); first < off+a.Size && off < last {
					names = append(names, list[k].Path)
				}
			}
			fmt.Fprintf(b, "  // %s\n", strings.Join(names, ", "))
		}
	}
	return nil
}

// extent returns the bytes that a field touches.
func extent(f *layout.Leaf) (first, last int64) {
	if f.BitWidth > 0 {
		return f.Start() / 8, (f.Start() + f.BitWidth + 7) / 8
	}
	return f.Start() / 8, f.Offset + f.Size
}

// bytesOf finds the fields that have a byte.
type bytesOf struct {
	ends   []int64 // the largest end up to each field
	begins []int64 // the least beginning from each field on
}

func newBytesOf(list []layout.Leaf) bytesOf {
	in := bytesOf{make([]int64, len(list)), make([]int64, len(list))}
	end := int64(0)
	for i := range list {
		_, last := extent(&list[i])
		end = max(end, last)
		in.ends[i] = end
	}
	begin := int64(1 << 62)
	for i := range slices.Backward(list) {
		first, _ := extent(&list[i])
		begin = min(begin, first)
		in.begins[i] = begin
	}
	return in
}

// around returns a run of fields, no others of which have bytes in
// [off, off+size).
func (in *bytesOf) around(off, size int64) (from, to int) {
	from = sort.Search(len(in.ends), func(i int) bool { return in.ends[i] > off })
	to = sort.Search(len(in.begins), func(i int) bool { return in.begins[i] >= off+size })
	return from, max(from, to)
}

// registers spells the destination of an access: placeholders by number.
func registers(typ string) string {
	n := 1
	switch {
	case strings.HasPrefix(typ, ".v2"):
		n = 2
	case strings.HasPrefix(typ, ".v4"):
		n = 4
	default:
		return "%0"
	}
	var s []string
	for i := range n {
		s = append(s, fmt.Sprintf("%%%d", i))
	}
	return "{" + strings.Join(s, ", ") + "}"
}
