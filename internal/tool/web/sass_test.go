package web_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/internal/lab/must"
	"github.com/ptxabi/ptxabi/internal/tool/web"
)

// TestSASS annotates a listing, which is guessed to be one, and refuses what is none.
func TestSASS(t *testing.T) {
	text := must.Read(t, "../../../examples/drift/step.sass")
	r := web.Answer(web.Request{Text: string(text)})
	require.Equal(t, "sass", r.Lang)
	require.Empty(t, r.Refused)
	require.Empty(t, r.Diagnostics)
	found := false
	for _, l := range r.Listing.Lines {
		if strings.Contains(l.Text, "c[0x0][0x168]") {
			found = true
			assert.Contains(t, l.Text, "// params[8:12]")
			assert.Contains(t, strings.Split(string(text), "\n")[l.Line-1], "c[0x0][0x168]")
		}
	}
	assert.True(t, found)

	r = web.Answer(web.Request{Text: "nothing", Lang: "sass"})
	assert.Contains(t, r.Listing.Missing, "there is no function in it")
	assert.Empty(t, r.Listing.Lines)
	r = web.Answer(web.Request{Text: "/*0000*/ MOV R1, c[0x0][0x28] ;\n/*0010*/ ((( ;", Target: "sm_1"})
	assert.NotEmpty(t, r.Refused+r.Listing.Missing)
	for i := range len(text) {
		if i%97 == 0 {
			web.Answer(web.Request{Text: string(text[:i]), Lang: "sass"}) // cut anywhere
		}
	}
}
