package picture

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The places of things, in pixels:
//
//	│ margin │ gutter: addresses │ grid: 8 bytes a row │ keyGap │ key │ margin │
//
// A shape says how wide they are. Without a key, the grid goes up to the right
// margin, and lines that are too long are broken.
type shape struct {
	width, margin int
	gridX         int
	bitWidth      int
	perRow        int // registers side by side
	key           bool
}

var shapes = [...]shape{
	Page:   {width: 1080, margin: 16, gridX: 120, bitWidth: 8, perRow: 12, key: true},
	Column: {width: 648, margin: 16, gridX: 120, bitWidth: 8, perRow: 8},
	Phone:  {width: 362, margin: 4, gridX: 102, bitWidth: 4, perRow: 5},
}

func (s *shape) right() int     { return s.width - s.margin }
func (s *shape) gridWidth() int { return rowBits * s.bitWidth }
func (s *shape) keyX() int      { return s.gridX + s.gridWidth() + 24 }
func (s *shape) regWidth() int  { return (s.right() - s.gridX) / s.perRow }

const (
	rowBits    = 64
	laneHeight = 36
	rowGap     = 4
	sectionGap = 26
	lineHeight = 17
)

// A canvas is a picture in the making: the elements drawn, and the text that
// stands for them.
type canvas struct {
	shape
	body []byte
	desc []byte

	parted bool  // see [Parted]
	cuts   []cut // where sections begin

	fields int // of records and kernels drawn so far, long names counted more than once
}

// A cut is where a section begins.
type cut struct{ body, y int }

// section begins one after what ends at y, and returns where it is drawn.
func (c *canvas) section(y int) int {
	c.cuts = append(c.cuts, cut{len(c.body), y + 6})
	return y + sectionGap
}

// finish returns the picture, which ends at y.
func (c *canvas) finish(title string, y int) []byte {
	if !c.parted {
		c.cuts = nil
	}
	end := cut{len(c.body), y + c.margin}
	var dst []byte
	last := cut{}
	for i, next := range append(c.cuts, end) {
		role := `role="img"`
		if i > 0 {
			role = `aria-hidden="true"`
		}
		dst = fmt.Appendf(dst, `<svg xmlns="http://www.w3.org/2000/svg" class="ptxabi-picture" %s width="%d" height="%d" viewBox="0 %d %d %[3]d">`,
			role, c.width, next.y-last.y, last.y, c.width)
		dst = append(dst, '\n')
		if i == 0 {
			dst = fmt.Appendf(dst, "<title>%s</title>\n<desc>%s</desc>\n", escape(title), c.desc)
		}
		if !c.parted {
			dst = append(dst, "<style>"+Style+"</style>\n"...)
		}
		at := ""
		if i > 0 {
			at = fmt.Sprintf(` y="%d"`, last.y)
		}
		dst = fmt.Appendf(dst, `<rect class="page"%s width="%d" height="%d"/>`, at, c.width, next.y-last.y)
		dst = append(dst, '\n')
		dst = append(dst, c.body[last.body:next.body]...)
		dst = append(dst, "</svg>\n"...)
		last = next
	}
	return dst
}

// say adds a line to the text alternative.
func (c *canvas) say(format string, args ...any) {
	c.desc = append(c.desc, escape(fmt.Sprintf(format, args...))...)
	c.desc = append(c.desc, '\n')
}

// open begins a group; attrs are names and values in turn.
func (c *canvas) open(class string, attrs ...string) {
	c.body = fmt.Appendf(c.body, `<g class="%s"`, class)
	for i := 0; i+1 < len(attrs); i += 2 {
		c.body = fmt.Appendf(c.body, ` %s="%s"`, attrs[i], escape(attrs[i+1]))
	}
	c.body = append(c.body, '>')
}

func (c *canvas) close() { c.body = append(c.body, "</g>\n"...) }

// tip adds what is shown where a pointer rests on the group.
func (c *canvas) tip(s string) { c.body = fmt.Appendf(c.body, "<title>%s</title>", escape(s)) }

func (c *canvas) rect(class string, x, y, w, h int) {
	c.body = fmt.Appendf(c.body, `<rect%s x="%d" y="%d" width="%d" height="%d"/>`, attribute(class), x, y, w, h)
}

// attribute is a class as an attribute; "" is none.
func attribute(class string) string {
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

func (c *canvas) path(class, d string) {
	c.body = fmt.Appendf(c.body, `<path class="%s" d="%s"/>`, class, d)
}

// text writes s whole; the caller has made it fit.
func (c *canvas) text(class string, x, y int, s string) {
	c.body = fmt.Appendf(c.body, `<text%s x="%d" y="%d">%s</text>`, attribute(class), x, y, escape(s))
}

// up writes s from below to above, around the point x, y.
func (c *canvas) up(class string, x, y, baseline int, s string) {
	c.body = fmt.Appendf(c.body, `<text class="%s" x="%d" y="%d" transform="rotate(-90 %d %d)">%s</text>`, class, x, y+baseline, x, y, escape(s))
}

// line writes s at the left margin, its tail cut off where it has no room, and
// returns where it stands. Where there is no key, it goes on below itself.
func (c *canvas) line(class string, y, size int, s string) int {
	if len(c.broken(s, c.margin, size)) > 1 {
		y = c.paragraph(class, c.margin, y, size, lineHeight, s)
		c.body = append(c.body, '\n')
		return y
	}
	short := fit(s, c.right()-c.margin, size)
	if short != s {
		c.open("line")
		c.tip(s)
		defer c.close()
	}
	c.text(class, c.margin, y, short)
	c.body = append(c.body, '\n')
	return y
}

// paragraph writes s in as many lines as it is broken into, a step apart, and returns where the last one stands.
func (c *canvas) paragraph(class string, x, y, size, step int, s string) int {
	for i, l := range c.broken(s, x, size) {
		if i > 0 {
			y += step
		}
		c.text(class, x, y, l)
	}
	return y
}

// maxBroken is how many lines one that is too long becomes.
const maxBroken = 5

// broken is s in the lines that it takes from x on where there is no key, and as
// it is where there is one.
func (c *canvas) broken(s string, x, size int) []string {
	if c.key {
		return []string{s}
	}
	lines := wrap(s, c.right()-x, size)
	if len(lines) > maxBroken {
		lines = append(lines[:maxBroken-1], "…")
	}
	return lines
}

// hatch draws diagonals inside of a rectangle, step pixels apart.
func (c *canvas) hatch(x, y, w, h, step int) {
	var d strings.Builder
	for at := step/2 - h/step*step; at < w; at += step {
		// From the lower edge at x+at, up and to the right.
		from, to := max(at, 0), min(at+h, w)
		if to > from {
			fmt.Fprintf(&d, "M%d %dl%d-%d", x+from, y+h-(from-at), to-from, to-from)
		}
	}
	if d.Len() > 0 {
		c.path("hatch", d.String())
	}
}

// columns counts the columns of a monospaced font that s takes.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// runeColumns takes all of a script with wide letters, and what follows it, to
// be wide: text that is too short for its cell does no harm.
func runeColumns(r rune) int {
	if r >= 0x1100 && r != '…' && r != '⋮' && r != '–' {
		return 2
	}
	return 1
}

// room is how many columns of a font of that size go into w pixels. Monospaced
// fonts have letters of 0.55 to 0.61 times their size.
func room(w, size int) int { return w * 100 / (size * 62) }

// fit returns s, or what of its beginning goes into w pixels, with "…"; "" if
// that is nothing.
func fit(s string, w, size int) string {
	n := room(w, size)
	return fitParts(s, n, n-1)
}

// fitName is fit for a name: of a dotted path the end is kept, which says more
// than the beginning, and of another name both.
func fitName(s string, w, size int) string {
	n := room(w, size)
	if strings.ContainsAny(s, ".[") {
		return fitParts(s, n, 0)
	}
	return fitParts(s, n, (n-1)/3)
}

// fitParts returns s, or of what has n columns with the "…" a beginning of head columns and the rest of its end; "" if that
// is nothing.
func fitParts(s string, n, head int) string {
	if columns(s) <= n {
		return s
	}
	if n < 2 {
		return ""
	}
	end, tail := len(s), n-1-head
	for end > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:end])
		if tail -= runeColumns(r); tail < 0 {
			break
		}
		end -= size
	}
	begin := 0
	for begin < end {
		r, size := utf8.DecodeRuneInString(s[begin:])
		if head -= runeColumns(r); head < 0 {
			break
		}
		begin += size
	}
	return s[:begin] + "…" + s[end:]
}

// escape makes s text of XML, for elements and attributes. What does not print
// becomes U+FFFD: control characters, most of which XML does not take, those
// that turn the direction of text, and bytes that are not UTF-8.
func escape(s string) string {
	return entities.Replace(strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s))
}

var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// Style has the rules of every picture's style element. A page whose policy
// forbids style elements serves them as a file of its own. The colours of the
// cells are Paul Tol's "light" scheme, which people who confuse colours tell
// apart and on which dark text reads well; on a dark background the cells are
// dark and their borders have these colours.
//
// On paper the cells are pale, whatever the screen has, and lines dark: a printer
// without colours makes dots of every fill, and text has to stand on them.
var Style = light + "@media screen and (prefers-color-scheme:dark){\n" + dark + "}\n" + paper

// PageStyle returns the style for a page that has its theme as an attribute, since its
// reader may choose another than the system's. What has the class hue and one of a value's is given the value's colours, as
// --fill and --edge.
func PageStyle() string {
	var b strings.Builder
	hues := func(selector, rules string) {
		for rule := range strings.Lines(rules) {
			if hue, ok := strings.CutPrefix(rule, ".ptxabi-picture .c"); ok {
				b.WriteString(selector + ".hue.c" + strings.NewReplacer("fill:", "--fill:", "stroke:", "--edge:").Replace(hue))
			}
		}
	}
	b.WriteString(light)
	hues("", light)
	b.WriteString("@media screen{\n")
	for rule := range strings.Lines(dark) {
		b.WriteString(":root[data-theme=dark] " + rule)
	}
	hues(":root[data-theme=dark] ", dark)
	return b.String() + "}\n" + paper
}

// The rules of [Style]: a rule is a line.
var (
	//go:embed light.css
	light string
	//go:embed dark.css
	dark string
	//go:embed paper.css
	paper string
)

// colours is how many classes c0, c1 … there are, and shades how many shades of each.
const (
	colours = 8
	shades  = 4
)
