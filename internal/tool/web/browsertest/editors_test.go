package browsertest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// TestEditors compares the page's editor with the browser's own text field, in turns: what
// inserting a text, a key in it, and deleting it take of the page's thread. It measures, for docs/rationale.md.
func TestEditors(t *testing.T) {
	if os.Getenv("PTXABI_EDITORS") == "" {
		t.Skip("PTXABI_EDITORS is not set: nothing is measured")
	}
	tb := open(t, "server", "", desktop)
	call(tb, performance.Enable, performance.EnableParams{})
	spent := func() float64 {
		got, err := chromedp.Call(tb.ctx, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got.Metrics {
			if m.Name == "TaskDuration" {
				return m.Value * 1000
			}
		}
		t.Fatal("the browser does not say what tasks took")
		return 0
	}
	// Nothing is asked: the editor alone is compared.
	tb.run(`window.fetch = () => new Promise(() => {});
		const field = document.createElement('textarea');
		field.id = 'field'; field.wrap = 'off'; field.spellcheck = false;
		document.querySelector('#editor').after(field);
		field.style.cssText = 'flex: 1 1 120px; min-height: 90px; font: 13px/20px monospace; white-space: pre'`)
	idle := func() {
		tb.run(`new Promise((r) => requestAnimationFrame(() => setTimeout(r, 50)))`)
		time.Sleep(300 * time.Millisecond)
	}
	const rounds = 3
	for _, size := range []int{200_000, 1_000_000, 4_000_000} {
		tb.run(fmt.Sprintf(`window.both = (() => { const text = %q, line = '\tadd.s32 %%r1, %%r2, %%r3; // number 1234567\n';
			return text.replace(line, line.repeat(%d)); })(); document.querySelector('#field').value = document.querySelector('#text').value = ''`, long(50), size/42))
		idle()
		took := map[string]map[string]float64{"#text": {}, "#field": {}}
		step := func(field, name string, do func()) {
			from := spent()
			do()
			idle()
			took[field][name] += spent() - from
		}
		for range rounds {
			for _, field := range []string{"#text", "#field"} {
				tb.run(`document.querySelector('` + field + `').focus()`)
				step(field, "insert", func() { tb.run(`document.querySelector('` + field + `').value = both`) })
				tb.run(`document.querySelector('` + field + `').setSelectionRange(300, 300)`)
				idle()
				step(field, "key", func() { tb.do(chromedp.KeyEvent("x")) })
				step(field, "delete all", func() {
					tb.key("a", 65, 2, "selectAll")
					tb.key("Delete", 46, 0, "deleteForward")
				})
				if n := eval[int](tb, `document.querySelector('`+field+`').value.length`); n != 0 {
					t.Fatalf("%s: %d characters are left", field, n)
				}
			}
		}
		for _, name := range []string{"insert", "key", "delete all"} {
			e, f := took["#text"][name]/rounds, took["#field"][name]/rounds
			t.Logf("%7d bytes, %s: editor %.0f ms, text field %.0f ms, %.1f times", size, name, e, f, f/e)
		}
	}
}
