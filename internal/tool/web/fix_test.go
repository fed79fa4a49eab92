package web_test

import (
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptxabi/ptxabi/check"
	"github.com/ptxabi/ptxabi/diag"
	"github.com/ptxabi/ptxabi/internal/tool/web"
	"github.com/ptxabi/ptxabi/ptx"
)

// TestFixes has the page's edits make of a text what [diag.Apply] makes of it, where
// the examples of check's rules have one diagnostic with a fix.
func TestFixes(t *testing.T) {
	tried := 0
	for _, code := range check.Codes() {
		r, _ := check.Explain(code)
		text := "// ünïcode 𝄞\n" + r.Example
		m, _ := ptx.Parse("input.ptx", []byte(text))
		var fixable diag.List
		for _, d := range check.Module(m, check.Options{Compile: true}) {
			if len(d.Fixes) > 0 {
				fixable = append(fixable, d)
			}
		}
		if len(fixable) != 1 {
			continue
		}
		want, applied, _, err := diag.Apply(text, fixable)
		require.NoError(t, err)
		require.Len(t, applied, 1)
		for _, d := range web.Answer(web.Request{Text: text, Lang: "ptx"}).Diagnostics {
			if d.Code != string(fixable[0].Code) || len(d.Fixes) == 0 {
				continue
			}
			tried++
			units := utf16.Encode([]rune(text))
			edits := d.Fixes[0].Edits
			for i := len(edits) - 1; i >= 0; i-- {
				e := edits[i]
				units = append(append(append([]uint16{}, units[:e.From]...), utf16.Encode([]rune(e.Text))...), units[e.To:]...)
			}
			assert.Equal(t, want, string(utf16.Decode(units)), d.Code)
			assert.NotEmpty(t, d.Fixes[0].Text)
		}
	}
	assert.Greater(t, tried, 5)
}

// TestMistakes has the example of diagnostics show several, and a fix among them.
func TestMistakes(t *testing.T) {
	fixes := 0
	for _, e := range examples(t) {
		if e.Title != "Mistakes" {
			continue
		}
		list := web.Answer(web.Request{Text: e.Text}).Diagnostics
		assert.Len(t, list, 3)
		for _, d := range list {
			fixes += len(d.Fixes)
		}
	}
	assert.Positive(t, fixes)
}
