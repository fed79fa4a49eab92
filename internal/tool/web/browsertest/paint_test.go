package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/network"
)

// TestFirstPaint shows the page without its scripts: the first example's source, first step and
// picture stand where they stand with them, and say the same. Of a link nothing but the link's text is shown.
func TestFirstPaint(t *testing.T) {
	for _, s := range []screen{{1440, 900, false}, {1280, 900, true}, {1024, 768, false}, {768, 1024, false}, phone} {
		t.Run(fmt.Sprint(s.width), func(t *testing.T) {
			tb := blank(t, "wasm", s)
			block := func(patterns ...*network.BlockPattern) {
				call(tb, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: patterns})
			}
			state := func() []string {
				return eval[[]string](tb, `['#about', '#alike', '#walk-said', '#walk-call', '#example', '#target', '#text', '#pictures svg', '#pictures .part:last-child', '#editor', '#machine', '#walk h4', '#listing-title'].map((s) => {
					const e = [...document.querySelectorAll(s)].find((e) => e.checkVisibility()), b = e?.getBoundingClientRect();
					const text = e?.selectedOptions?.[0].textContent ?? (s === '#text' ? e?.value ?? e?.textContent : s === '#editor' ? '' : s === '#machine' ? e?.innerHTML : e?.textContent);
					const place = !e || e.matches('select, #text') ? '' : [b.left, b.top, s === '#pictures svg' ? b.width : 0].map(Math.round);
					return s + ' at ' + place + ': ' + text;
				})`)
			}
			block(&network.BlockPattern{URLPattern: "*://*:*/*.js", Block: true})
			tb.visit("")
			tb.until(`document.readyState === 'complete'`)
			before := state()
			block()
			tb.visit("")
			tb.settled()
			for i, after := range state() {
				if before[i] != after {
					t.Errorf("%s\nwithout scripts, and with them\n%s", before[i], after)
				}
			}
			link := eval[string](tb, `import('./link.js').then((m) => m.pack({text: '.version 8.0\n.target sm_90\n.func other(.param .b32 x);\n'}))`)
			block(&network.BlockPattern{URLPattern: "*://*:*/page.js", Block: true})
			tb.visit(link)
			tb.until(`document.readyState === 'complete'`)
			if got := eval[[]string](tb, `['#pictures svg', '#walk', '#text', '#alike'].filter((s) => [...document.querySelectorAll(s)].some((e) => e.checkVisibility({visibilityProperty: true})))`); len(got) > 0 {
				t.Errorf("a link shows %q of the first example", got)
			}
			block()
			tb.run(`window.seen = []`)
			tb.visit(link)
			tb.until(`document.querySelector('#pictures [data-value="f0.p0"]') !== null && document.querySelector('#pictures').textContent.includes('other')`)
			if !eval[bool](tb, `document.querySelector('#walk').hidden`) {
				t.Error("the first example's call is shown beside another text")
			}
		})
	}
}
