package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/lab/golden"
	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/ptx"
	"github.com/ptxabi/ptxabi/resolve"
)

// TestCalls lists the calls of a body: of functions, aliases, through prototypes, lists and
// tables, with variadic tails, in blocks that hide names, and such that do not fit.
func TestCalls(t *testing.T) {
	m := parsed(string(must.Read(t, "testdata/calls.ptx")))
	var b strings.Builder
	for _, c := range resolve.NewTable(m).Calls(m.Items[9].(*ptx.Func)) {
		name := "?"
		if c.Callee != nil {
			name = c.Callee.Name
		}
		fmt.Fprintf(&b, "%s: %v", name, c.Signature)
		if c.Err != nil {
			fmt.Fprintf(&b, "; %v", strings.ReplaceAll(c.Err.Error(), "\n", "; "))
		}
		b.WriteByte('\n')
	}
	golden.Hold(t, "testdata/calls.txt", b.String())
}

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
