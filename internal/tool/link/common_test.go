package link_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/tool/link"
)

// TestCommon holds what is said of a common variable beside another definition against what nvlink 11.8, 12.4 and 13.5
// say of the pair: "refused" by all, "warned" where they differ or one crashes, "taken" by all.
func TestCommon(t *testing.T) {
	for pair, want := range map[[2]string]string{
		{"visible 8", "common 8"}: "warned", {"visible 8", "common 16"}: "refused", {"visible 16", "common 8"}: "refused",
		{"weak 8", "common 8"}: "taken", {"weak 8", "common 16"}: "refused", {"weak 16", "common 8"}: "refused",
		{"common 8", "visible 8"}: "taken", {"common 8", "visible 16"}: "refused", {"common 16", "visible 8"}: "refused",
		{"common 8", "weak 8"}: "warned", {"common 8", "weak 16"}: "refused", {"common 16", "weak 8"}: "refused",
		{"common 8", "common 16"}: "taken", {"common 16", "common 8"}: "taken",
		{"visible 8 init", "common 8"}: "taken", {"visible 8 init", "common 16"}: "refused", {"visible 16 init", "common 8"}: "taken",
		{"weak 8 init", "common 8"}: "taken", {"weak 16 init", "common 8"}: "taken", {"weak 8 init", "common 16"}: "refused",
		{"common 8", "visible 8 init"}: "taken", {"common 8", "visible 16 init"}: "taken", {"common 16", "visible 8 init"}: "refused",
		{"common 8", "weak 8 init"}: "refused", {"common 8", "weak 16 init"}: "refused", {"common 16", "weak 8 init"}: "refused", // the linkers crash
	} {
		var set link.Set
		for i, one := range pair {
			var linkage, init string
			var size int
			_, _ = fmt.Sscan(one, &linkage, &size, &init)
			if init != "" {
				init = " = {1}"
			}
			file := fmt.Sprintf("%d.ptx", i)
			set.AddPTX(link.Place{Name: file, File: file}, parsed(t, file, fmt.Sprintf(
				".version 7.0\n.target sm_80\n.address_size 64\n.%s .global .align 8 .b8 v[%d]%s;\n.visible .func f%d() { .reg .b64 %%d; mov.u64 %%d, v; ret; }\n", linkage, size, init, i)))
		}
		got := "taken"
		for _, d := range set.Report(link.Options{}).Diags {
			if d.Severity == diag.Error {
				got = "refused"
			} else if d.Severity == diag.Warning && got == "taken" {
				got = "warned"
			}
		}
		assert.Equal(t, want, got, "%v", pair)
	}
}

// TestLooserAlignment holds declarations that differ in alignment alone: an error where a value moves, or where the
// definition relies on more than the caller gives, as executed with code of 11.8, 12.4 and 13.5, and else a warning.
func TestLooserAlignment(t *testing.T) {
	for _, tt := range []struct {
		def, decl string
		want      diag.Severity
	}{
		// on the stack, where the stack pointer is a multiple of 8 at every call
		{"(.param .align 8 .b8 p[48], .param .align 8 .b8 y[40])", "(.param .align 8 .b8 p[48], .param .align 1 .b8 y[40])", diag.Warning},
		{"(.param .align 8 .b8 p[48], .param .align 4 .b8 y[40])", "(.param .align 8 .b8 p[48], .param .align 2 .b8 y[40])", diag.Warning},
		{"(.param .align 8 .b8 p[48], .param .align 1 .b8 y[40])", "(.param .align 8 .b8 p[48], .param .align 8 .b8 y[40])", diag.Warning},
		{"(.param .align 16 .b8 p[48], .param .align 1 .b8 y[32])", "(.param .align 16 .b8 p[48], .param .align 16 .b8 y[32])", diag.Warning},
		{"(.param .align 8 .b8 p[48], .param .align 16 .b8 y[48])", "(.param .align 8 .b8 p[48], .param .align 8 .b8 y[48])", diag.Error},
		// a value that moves, in registers and on the stack
		{"(.param .b32 x, .param .align 8 .b8 y[8])", "(.param .b32 x, .param .align 4 .b8 y[8])", diag.Error},
		{"(.param .align 4 .b8 p[52], .param .align 8 .b8 q[40], .param .align 8 .b8 y[40])", "(.param .align 4 .b8 p[52], .param .align 8 .b8 q[40], .param .align 4 .b8 y[40])", diag.Error},
	} {
		checkPair(t, ".visible .func f "+tt.def+" { ret; }", ".extern .func f "+tt.decl+";", tt.want)
	}
	for _, tt := range []struct {
		def, decl int
		want      diag.Severity
	}{{1, 8, diag.Warning}, {8, 16, diag.Warning}, {8, 1, diag.Error}, {16, 8, diag.Error}} {
		def := fmt.Sprintf(".visible .func (.param .align %d .b8 r[64]) f () { ret; }", tt.def)
		checkPair(t, def, fmt.Sprintf(".extern .func (.param .align %d .b8 r[64]) f ();", tt.decl), tt.want)
	}
}

// checkPair requires one diagnostic of a definition in one module and a declaration, whose address is taken, in another.
func checkPair(t *testing.T, def, decl string, want diag.Severity) {
	t.Helper()
	const head = ".version 7.0\n.target sm_80\n.address_size 64\n"
	var set link.Set
	set.AddPTX(link.Place{Name: "a.ptx", File: "a.ptx"}, parsed(t, "a.ptx", head+def))
	set.AddPTX(link.Place{Name: "b.ptx", File: "b.ptx"}, parsed(t, "b.ptx", head+decl+"\n.visible .func g() { .reg .b64 %d; mov.u64 %d, f; ret; }\n"))
	list := set.Report(link.Options{}).Diags
	require.Len(t, list, 1, "%s\n%s", def, decl)
	assert.Equal(t, want, list[0].Severity, "%s\n%s\n%v", def, decl, list)
}
