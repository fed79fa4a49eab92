package picture_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
)

// A testing is a test, or a try of rapid's.
type testing interface {
	require.TestingT
	Helper()
}

// A node is an element of a picture.
type node struct {
	name     string
	attrs    map[string]string
	text     string // of the element itself
	children []*node
}

// read parses a picture.
func read(t testing, svg []byte) *node {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(string(svg)))
	root := &node{}
	open := []*node{root}
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		top := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				n.attrs[a.Name.Local] = a.Value
			}
			top.children = append(top.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.text += string(token)
		case xml.Comment, xml.ProcInst, xml.Directive:
			require.Fail(t, "a picture has elements and text alone", "%v", token)
		}
	}
	require.Len(t, root.children, 1)
	return root.children[0]
}

// all returns n and what is below it, in order.
func (n *node) all() []*node {
	out := []*node{n}
	for _, c := range n.children {
		out = append(out, c.all()...)
	}
	return out
}

func (n *node) has(class string) bool {
	return slices.Contains(strings.Fields(n.attrs["class"]), class)
}

// find returns the elements of a class below n.
func (n *node) find(class string) []*node {
	return slices.DeleteFunc(n.all(), func(c *node) bool { return !c.has(class) })
}

// child returns the first child of that name.
func (n *node) child(t testing, name string) *node {
	t.Helper()
	i := slices.IndexFunc(n.children, func(c *node) bool { return c.name == name })
	require.GreaterOrEqual(t, i, 0, "no %s in %v", name, n.attrs)
	return n.children[i]
}

func (n *node) num(t testing, attr string) int {
	t.Helper()
	v, err := strconv.Atoi(n.attrs[attr])
	require.NoError(t, err, "%s of %v", attr, n.attrs)
	return v
}

// The places of things, as a reader with a ruler finds them.
const (
	leftEdge    = 120 // of the grid and of the registers
	pixelsOfBit = 8
	regPixels   = 78
	laneHeight  = 36
)

// A drawn is a run of bits that an area shows, at absolute addresses: of a
// value, or of padding where value is "". Split are rows left out.
type drawn struct {
	value       string
	first, end  int64
	split       bool
	low, height int // pixels, of the cell
}

var number = regexp.MustCompile(`(0x[0-9a-f]+|[0-9]+)\]?$`)

// memory reads an area by its pixels: the addresses at the side of the rows and
// the places of the cells.
func memory(t testing, area *node) []drawn {
	t.Helper()
	type row struct {
		top     int
		address int64
	}
	var rows []row
	for _, c := range area.children {
		if c.name == "text" && c.has("end") {
			text := number.FindStringSubmatch(c.text)
			require.NotNil(t, text, c.text)
			address, err := strconv.ParseInt(text[1], 0, 64)
			require.NoError(t, err)
			rows = append(rows, row{c.num(t, "y") - 22, address})
		}
	}
	require.NotEmpty(t, rows)
	var out []drawn
	for _, c := range area.children {
		if c.name != "g" {
			continue
		}
		d := drawn{value: c.attrs["data-value"], split: c.has("split") || c.has("gone")}
		_, err := fmt.Sscanf(c.attrs["data-bits"], "%d:%d", &d.first, &d.end)
		require.NoError(t, err)
		base := rows[0].address * 8 // of the area
		d.first, d.end = d.first+base, d.end+base
		if !d.split {
			rect := c.child(t, "rect")
			x, y, w := rect.num(t, "x"), rect.num(t, "y"), rect.num(t, "width")
			at := slices.IndexFunc(rows, func(r row) bool { return y < r.top })
			if at < 0 {
				at = len(rows)
			}
			require.Positive(t, at)
			left := rows[at-1].address / 8 * 64
			require.Zero(t, (x-leftEdge)%pixelsOfBit)
			require.Zero(t, w%pixelsOfBit)
			first := left + int64((x-leftEdge)/pixelsOfBit)
			assert.Equal(t, d.first, first, "the place of a cell is not what it says: %v", c.attrs)
			assert.Equal(t, d.end, first+int64(w/pixelsOfBit), "%v", c.attrs)
			d.low, d.height = y, rect.num(t, "height")
			assert.Zero(t, (y-rows[at-1].top)%laneHeight)
		}
		out = append(out, d)
	}
	return out
}

// bitsOf returns the runs of bits of one value, joined where they touch.
func bitsOf(list []drawn, value string) [][2]int64 {
	var out [][2]int64
	for _, d := range list {
		if d.value != value {
			continue
		}
		if n := len(out); n > 0 && out[n-1][1] == d.first {
			out[n-1][1] = d.end
		} else {
			out = append(out, [2]int64{d.first, d.end})
		}
	}
	return out
}

// registersOf reads a row of registers by its pixels, "R4 f0.p0 0:4", and
// requires that those of a target are drawn, in order, from left to right and
// then downwards: one by one up to the last that holds something, and the rest as one cell.
func registersOf(t testing, row *node, target *abi.Target) []string {
	t.Helper()
	type name struct {
		x, y int
		text string
	}
	var names []name
	for _, c := range row.children {
		if c.name == "text" && c.has("mid") {
			names = append(names, name{c.num(t, "x"), c.num(t, "y"), c.text})
		}
	}
	first, last := int(target.Passing.First), int(target.Passing.First)+target.Passing.Count-1
	if n := len(names); n > 0 && names[n-1].text == "free" {
		from := first + n - 2
		rest := fmt.Sprintf("R%d to R%d", from, last)
		if from == last {
			rest = fmt.Sprintf("R%d", last)
		}
		assert.Equal(t, rest, names[n-2].text)
		names = names[:n-2]
	} else {
		assert.Len(t, names, target.Passing.Count)
	}
	require.NotEmpty(t, names)
	for i, n := range names {
		assert.Equal(t, fmt.Sprintf("R%d", int(target.Passing.First)+i), n.text)
		if i > 0 {
			assert.True(t, n.y > names[i-1].y || n.y == names[i-1].y && n.x > names[i-1].x, n.text)
		}
	}
	var out []string
	for _, c := range row.children {
		if c.name != "g" {
			continue
		}
		rect := c.child(t, "rect")
		x, y := rect.num(t, "x"), rect.num(t, "y")
		require.Zero(t, (x-leftEdge)%regPixels)
		i := slices.IndexFunc(names, func(n name) bool { return n.x == x+regPixels/2 && n.y == y-4 })
		require.GreaterOrEqual(t, i, 0, "no register's name above the cell at %d, %d", x, y)
		assert.Equal(t, names[i].text, c.attrs["data-place"])
		out = append(out, fmt.Sprintf("%s %s %s", names[i].text, c.attrs["data-value"], c.attrs["data-bytes"]))
	}
	return out
}

// sizes are the heights of letters by class.
var sizes = map[string]int{"s11": 11, "head": 14}

// checkText requires that no text leaves its cell or the picture.
func checkText(t testing, root *node) {
	t.Helper()
	var visit func(n, cell *node)
	visit = func(n, cell *node) {
		for _, c := range n.children {
			if c.name == "rect" && (n.has("v") || n.has("padding")) {
				cell = c
				break
			}
		}
		for _, c := range n.children {
			if c.name == "text" {
				fits(t, root, n, cell, c)
			}
			visit(c, nil)
		}
	}
	visit(root, nil)
}

// columns is how wide a text is at most, in letters.
func columns(s string) float64 {
	n := 0.0
	for _, r := range s {
		if n++; unicode.Is(unicode.Han, r) {
			n++
		}
	}
	return n
}

func fits(t testing, root, group, cell, text *node) {
	t.Helper()
	size := 12
	for class, s := range sizes {
		if text.has(class) {
			size = s
		}
	}
	long := float64(size) * 0.61 * columns(text.text)
	x := text.num(t, "x")
	from, to := float64(x), float64(x)+long
	switch {
	case text.has("mid"):
		from, to = from-long/2, to-long/2
	case text.has("end"):
		from, to = from-long, to-long
	}
	low, high := 0, root.num(t, "width")
	if cell != nil && cell.num(t, "width") != 12 { // no swatch of a key
		low = cell.num(t, "x")
		high = low + cell.num(t, "width")
		if text.attrs["transform"] != "" {
			from, to = 0, long
			low, high = 0, cell.num(t, "height")
		}
	}
	assert.GreaterOrEqual(t, from, float64(low), "%q in %v", text.text, group.attrs)
	assert.LessOrEqual(t, to, float64(high), "%q in %v", text.text, group.attrs)
}
