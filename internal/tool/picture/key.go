package picture

import "fmt"

// An entry is a line of a key: what a value is called, and where it is.
type entry struct {
	value   string // data-value
	first   int64  // bit of the area
	colour  int
	nowhere bool
	cells   []string // one for each column
	tip     string
}

// A column of a key.
type column struct {
	title string
	width int // pixels
	path  bool
}

// maxKey is how many values a key lists.
const maxKey = 40

// key draws a table of values at x, y and returns where it ends.
func (c *canvas) legend(columns []column, list []entry, x, y int, what string) int {
	if len(list) == 0 || !c.shape.key {
		return y
	}
	c.open("key")
	at := x + 20
	for _, col := range columns {
		c.text("sans s11 dim", at, y+9, col.title)
		at += col.width
	}
	y += 14
	for i := range list {
		if i == maxKey && len(list) > maxKey+1 {
			c.text("sans s11 dim", x+20, y+12, fmt.Sprintf("… and %s", plural(int64(len(list)-i), "more "+what)))
			y += lineHeight
			break
		}
		c.entry(&list[i], columns, x, y)
		y += lineHeight
	}
	c.close()
	return y
}

func (c *canvas) entry(e *entry, columns []column, x, y int) {
	class := class(e.colour)
	if e.nowhere {
		class = "v none"
	}
	c.open(class, "data-value", e.value)
	c.tip(e.tip)
	c.rect("", x, y+2, 12, 12)
	at := x + 20
	for i, col := range columns {
		text := fit(e.cells[i], col.width-7, 11)
		if col.path {
			text = fitName(e.cells[i], col.width-7, 11)
		}
		if text != "" {
			c.text("s11", at, y+12, text)
		}
		at += col.width
	}
	c.close()
}
