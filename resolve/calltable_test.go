package resolve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
