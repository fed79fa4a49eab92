// Package picture draws assignments and layouts as SVG: registers, stack and
// parameter blocks as cells, one colour for each value, padding hatched.
//
// A picture is one self-contained svg element: no scripts, no references to
// the outside, and no ids, so that several may stand in one HTML page. Its
// colours follow the reader's preference for light or dark, and are light on
// paper; labels and hatching carry what the colours do. The
// element's title and desc say in words all that the picture shows. The same
// input gives the same bytes.
//
// What belongs to a value carries the attribute data-value, whose forms are
//
//	f0.p1      parameter 1 of function 0
//	f0.r0      its result
//	f0.h       the sret pointer, the address of its result
//	t0.f3      field 3 of record 0, counted as [layout.Layout.Fields] yields them
//	k0.p1.f3   field 3 of parameter 1 of kernel 0
//	k0.p1      that parameter, where its fields are not known
//
// all counted from 0. A cell has data-place and data-bytes, the bytes of the
// value that it shows, where it is a register, and data-bits, half-open and
// counted from the start of the memory area, where it is memory. [Style] has
// the rules for all classes, each beginning with .ptxabi-picture.
package picture

import (
	"fmt"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/resolve"
)

// A Record is a type whose layout is drawn.
type Record struct {
	Name, Kind string // "S", "struct"
	Layout     *layout.Layout
	Param      string   // the .param declaration; "" is not shown
	Notes      []string // lines below the heading
}

// A Kernel is a parameter block drawn field by field.
type Kernel struct {
	Name   string
	Block  abi.Block
	Params []KernelParam
}

// A KernelParam is a parameter of a kernel in its place.
type KernelParam struct {
	Name  string
	Loc   abi.Loc // [abi.Nowhere] for one that is not drawn
	Size  int64   // bytes that are passed
	Notes []string
	// Layout is that of the parameter's type, as it is passed; nil where the
	// places of the fields are not known, so that the parameter is drawn as one.
	Layout *layout.Layout
	Type   string
}

// A Size says what room a picture has.
type Size uint8

const (
	Page   Size = iota // 1080 pixels, with a key beside the memory
	Column             // 648 pixels, without a key
	Phone              // 362 pixels, without a key

	// Parted is added to a size for a page that has the rules in a file of its own and draws only what is in sight: the
	// picture is several svg elements, each a line end after the one before: what stands above all, with the title
	// and desc of all, and each function, record or kernel. Their places are those in the whole picture.
	Parted Size = 1 << 7
)

// canvas returns an empty picture.
func (s Size) canvas() canvas {
	return canvas{shape: shapes[s&^Parted], parted: s&Parted != 0}
}

// Assigned draws functions with their places on t one under the other.
func (s Size) Assigned(t *abi.Target, list []resolve.Assigned) []byte {
	c := s.canvas()
	y := c.targetLine(t, c.margin)
	for i := range list {
		y = c.function(t, i, &list[i], c.section(y))
	}
	title := fmt.Sprintf("Where the parameters and results of %s live on %s", subject(list), t.Name)
	return c.finish(title, y)
}

// subject says whose places are drawn.
func subject(list []resolve.Assigned) string {
	if len(list) == 1 {
		return list[0].Name
	}
	return plural(int64(len(list)), "function")
}

// Layouts draws records, and kernels on the target t, one under the other. T
// may be nil where there are no kernels.
func (s Size) Layouts(t *abi.Target, records []Record, kernels []Kernel) []byte {
	c := s.canvas()
	y := c.layoutLine(c.margin)
	for i := range records {
		y = c.record(i, &records[i], c.section(y))
	}
	for i := range kernels {
		y = c.kernel(t, i, &kernels[i], c.section(y))
	}
	what := plural(int64(len(records)), "type")
	if len(records) == 1 {
		what = records[0].Kind + " " + records[0].Name
	}
	title := "How " + what + " lies in memory, byte by byte"
	if len(records) > 1 {
		title = "How " + what + " lie in memory, byte by byte"
	}
	if len(kernels) > 0 {
		title += fmt.Sprintf(", and the parameters of %s on %s", plural(int64(len(kernels)), "kernel"), t.Name)
	}
	return c.finish(title, y)
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return grouped(n) + " " + word + "s"
}

// grouped writes n with commas between thousands.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
