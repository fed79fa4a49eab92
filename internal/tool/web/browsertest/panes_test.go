package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestFirstView has source, call, picture and listing in sight together, on a page that
// does not scroll, and the borders between them move by keys.
func TestFirstView(t *testing.T) {
	tb := open(t, "server", "", screen{1440, 900, false})
	seen := eval[[]string](tb, `['#editor', '#machine', '#pictures [data-area=block]', '#listing'].filter((s) => {
		const b = document.querySelector(s).getBoundingClientRect(); return b.bottom > innerHeight || b.right > innerWidth || b.height < 50; })`)
	if len(seen) > 0 {
		t.Errorf("%q are not in sight whole", seen)
	}
	tb.run(`for (const b of document.querySelectorAll('.unfold')) b.click(); scrollTo(0, 1e6)`)
	if eval[float64](tb, `scrollY`) != 0 {
		t.Error("the page scrolls, and not its panes")
	}
	if got := tb.text("#diagnostics-title"); got != "No diagnostics" {
		t.Error(got)
	}
	width := `document.querySelector('#text').clientWidth`
	before := eval[float64](tb, width)
	tb.do(chromedp.Focus("#split-columns"), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	if after := eval[float64](tb, width); after > before-40 {
		t.Errorf("the source is %v wide, and was %v", after, before)
	}
	height := `document.querySelector('#listing').clientHeight`
	before = eval[float64](tb, height)
	tb.do(chromedp.Focus("#split-rows"), chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.ArrowUp))
	if after := eval[float64](tb, height); after < before+20 {
		t.Errorf("the listing is %v high, and was %v", after, before)
	}
	// However low the source is, it lies over nothing.
	tb.do(chromedp.Focus("#split-rows"), chromedp.KeyEvent(kb.Home))
	if covered := eval[[]string](tb, `['#split-rows', '#listing-title', '#save-listing'].filter((s) => {
		const e = document.querySelector(s), b = e.getBoundingClientRect(); return document.elementFromPoint((b.left + b.right) / 2, (b.top + b.bottom) / 2) !== e; })`); len(covered) > 0 {
		t.Errorf("%q are covered", covered)
	}
	tb.clean()
}

// TestBar switches between the panes on a phone, and a click on what leads to the source
// shows it.
func TestBar(t *testing.T) {
	tb := open(t, "server", "", phone)
	visible := `['#text', '#pictures', '#listing'].filter((s) => document.querySelector(s).checkVisibility()).join(' ')`
	for pane, want := range map[string]string{"source": "#text", "result": "#pictures", "listing": "#listing"} {
		tb.do(chromedp.Click("#panes [data-pane=" + pane + "]"))
		if got := eval[string](tb, visible); got != want {
			t.Errorf("%s shows %q", pane, got)
		}
	}
	tb.do(chromedp.Click("#panes [data-pane=listing]"), chromedp.Click("#listing li.code"))
	if got := eval[string](tb, visible); got != "#text" {
		t.Errorf("a line leads to %q", got)
	}
	tb.clean()
}

// TestPhoneStep steps on a phone: another example has no mark of the one before.
func TestPhoneStep(t *testing.T) {
	tb := open(t, "server", "", phone)
	tb.run(`document.querySelector('#walk-next').click()`)
	if !eval[bool](tb, `document.querySelector('#pictures .hot') !== null && document.querySelector('#why-rules button') !== null`) {
		t.Error("the step is not marked")
	}
	tb.choose("#example", "5")
	tb.settled()
	if n := eval[int](tb, `document.querySelectorAll('#pictures .hot, #text .hot, #listing .hot').length`); n > 0 {
		t.Errorf("another example has %d marks", n)
	}
	tb.clean()
}

// TestTargetNames has room for every target with its generation on a phone.
func TestTargetNames(t *testing.T) {
	tb := open(t, "server", "", phone)
	for i, example := range []string{"0", "1", "0", "1"} { // without a choice of producers and with it
		if i == 2 {
			tb.resize(screen{320, 568, false})
		}
		tb.choose("#example", example)
		tb.settled()
		if got := eval[[]string](tb, `(() => {
			const s = document.querySelector('#target'), natural = s.cloneNode(true);
			natural.style.width = 'max-content';
			s.after(natural);
			const cut = [...s.options].filter((o) => { natural.value = o.value; return natural.offsetWidth > s.offsetWidth; }).map((o) => o.text + ': ' + (natural.value = o.value, natural.offsetWidth) + ' of ' + s.offsetWidth);
			natural.remove();
			return cut;
		})()`); len(got) > 0 {
			t.Errorf("%d, example %s: %d names are cut off, %q", i, example, len(got), got[0])
		}
	}
	tb.clean()
}
