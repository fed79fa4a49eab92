package picture_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	stdtesting "testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/abi"
	"github.com/ptxabi/ptxabi/internal/tool/picture"
	"github.com/ptxabi/ptxabi/layout"
	"github.com/ptxabi/ptxabi/resolve"
)

// schemes are the rules for light screens, and with those of dark screens or of
// paper over them: properties by class.
func schemes(t testing) map[string]map[string]string {
	t.Helper()
	light, dark, ok := strings.Cut(picture.Style, "@media screen and (prefers-color-scheme:dark){")
	require.True(t, ok)
	dark, paper, ok := strings.Cut(dark, "@media print{")
	require.True(t, ok)
	rule := regexp.MustCompile(`\.ptxabi-picture \.?(\w+)\{([^}]*)\}`)
	of := func(css string) map[string]string {
		out := map[string]string{}
		for _, m := range rule.FindAllStringSubmatch(css, -1) {
			for p := range strings.SplitSeq(m[2], ";") {
				name, value, _ := strings.Cut(p, ":")
				out[m[1]+" "+name] = value
			}
		}
		return out
	}
	return map[string]map[string]string{"light": of(light), "dark": of(light + dark), "paper": of(light + paper)}
}

// A rgb is a colour in linear light, each part from 0 to 1.
type rgb [3]float64

func colour(t testing, s string) rgb {
	t.Helper()
	s, ok := strings.CutPrefix(s, "#")
	require.True(t, ok, "%q is no colour", s)
	if len(s) == 3 {
		s = string([]byte{s[0], s[0], s[1], s[1], s[2], s[2]})
	}
	require.Len(t, s, 6)
	var c rgb
	for i := range c {
		v, err := strconv.ParseUint(s[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		if u := float64(v) / 255; u <= 0.04045 {
			c[i] = u / 12.92
		} else {
			c[i] = math.Pow((u+0.055)/1.055, 2.4)
		}
	}
	return c
}

func (c rgb) times(m [3]rgb) (out rgb) {
	for i := range m {
		out[i] = m[i][0]*c[0] + m[i][1]*c[1] + m[i][2]*c[2]
	}
	return out
}

// contrast is that of WCAG 2: from 1 to 21.
func contrast(a, b rgb) float64 {
	light := func(c rgb) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] + 0.05 }
	return max(light(a)/light(b), light(b)/light(a))
}

// distance is the Euclidean one in CIE Lab.
func distance(a, b rgb) float64 {
	lab := func(c rgb) rgb {
		xyz := c.times([3]rgb{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}})
		for i, white := range (rgb{0.9505, 1, 1.089}) {
			if v := xyz[i] / white; v > 0.008856 {
				xyz[i] = math.Cbrt(v)
			} else {
				xyz[i] = 7.787*max(v, 0) + 16.0/116
			}
		}
		return rgb{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
	}
	p, q := lab(a), lab(b)
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// sights are what eyes make of colours in linear light: the matrices of
// Machado, Oliveira and Fernandes (2009) for full severity.
var sights = []struct {
	name string
	m    [3]rgb
}{
	{"all colours", [3]rgb{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protanopia", [3]rgb{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
	{"deuteranopia", [3]rgb{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
	{"tritanopia", [3]rgb{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}

// TestColours checks that text can be read on every cell, and that the cells
// of different values look different, to all eyes, in their fill or border.
func TestColours(t *stdtesting.T) {
	for scheme, rules := range schemes(t) {
		get := func(name string) rgb {
			require.Contains(t, rules, name, scheme)
			return colour(t, rules[name])
		}
		grounds := []string{"page fill", "pad fill", "plain fill"}
		for i := range 8 {
			grounds = append(grounds, fmt.Sprintf("c%d fill", i))
		}
		for _, g := range grounds {
			assert.GreaterOrEqual(t, contrast(get("text fill"), get(g)), 6.5, "%s: text on %s", scheme, g)
			assert.GreaterOrEqual(t, contrast(get("note fill"), get(g)), 4.5, "%s: notes on %s", scheme, g)
		}
		assert.GreaterOrEqual(t, contrast(get("dim fill"), get("page fill")), 4.5, scheme)
		for i := range 8 {
			assert.GreaterOrEqual(t, contrast(get(fmt.Sprintf("c%d stroke", i)), get("page fill")), 3.0, "%s: border of c%d", scheme, i)
			for j := range i {
				for _, sight := range sights {
					of := func(class int, what string) rgb {
						c := get(fmt.Sprintf("c%d %s", class, what)).times(sight.m)
						for k := range c {
							c[k] = min(max(c[k], 0), 1)
						}
						return c
					}
					fill := distance(of(i, "fill"), of(j, "fill"))
					border := distance(of(i, "stroke"), of(j, "stroke"))
					assert.GreaterOrEqual(t, max(fill, border), 10.0, "%s, %s: c%d and c%d", scheme, sight.name, i, j)
				}
			}
		}
	}
}

// TestPaper checks that a print without colours can be read: text on what grey
// the cells become, and the hatching of padding, which no cell is as pale as.
func TestPaper(t *stdtesting.T) {
	rules := schemes(t)["paper"]
	get := func(name string) rgb { return colour(t, rules[name]) }
	for i := range 8 {
		fill, border := get(fmt.Sprintf("c%d fill", i)), get(fmt.Sprintf("c%d stroke", i))
		assert.GreaterOrEqual(t, contrast(get("text fill"), fill), 9.5, "text on c%d", i)
		assert.GreaterOrEqual(t, contrast(get("note fill"), fill), 7.0, "notes on c%d", i)
		assert.GreaterOrEqual(t, contrast(border, fill), 2.5, "the border of c%d", i)
		assert.GreaterOrEqual(t, contrast(get("pad fill"), fill), 1.08, "padding beside c%d", i)
	}
	assert.GreaterOrEqual(t, contrast(get("hatch stroke"), get("pad fill")), 12.0)
	assert.GreaterOrEqual(t, contrast(get("dim fill"), get("page fill")), 12.0)
}

// TestStyle checks that every rule is a picture's alone, since pages have it
// among theirs, and that each class drawn has a rule.
func TestStyle(t *stdtesting.T) {
	for line := range strings.Lines(picture.Style) {
		line = strings.TrimSpace(line)
		if line == "" || line == "}" || strings.HasPrefix(line, "@media ") {
			continue
		}
		selectors, _, ok := strings.Cut(line, "{")
		require.True(t, ok, line)
		for s := range strings.SplitSeq(selectors, ",") {
			assert.True(t, strings.HasPrefix(s, ".ptxabi-picture"), line)
		}
	}
	row := target(t, "sm_80")
	sig := abi.Signature{Params: []abi.Value{{Size: 2}, {Size: 0}, {Size: 70}}, Results: []abi.Value{{Size: 60}}}
	a, err := abi.Assign(sig, row)
	require.NoError(t, err)
	l, err := layout.Of(&layout.Record{Name: "S", Align: 256, Fields: []layout.Field{
		{Name: "b", Type: layout.Scalar{Kind: layout.Int}, BitField: true, Bits: 1},
	}}, layout.LP64)
	require.NoError(t, err)
	f := function(sig, a)
	drawn := append(read(t, picture.Page.Assigned(row, []resolve.Assigned{f})).all(),
		read(t, picture.Page.Layouts(nil, []picture.Record{{Name: "S", Kind: "struct", Layout: &l}}, nil)).all()...)
	groups := strings.Fields("function record area key line registers padding ptxabi-picture split v edge") // drawn by what is in them
	for _, n := range drawn {
		for class := range strings.FieldsSeq(n.attrs["class"]) {
			if !strings.Contains(strings.Join(groups, " ")+" ", class+" ") {
				assert.Regexp(t, `\.`+class+`[{,: >]`, picture.Style)
			}
		}
	}
}

// TestSmallest checks that no text of a picture is smaller than 11 pixels.
func TestSmallest(t *stdtesting.T) {
	sizes := regexp.MustCompile(`font-size:(\d+)px`).FindAllStringSubmatch(picture.Style, -1)
	require.NotEmpty(t, sizes)
	for _, m := range sizes {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		assert.GreaterOrEqual(t, n, 11)
	}
}
