package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestWalk steps through the first example's call by keys: each step shows what
// moves, in words, in the machine and in the listing, and a link leads back to it.
func TestWalk(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		if got := tb.text("#walk-said"); got != "1 of 17. pt[8:12]: c[0x0][0x210] to R8" {
			t.Error(got)
		}
		tb.do(chromedp.Focus("#walk-next"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
		if got := tb.text("#walk-said"); got != "4 of 17. pt[4:8]: %rd1.hi to R7" {
			t.Error(got)
		}
		if got := eval[[]string](tb, `[...document.querySelectorAll('#machine .moving')].map((e) => e.textContent)`); strings.Join(got, "|") != "%rd1.hi[4:8]|R7pt[4:8]" {
			t.Errorf("what moves: %q", got)
		}
		if got := tb.text("#listing [aria-selected=true]"); !strings.HasPrefix(got, "\tMOV R7, %rd1.hi ;") {
			t.Errorf("the listing is at %q", got)
		}
		if !eval[bool](tb, `document.querySelector('#walk-arrow path') !== null && document.querySelector('#pictures [data-value="f0.p1"].hot') !== null`) {
			t.Error("no arrow, or the picture does not show the value")
		}
		// The same four bytes are marked in the picture, the listing and the machine.
		if got := eval[[]string](tb, `[...document.querySelectorAll('.byte')].map((e) => e.dataset.place ?? e.dataset.cell ?? e.dataset.operand ?? e.line?.text.trim().split(' ;')[0] ?? e.textContent)`); strings.Join(got, "|") != "MOV R7, %rd1.hi|%rd1.hi|R7|[4:8]|R7" {
			t.Errorf("the bytes are marked at %q", got)
		}
		tb.do(chromedp.KeyEvent(kb.End))
		if got := tb.text("#walk-said"); got != "17 of 17. sum[0:4]: R4 to %r2" {
			t.Error(got)
		}
		if !eval[bool](tb, `document.querySelector('#walk-next').getAttribute('aria-disabled') === 'true' && document.activeElement.id === 'walk-next'`) {
			t.Error("there is a step after the last, or the focus is lost")
		}
		tb.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight), chromedp.Click("#copy"))
		tb.until(`location.hash.length > 20`)
		link := eval[string](tb, `location.hash`)
		tb.clean()

		other := open(t, engine, link, desktop)
		if got := other.text("#walk-said"); got != "2 of 17. n[0:4]: R8 to R4" {
			t.Error(got)
		}
		// Played, it goes on by itself, and stops at the end.
		other.do(chromedp.Click("#walk [aria-controls=walk-steps]"), chromedp.Click("#walk-steps li:nth-child(16) button"), chromedp.Click("#walk-play"))
		other.until(`document.querySelector('#walk-said').textContent.startsWith('17 of 17.') && document.querySelector('#walk-play').textContent === 'Play'`)
		other.clean()
	})
}

// TestStepsInSight steps through a long picture: the buttons stay in sight, and where bytes arrive.
func TestStepsInSight(t *testing.T) {
	for _, s := range []screen{{1024, 768, false}, phone} {
		tb := open(t, "server", "", s)
		tb.choose("#example", "3")
		tb.settled()
		for range 18 {
			tb.run(`document.querySelector('#walk-next').click()`)
			if hidden := eval[[]string](tb, `['#walk-next', '#walk-said', '#machine .moving'].filter((s) => {
				const e = [...document.querySelectorAll(s)].at(-1), b = e?.getBoundingClientRect();
				return e && !e.contains(document.elementFromPoint(b.left + 5, b.bottom - 5));
			})`); len(hidden) > 0 {
				t.Errorf("at %d pixels, %s: out of sight: %q", s.width, tb.text("#walk-said"), hidden)
			}
		}
		tb.clean()
	}
}

// TestOnePicture draws each function once: the picture leaves out the one whose call is stepped through, but beside
// another target and on paper, and its places have names before anything is in them.
func TestOnePicture(t *testing.T) {
	tb := open(t, "server", "", desktop)
	state := func() string {
		return eval[string](tb, `[...document.querySelectorAll('#pictures g.function')].map((g) => g.dataset.name + (g.closest('.part').offsetHeight ? '' : ' away')).join(', ')`)
	}
	if got := state(); got != "mix away, kernel" {
		t.Error(got)
	}
	if got := eval[string](tb, `[...document.querySelectorAll('#machine .cell[data-cell]')].map((c) => c.textContent + (c.matches('.ghost') ? '' : '!')).join(' ')`); got !=
		"R4n[0:4] R6pt[0:4] R7pt[4:8] R8pt[8:12]! R10scale[0:4] R11scale[4:8] R20returnaddress R21returnaddress" {
		t.Errorf("registers: %s", got)
	}
	if got := eval[string](tb, `[...document.querySelectorAll('#machine .formal > .where')].map((e) => e.textContent).join(', ')`); got != "n, pt, scale, sum, n .b32, pt .b8[12], scale .b64, sum .b32" {
		t.Errorf("formals: %s", got)
	}
	if eval[bool](tb, `document.querySelector('#values').checkVisibility()`) {
		t.Error("the table stands beside the picture unasked")
	}
	tb.run(`dispatchEvent(new Event('beforeprint'))`)
	if got := state(); got != "mix, kernel" {
		t.Errorf("on paper: %s", got)
	}
	tb.run(`dispatchEvent(new Event('afterprint'))`)
	tb.choose("#against", "sm_120")
	tb.settled()
	if got := state(); got != "mix, kernel, mix, kernel" {
		t.Errorf("beside another target: %s", got)
	}
	tb.clean()
}

// TestWalkHostile has links to steps that are not there, and texts without calls.
func TestWalkHostile(t *testing.T) {
	tb := blank(t, "server", desktop)
	const text = `.version 8.0\n.target sm_90\n.func f(.param .b32 x) { ret; }\n.visible .func g() { .reg .b32 %r<2>; mov.b32 %r1, 0; { .param .b32 a; st.param.b32 [a], %r1; call f, (a); } ret; }`
	for _, at := range []string{`"call":"99999","step":"999999"`, `"call":"-1","step":"1e9"`, `"call":"<b>","step":"0x1"`, `"call":{},"step":[1]`} {
		tb.visit(link(t, `{"text":"`+text+`",`+at+`}`))
		tb.settled()
		if got := tb.text("#walk-said"); !strings.Contains(got, " of 4. ") && !strings.Contains(got, "x[0:4]") {
			t.Errorf("%s: %q", at, got)
		}
	}
	tb.write(".version 8.0\n.target sm_90\n.func f(.param .b64 x, .param .b64 y) { ret; }\n.entry k(.param .b64 p, .param .b64 q) {\n.reg .b64 %r<2>;\nld.param.b64 %r0, [p];\nld.param.b64 %r1, [q];\n.param .b64 a;\n" +
		"st.param.b64 [a], %r0;\n.param .b64 b;\nst.param.b64 [b], %r1;\ncall f, (a, b);\nret; }\n")
	tb.until(`document.querySelector('#walk-call').textContent.includes('k calls f')`)
	if got := eval[string](tb, `[...document.querySelectorAll('[data-fn=caller] .operand')].map((e) => e.dataset.operand).join(' ')`); got != "c[0x0][0x210] c[0x0][0x214] c[0x0][0x218] c[0x0][0x21c]" {
		t.Errorf("the words come from %s", got)
	}
	tb.write("struct S { int a; };")
	tb.until(`document.querySelector('#walk').hidden && document.querySelector('#values').textContent.includes('byte 0')`)
	tb.clean()
}

// TestStepImage makes docs/images/step.png anew with PTXABI_SCREENSHOTS=../../../../docs/images.
func TestStepImage(t *testing.T) {
	dir := os.Getenv("PTXABI_SCREENSHOTS")
	if dir == "" {
		t.Skip("PTXABI_SCREENSHOTS does not name a folder")
	}
	tb := open(t, "server", "", screen{1440, 900, false})
	tb.choose("#walk-call", "0")
	for range 11 {
		tb.run(`document.querySelector('#walk-next').click()`)
	}
	tb.settled()
	type box struct{ X, Y, Width, Height float64 }
	b := eval[box](tb, `(() => { const a = document.querySelector('#walk-said').getBoundingClientRect(), b = document.querySelector('.stage').getBoundingClientRect();
		return {X: b.left, Y: a.top, Width: b.width, Height: b.bottom - a.top}; })()`)
	image, err := chromedp.Call(tb.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: "png", Clip: &page.Viewport{X: b.X - 6, Y: b.Y, Width: b.Width + 12, Height: b.Height + 6, Scale: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "step.png"), image.Data, 0o666); err != nil {
		t.Fatal(err)
	}
}
