package picture

import (
	_ "embed"
	"strings"
)

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
