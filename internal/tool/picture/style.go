package picture

import "strings"

// Style has the rules of every picture's style element. A page whose policy
// forbids style elements serves them as a file of its own. The colours of the
// cells are Paul Tol's "light" scheme, which people who confuse colours tell
// apart and on which dark text reads well; on a dark background the cells are
// dark and their borders have these colours.
//
// On paper the cells are pale, whatever the screen has, and lines dark: a printer
// without colours makes dots of every fill, and text has to stand on them.
const Style = light + "@media screen and (prefers-color-scheme:dark){\n" + dark + "}\n" + paper

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
const (
	light = `
.ptxabi-picture{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,"Courier New",monospace;font-size:12px}
.ptxabi-picture text{fill:#1a1a1a;stroke:none}
.ptxabi-picture .mid{text-anchor:middle}
.ptxabi-picture .end{text-anchor:end}
.ptxabi-picture .head{font-size:14px;font-weight:bold}
.ptxabi-picture .sans{font-family:system-ui,"DejaVu Sans",Helvetica,Arial,sans-serif}
.ptxabi-picture .s11{font-size:11px}
.ptxabi-picture .dim{fill:#555}
.ptxabi-picture .note{fill:#333}
.ptxabi-picture .page{fill:#fff}
.ptxabi-picture .rule{stroke:#bbb;fill:none}
.ptxabi-picture .free{fill:none;stroke:#bbb}
.ptxabi-picture .pad{fill:#f4f4f4;stroke:#888}
.ptxabi-picture .hatch{stroke:#777;fill:none}
.ptxabi-picture .plain{fill:#f4f4f4;stroke:none}
.ptxabi-picture .tear{fill:none;stroke:#555}
.ptxabi-picture .gone{fill:none;stroke:#555}
.ptxabi-picture .tick{stroke:#222;fill:none}
.ptxabi-picture .c0{fill:#77aadd;stroke:#2d5f93}
.ptxabi-picture .c1{fill:#ee8866;stroke:#a33f1d}
.ptxabi-picture .c2{fill:#eedd88;stroke:#8a7714}
.ptxabi-picture .c3{fill:#44bb99;stroke:#1d6f58}
.ptxabi-picture .c4{fill:#ffaabb;stroke:#b33a55}
.ptxabi-picture .c5{fill:#aaaa00;stroke:#5e5e00}
.ptxabi-picture .c6{fill:#99ddff;stroke:#2683b0}
.ptxabi-picture .c7{fill:#bbcc33;stroke:#6c7813}
.ptxabi-picture .s1>rect{fill-opacity:.72}
.ptxabi-picture .s2>rect{fill-opacity:.5}
.ptxabi-picture .s3>rect{fill-opacity:.86}
.ptxabi-picture .none{fill:none;stroke:#777;stroke-dasharray:3 2}
.ptxabi-picture .hidden{stroke-dasharray:5 3}
.ptxabi-picture .v:hover>rect,.ptxabi-picture .hot>rect{stroke-width:3}
`

	dark = `.ptxabi-picture text{fill:#f2f2f2}
.ptxabi-picture .dim{fill:#b0b4ba}
.ptxabi-picture .note{fill:#dcdcdc}
.ptxabi-picture .page{fill:#14171c}
.ptxabi-picture .rule{stroke:#4a4f57}
.ptxabi-picture .free{stroke:#4a4f57}
.ptxabi-picture .pad{fill:#1f2329;stroke:#7a808a}
.ptxabi-picture .hatch{stroke:#7a808a}
.ptxabi-picture .plain{fill:#1f2329}
.ptxabi-picture .tear{stroke:#b0b4ba}
.ptxabi-picture .gone{stroke:#b0b4ba}
.ptxabi-picture .tick{stroke:#f0f0f0}
.ptxabi-picture .c0{fill:#27476a;stroke:#77aadd}
.ptxabi-picture .c1{fill:#79321a;stroke:#ee8866}
.ptxabi-picture .c2{fill:#5e5316;stroke:#eedd88}
.ptxabi-picture .c3{fill:#124f3e;stroke:#44bb99}
.ptxabi-picture .c4{fill:#7d3448;stroke:#ffaabb}
.ptxabi-picture .c5{fill:#424200;stroke:#aaaa00}
.ptxabi-picture .c6{fill:#275a76;stroke:#99ddff}
.ptxabi-picture .c7{fill:#505a0c;stroke:#bbcc33}
`

	paper = `@media print{
.ptxabi-picture .dim{fill:#333}
.ptxabi-picture .rule{stroke:#777}
.ptxabi-picture .free{stroke:#777}
.ptxabi-picture .pad{fill:#fff;stroke:#333}
.ptxabi-picture .plain{fill:#fff}
.ptxabi-picture .hatch{stroke:#333}
.ptxabi-picture .c0{fill:#bbd5ee}
.ptxabi-picture .c1{fill:#f7c4b3}
.ptxabi-picture .c2{fill:#f7eec4}
.ptxabi-picture .c3{fill:#a2ddcc}
.ptxabi-picture .c4{fill:#ffd5dd}
.ptxabi-picture .c5{fill:#cccc66}
.ptxabi-picture .c6{fill:#cceeff}
.ptxabi-picture .c7{fill:#dde699}
}
`
)

// colours is how many classes c0, c1 … there are, and shades how many shades of each.
const (
	colours = 8
	shades  = 4
)
