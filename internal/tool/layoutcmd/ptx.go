package layoutcmd

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/ptxabi/ptxabi/layout"
)

// A Line is one of the listing of [Result.Lines].
type Line struct {
	Kind   LineKind
	Text   string
	Record int      // what it belongs to, an index of Records; -1 for none
	Fields []string // of an access, the paths of those that it loads
}

// A LineKind says what a [Line] is.
type LineKind uint8

// The kinds of lines.
const (
	BlankLine  LineKind = iota
	FormalLine          // the declaration of a formal
	LoadLine            // an access
	CommentLine
)

// String returns the line as it is printed, without its end.
func (l Line) String() string {
	if l.Kind == LoadLine {
		return l.Text + "  // " + strings.Join(l.Fields, ", ")
	}
	return l.Text
}

// Lines declares a formal for each record and lists the accesses that load it,
// merged into vectors where alignment allows.
func (r *Result) Lines() ([]Line, error) {
	var b listing
	for i, rec := range r.Records {
		if i > 0 {
			b.add(Line{Record: -1})
		}
		b.add(Line{Kind: FormalLine, Text: rec.Param.String() + ";", Record: i})
		if rec.Param.Indirect {
			b.add(Line{Kind: CommentLine, Text: "// the address of " + rec.Name, Record: i})
			continue
		}
		if rec.Doubt != "" {
			b.add(Line{Kind: CommentLine, Text: "// " + rec.Doubt, Record: i})
		}
		if cut(rec.Param, rec.passed) && r.Producer == layout.NVCC {
			continue
		}
		if err := r.accesses(&b, i); err != nil {
			return nil, err
		}
	}
	return b.lines, nil
}

// ptx writes the lines.
func (r *Result) ptx() ([]byte, error) {
	lines, err := r.Lines()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.Bytes(), nil
}

// A listing is lines, and how many bytes they have.
type listing struct {
	lines []Line
	bytes int
}

func (b *listing) add(l Line) {
	b.bytes += len(l.String()) + 1
	b.lines = append(b.lines, l)
}

// accesses adds those of the record i, up to the bounds of a listing.
func (r *Result) accesses(b *listing, i int) error {
	rec := r.Records[i]
	list, err := r.leaves(rec.passed)
	if err != nil {
		return err
	}
	ends := endsOf(list)
	n := 0
	seen := make(map[string]bool)
	for a := range rec.passed.Groups(rec.Param.Align) {
		for k := range a.Count {
			off := a.Off + k*a.Size
			access := fmt.Sprintf("ld.param%s %s, [%s+%d];", a.Type, registers(a.Type), rec.Param.Name, off)
			if seen[access] {
				continue // it loads another member of a union, too
			}
			seen[access] = true
			// Fields are in the order of their offsets, and no others than these have bytes in the access.
			from := sort.Search(len(ends), func(i int) bool { return ends[i] > off })
			to := from + sort.Search(len(list)-from, func(i int) bool { return list[from+i].Start()/8 >= off+a.Size })
			n, r.used.lines, r.used.steps = n+1, r.used.lines+1, r.used.steps+to-from
			if n > maxLoads || r.used.lines > maxLines || r.used.steps > maxSteps || b.bytes > maxBytes/4 {
				text := fmt.Sprintf("// more loads, from byte %d of %d on, are left out", off, rec.passed.Size)
				b.add(Line{Kind: CommentLine, Text: text, Record: i})
				return nil
			}
			l := Line{Kind: LoadLine, Text: access, Record: i}
			for _, f := range list[from:to] {
				if first, last := extent(&f); first < off+a.Size && off < last {
					l.Fields = append(l.Fields, f.Path)
				}
			}
			b.add(l)
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

// endsOf is the largest end of the fields up to each.
func endsOf(list []layout.Leaf) []int64 {
	ends := make([]int64, len(list))
	end := int64(0)
	for i := range list {
		_, last := extent(&list[i])
		end = max(end, last)
		ends[i] = end
	}
	return ends
}

// registers spells the destination of an access: placeholders by number.
func registers(typ string) string {
	switch {
	case strings.HasPrefix(typ, ".v2"):
		return "{%0, %1}"
	case strings.HasPrefix(typ, ".v4"):
		return "{%0, %1, %2, %3}"
	}
	return "%0"
}
