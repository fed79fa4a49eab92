package verify_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptxabi/ptxabi/internal/tool/verify"
)

// TestStrictGroups has many kernels that are not compared: with strict each is a difference, and each is named under
// its reason.
func TestStrictGroups(t *testing.T) {
	of := func() *verify.Report {
		r := &verify.Report{Cubin: "a.cubin", Source: "a.cu"}
		for i := range 24 {
			note := "the instance of a template"
			if i%2 > 0 {
				note = "virtual functions are not supported"
			}
			r.Kernels = append(r.Kernels, verify.Kernel{Name: fmt.Sprintf("k%d", i), Status: verify.NotCompared, Note: note})
		}
		return r
	}
	r := of()
	verify.Settle([]*verify.Report{r}, false)
	assert.True(t, r.OK())
	assert.Contains(t, r.Text(), "\n24 kernels: not compared\n")
	r = of()
	verify.Settle([]*verify.Report{r}, true)
	assert.Len(t, r.Findings(), 24)
	assert.Equal(t, "a.cubin: kernel k1: not compared, virtual functions are not supported", r.Findings()[1])
	text := r.Text()
	assert.Contains(t, text, "\n12 kernels: not compared, the instance of a template\n    k0\n    k2\n")
	assert.Contains(t, text, "\n12 kernels: not compared, virtual functions are not supported\n    k1\n")
	assert.Contains(t, text, "\n24 differences; 24 kernels not compared\n")
}
