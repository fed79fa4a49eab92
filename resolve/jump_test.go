package resolve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/resolved"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// What ptxas 11.8 to 13.5 take for a table of functions in a call, and what not.
func TestCallTable(t *testing.T) {
	for decl, want := range map[string]string{
		".global .u64 t[2] = {f, g}":                              "f g",
		".const .u64 t[] = { f , /* and */ g }":                   "f g",
		".global .u32 t[3] = {f}":                                 "f",
		".global .u64 t[2] = {f, f}":                              "f",
		".global .u8 t[8] = {0xff(f), 0xff00(f), 0xff0000 ( g )}": "f g",
		".global .u64 t[1]":                                       "",
		".global .u64 t = f":                                      "",
		".global .u64 t[2] = {f, 0}":                              "",
		".global .u64 t[1] = {f+8}":                               "",
		".global .u64 t[1] = {}":                                  "",
		".global .u64 t[1] = {generic(f)}":                        "",
		".global .u64 t[1][2] = {{f, g}}":                         "",
		".global .b64 t[1] = {f}":                                 "",
		".shared .u64 t[1] = {f}":                                 "",
		".global .u8 t[1] = {0xff(1)}":                            "",
	} {
		m := parse(t, decl+";")
		d := m.Items[0].(*ptx.Decl)
		got := ""
		if l := resolve.CallTable(&d.Spec, &d.Vars[0]); l != nil {
			for _, o := range l.Names {
				got += " " + o.Text
			}
		}
		assert.Equal(t, want, strings.TrimSpace(got), decl)
	}
}

// A range overlaps the names that ptxas takes for its own, and those alone.
func TestOverlap(t *testing.T) {
	for _, tt := range []struct {
		before, decl string
		want         bool
	}{
		{"a<3>", "a1", true},
		{"a<3>", "a01", true},
		{"a<3>", "a3", false},
		{"a<3>", "a", false},
		{"a<3>", "a1<2>", false},
		{"a1", "a<3>", true},
		{"%r2", "%r<3>", true},
		{"%r3", "%r<3>", false},
		{"%r1x", "%r<3>", false},
	} {
		m := parse(t, ".func f() { .reg .b32 "+tt.before+"; .reg .b32 "+tt.decl+"; { .reg .b32 "+tt.decl+"; } ret; }")
		body := m.Items[0].(*ptx.Func).Body
		var s resolved.Scope
		s.Reset()
		s.Declare(body[0])
		v := &body[1].(*ptx.Decl).Vars[0]
		assert.Equal(t, tt.want, s.Overlap(v) != nil, tt)
		s.Open()
		assert.Nil(t, s.Overlap(v), "in an inner block: %v", tt)
		s.Close()
		assert.Equal(t, tt.want, s.Overlap(v) != nil, tt)
	}
}
