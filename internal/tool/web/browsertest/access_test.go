package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestKeyboard goes through the page by Tab: every control is reached, shows that it has the focus,
// and is left again.
func TestKeyboard(t *testing.T) {
	for _, s := range []screen{{1440, 900, false}, {390, 844, true}} {
		t.Run(fmt.Sprint(s.width), func(t *testing.T) {
			tb := open(t, "server", "", s)
			tb.run(`document.querySelector('#more').click()`) // which has an effect on a phone
			for _, pane := range []string{"source", "result", "listing"} {
				tb.run(`document.querySelector('#panes [data-pane=` + pane + `]').click(); document.activeElement.blur(); window.reached = new Set(); window.bare = []`)
				all := eval[int](tb, `(window.wanted = [...document.querySelectorAll('button, select, input, a[href], [tabindex="0"]')].filter((e) =>
					e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && !e.closest('[inert]'))).length`)
				if all < 12 {
					t.Fatalf("%d controls", all)
				}
				for range all + 5 {
					tb.do(chromedp.KeyEvent(kb.Tab))
					tb.run(`(() => { const e = document.activeElement, c = getComputedStyle(e); reached.add(e);
						if (e !== document.body && c.outlineStyle === 'none' && getComputedStyle(e.closest('.editor') ?? e).outlineStyle === 'none') bare.push(e.outerHTML.slice(0, 80)); })()`)
				}
				if missed := eval[[]string](tb, `wanted.filter((e) => e.isConnected && !reached.has(e)).map((e) => e.outerHTML.slice(0, 100))`); len(missed) > 0 {
					t.Errorf("%s: not reached by Tab: %q", pane, missed)
				}
				if bare := eval[[]string](tb, `bare`); len(bare) > 0 {
					t.Errorf("%s: nothing shows the focus of %q", pane, bare)
				}
			}
			tb.clean()
		})
	}
}

// TestRulesByKey goes from a value to the rules that put it there, unfolds one, and goes back.
func TestRulesByKey(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.run(`document.querySelector('#values-title').click(); document.querySelector('#values .value').focus()`)
	tb.do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("r"))
	if got := eval[string](tb, `document.activeElement.dataset.rule ?? document.activeElement.outerHTML`); got != "F5" {
		t.Fatalf("R leads to %s", got)
	}
	if got := tb.text("#why-said"); !strings.HasPrefix(got, "parameter pt of mix in R6") {
		t.Error(got)
	}
	tb.do(chromedp.KeyEvent(kb.Enter))
	tb.until(`document.querySelector('#why-rule').textContent.startsWith('F5.')`)
	tb.do(chromedp.KeyEvent(kb.Escape))
	if got := eval[string](tb, `document.activeElement.textContent`); got != "pt" {
		t.Errorf("Escape leads to %s", got)
	}
	tb.clean()
}

// TestInWords has what pictures show in words: each names itself, says every value with its place, and
// the steps of a call stand below.
func TestInWords(t *testing.T) {
	tb := open(t, "server", "", desktop)
	for _, example := range []string{"0", "1", "2", "3"} {
		tb.choose("#example", example)
		tb.settled()
		for _, s := range eval[[]string](tb, `(() => {
			const out = [];
			const said = (svg) => [...svg.children].find((e) => e.localName === 'title')?.textContent ?? '';
			const rows = [...document.querySelectorAll('#values tbody tr')].map((r) => r.textContent);
			for (const svg of document.querySelectorAll('#pictures svg:not([aria-hidden])')) {
				if (svg.getAttribute('role') !== 'img') out.push('no picture to who does not see it');
				if (said(svg).length < 20 || svg.querySelector('desc').textContent.length < 40) out.push('nothing said: ' + said(svg));
			}
			if (!document.querySelector('#pictures svg[role=img]')) out.push('no picture');
			const ids = new Set([...document.querySelectorAll('#pictures [data-value]')].map((g) => g.dataset.value));
			for (const id of ids) if (!document.querySelector('#values [data-ids="' + id + '"]')) out.push('not in the table: ' + id);
			if (!document.querySelector('#walk').hidden) {
				const steps = document.querySelectorAll('#walk-steps li').length, of = document.querySelector('#walk-said').textContent.match(/of (\d+)/)?.[1];
				if (String(steps) !== of) out.push(steps + ' steps in words, of ' + of);
			}
			return out;
		})()`) {
			t.Errorf("example %s: %s", example, s)
		}
	}
	tb.clean()
}

// TestMotion has nothing move for readers who do not want that.
func TestMotion(t *testing.T) {
	tb := open(t, "server", "", desktop)
	moving := `[...document.querySelectorAll('*')].filter((e) => { const c = getComputedStyle(e);
		return c.transitionDuration.split(', ').some((d) => parseFloat(d) > 0) && !e.closest('.cm-editor') || c.animationName !== 'none' && !e.closest('.cm-editor') || c.scrollBehavior === 'smooth'; }).map((e) => e.id || e.className)`
	if got := eval[[]string](tb, moving); len(got) == 0 {
		t.Error("nothing moves at all: nothing is tried")
	}
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
	if got := eval[[]string](tb, moving); len(got) > 0 {
		t.Errorf("%q move", got)
	}
	tb.clean()
}

// TestPaper prints: the picture stands first, light in the dark theme too, and all lines of the text and the
// listing are there.
func TestPaper(t *testing.T) {
	tb := open(t, "server", "", screen{1280, 900, true})
	tb.write(long(20_000))
	tb.until(`document.querySelector('#values').textContent.includes('R4')`)
	tb.settled()
	lines := eval[int](tb, `document.querySelector('#text').value.split('\n').length`)
	tb.run(`window.most = 0; matchMedia('print').addEventListener('change', (e) => { if (e.matches) most = document.querySelectorAll('#text .cm-line').length; })`)
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	tb.until(`most > 0`)
	if got := eval[int](tb, `most`); got != lines {
		t.Errorf("%d of %d lines are printed", got, lines)
	}
	if got := eval[int](tb, `document.querySelectorAll('#listing li.ptx').length`); got < 400 {
		t.Errorf("%d instructions are printed", got)
	}
	order := eval[[]string](tb, `['#pictures', '#walk', '#values', '#editor', '#listing'].map((s) => [document.querySelector(s).getBoundingClientRect(), s]).filter(([b]) => b.height).sort((a, b) => a[0].top - b[0].top).map(([, s]) => s)`)
	if got := strings.Join(order, " "); got != "#pictures #values #editor #listing" {
		t.Errorf("the order on paper is %s", got)
	}
	if got := eval[string](tb, `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector('#text')).color`); got != "rgb(255, 255, 255)rgb(26, 26, 26)" {
		t.Errorf("the colours on paper are %s", got)
	}
	for _, s := range []string{"#slider", ".tools", ".take", "#panes", "#walk-play"} {
		if eval[bool](tb, `document.querySelector('`+s+`').checkVisibility()`) {
			t.Errorf("%s is printed", s)
		}
	}
	tb.clean()
}
