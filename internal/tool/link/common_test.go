package link_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

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
		for _, d := range set.Report("").Diags {
			if d.Severity == diag.Error {
				got = "refused"
			} else if d.Severity == diag.Warning && got == "taken" {
				got = "warned"
			}
		}
		assert.Equal(t, want, got, "%v", pair)
	}
}
