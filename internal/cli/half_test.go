package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/cli/half"
	"github.com/ptxabi/ptxabi/ptx"
)

func TestHalf(t *testing.T) {
	const good = ".func good(.param .b32 x) { ret; }\n"
	for _, test := range []struct {
		name, text string
		sound      []string // with their bodies
		lost, open []string
		outside    int
	}{
		{"a head and a body", good + ".func bad (.param .b32 x, .param .b64 )y) { ret; }\n.func body(.param .b32 x) {\n ret\n }\n.func after() { ret; }", []string{"good", "after"}, []string{"bad"}, []string{"body"}, 0},
		{"no brace before a function", good + ".func open(.param .b32 x) { ret; \n.func after(.param .b32 y) { ret; }", []string{"good", "after"}, nil, []string{"open"}, 0},
		{"no brace at the end", ".func bad(.param .b32 ü);\n" + good + ".func open(.param .b32 x) { ret; ", []string{"good"}, []string{"bad"}, []string{"open"}, 0},
		{"outside, and without a name", "foo bar;\n" + good + ".func .b32 x) { ret; }", []string{"good"}, nil, nil, 2},
		{"a declaration", good + ".extern .func bad(.param .b32 );\n.extern .func also(.param .b32 x);", []string{"good"}, []string{"bad"}, nil, 0},
	} {
		m, _ := ptx.ParseString("x.ptx", ".version 7.8\n.target sm_80\n"+test.text)
		h := half.Of(m, m.Errors)
		var sound []string
		for _, it := range h.Sound.Items {
			if f, ok := it.(*ptx.Func); ok && f.HasBody {
				sound = append(sound, f.Name)
			}
		}
		assert.Equal(t, test.sound, sound, test.name)
		assert.Equal(t, test.lost, h.Lost, test.name)
		assert.Equal(t, test.open, h.Open, test.name)
		assert.Len(t, h.Outside, test.outside, test.name)

		again, err := ptx.ParseString("x.ptx", string(h.Text()))
		require.NoError(t, err, test.name)
		var places []string
		for _, m := range []*ptx.Module{h.Sound, again} {
			var all []string
			for _, it := range m.Items {
				if f, ok := it.(*ptx.Func); ok {
					all = append(all, fmt.Sprintf("%s %v %v", f.Name, f.Pos, f.HasBody))
				}
			}
			places = append(places, strings.Join(all, ", "))
		}
		assert.Equal(t, places[0], places[1], test.name)
	}
}
