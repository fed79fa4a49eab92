package images

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/ptxabi/ptxabi/internal/cli/jsonline"
	"github.com/ptxabi/ptxabi/internal/core/prose"
	"github.com/ptxabi/ptxabi/internal/source/cxxname"
)

// An Image is one of a file, with the functions that were chosen.
type Image struct {
	Name      string // with the file's: "x.so(0x1a40)"
	Kind      string // "cubin" or "ptx"
	Target    string
	Assumed   string // the target that its facts are taken over from; "" if they were measured
	Functions []Function
	More      int // functions that were left out
}

// AppendJSON appends the image as an object, a function a line; head stands before its properties.
func AppendJSON(dst []byte, head string, m *Image) []byte {
	dst = append(dst, '{')
	dst = append(dst, head...)
	for _, p := range [...][2]string{{"image", m.Name}, {"kind", m.Kind}, {"target", m.Target}} {
		dst = fmt.Appendf(dst, "%q: ", p[0])
		dst = append(jsonline.Encode(dst, p[1], ""), ", "...)
	}
	if m.Assumed != "" {
		dst = append(dst, `"assumed": true, `...)
	}
	dst = append(dst, `"functions": [`...)
	for i := range m.Functions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonline.Encode(append(dst, "\n  "...), &m.Functions[i], "")
	}
	return append(dst, "]}"...)
}

// Rows are the table of a function for people: a head, and a row for each value. Nil if there are none.
func (f *Function) Rows() [][]string {
	if len(f.Params)+len(f.Returns) == 0 {
		return nil
	}
	rows := [][]string{{"", "name", "where", "offset", "size", "align", "space", "type", "from", "declared"}}
	for _, side := range [...]struct {
		role   string
		values []Value
	}{{"param", f.Params}, {"result", f.Returns}} {
		for i := range side.values {
			v := &side.values[i]
			offset, align, where := "-", "-", v.place.String()
			if v.Offset != nil {
				offset = strconv.Itoa(*v.Offset)
			}
			if v.Align > 0 {
				align = strconv.Itoa(v.Align)
			}
			if v.Location.Kind == "unknown" {
				where = "unknown"
			}
			rows = append(rows, []string{
				side.role, cmp.Or(strings.TrimPrefix(v.Name, f.Name+"_"), "-"), where, offset, strconv.Itoa(v.Size), align, "." + v.Space, cmp.Or(v.Type, "-"), string(v.Source), v.Declared,
			})
		}
	}
	return rows
}

// Head is the line before the table.
func (f *Function) Head() string {
	s := f.Kind + " " + f.Name
	if name := cxxname.Full(f.Name); name != f.Name {
		s += ", " + cxxname.Cut(name, nameRoom)
	}
	var about []string
	if f.Line > 0 {
		about = append(about, fmt.Sprintf("line %d", f.Line))
	}
	switch {
	case f.Block != nil:
		about = append(about, fmt.Sprintf("%s of parameters from c[0x%x][0x%x]", prose.Count(f.Block.Size, "byte"), f.bank, f.Block.Base))
	case f.StackBytes == nil:
		about = append(about, "its places depend on alignments, which objects do not record: assign its PTX")
	case *f.StackBytes > 0:
		about = append(about, fmt.Sprintf("%s of stack", prose.Count(*f.StackBytes, "byte")))
	}
	if f.PTX != "" {
		about = append(about, "names from PTX for "+f.PTX)
	}
	if about == nil {
		return s
	}
	return s + ": " + strings.Join(about, ", ")
}

// nameRoom is how many characters a name for people has at most.
const nameRoom = 100
