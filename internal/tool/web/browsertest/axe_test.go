package browsertest

import (
	"fmt"
	"os"
	"testing"
)

// TestAxe has axe-core look for violations in every pane, at the widths of phones, tablets
// and desktops, in both themes. PTXABI_AXE names axe.min.js, which is not part of this
// repository.
func TestAxe(t *testing.T) {
	file := os.Getenv("PTXABI_AXE")
	if file == "" {
		t.Skip("PTXABI_AXE does not name axe.min.js")
	}
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const violations = `axe.run(document, {resultTypes: ['violations']}).then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target).join(', ')))`
	for _, width := range []int{320, 390, 768, 1024, 1280, 1440} {
		for _, dark := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d dark %v", width, dark), func(t *testing.T) {
				tb := open(t, "server", "", screen{width, 900, dark})
				tb.run("{" + prelude + "}" + string(script))
				tb.run(`for (const b of document.querySelectorAll('.unfold')) b.click()`)
				tb.choose("#code-in", "rust") // what is packed, a compiled file and a rule, where there are any
				commands["file"](tb, "examples/drift/step.cubin")
				tb.run(`drop(['step.cubin', file])`)
				tb.run(`document.querySelector('#walk-next').click(); document.querySelector('#why-rules button').click()`)
				tb.settled()
				for _, example := range []string{"0", "2", "3", "5"} {
					tb.choose("#example", example)
					tb.choose("#against", map[bool]string{true: "sm_120"}[example == "2"])
					tb.settled()
					for _, pane := range []string{"source", "result", "listing"} {
						tb.run(`document.querySelector('#panes [data-pane=` + pane + `]').click()`)
						for _, v := range eval[[]string](tb, violations) {
							t.Errorf("example %s, %s: %s", example, pane, v)
						}
					}
				}
				tb.run(`document.querySelector('#slider').removeAttribute('aria-label')`)
				tb.run(`document.querySelector('#panes [data-pane=result]').click()`)
				if len(eval[[]string](tb, violations)) == 0 {
					t.Error("axe finds nothing where something is wrong")
				}
			})
		}
	}
}
