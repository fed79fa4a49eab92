package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestEditor has what an editor has: numbers of lines, colours, search in all of a text, and marks of errors beside lines and
// of those without a width.
func TestEditor(t *testing.T) {
	tb := open(t, "server", "", desktop)
	if got := tb.text(".cm-lineNumbers .cm-gutterElement:nth-child(3)"); got != "2" { // the first is for the width
		t.Errorf("the second line has the number %q", got)
	}
	for class, want := range map[string]string{".s-word": ".version", ".s-number": "8.0", ".s-reg": "%r"} {
		if got := tb.text("#text " + class); got != want {
			t.Errorf("%s is %q, expected %q", class, got, want)
		}
	}
	tb.write(".version 7.8\n.target sm_80\n.func f(.param .b32 x)\n{\n\tret\n}\n")
	tb.until(`document.querySelector('.cm-lineNumbers .fault-line.error')?.textContent === '5' || document.querySelector('.cm-lineNumbers .fault-line.error')?.textContent === '6'`)
	tb.until(`document.querySelector('#text .fault') !== null && document.querySelector('#text .fault').textContent.trim() !== ''`)

	// Of a long text only what is in sight is drawn, and all of it is searched.
	tb.write("/* begins\n" + strings.Repeat("a line\n", 3000) + "and needle ends */\nstruct S { int after; };\n")
	tb.until(`document.querySelector('#values').textContent.includes('after')`)
	tb.do(chromedp.Focus("#text"))
	tb.key("f", 70, 2)
	tb.until(`document.querySelector('.cm-search input[name=search]') === document.activeElement`)
	tb.do(chromedp.KeyEvent("needle"), chromedp.KeyEvent(kb.Enter))
	tb.until(`document.querySelector('#text .cm-searchMatch-selected')?.textContent === 'needle'`)
	if got := eval[int](tb, `[...document.querySelectorAll('#text .s-comment')].filter((e) => e.textContent.includes('needle')).length`); got == 0 {
		t.Error("the comment has no colour where it ends")
	}
	tb.do(chromedp.KeyEvent(kb.Escape))
	tb.until(`document.activeElement.id === 'text' && !document.querySelector('.cm-search')`)
	tb.clean()
}

// TestFollow steps to a line that is out of sight, which comes into it, and moves the caret in a text of which not all is
// shown, which the picture follows.
func TestFollow(t *testing.T) {
	tb := open(t, "server", "", screen{1280, 700, false})
	tb.run(`for (let i = 0; i < 20; i++) document.querySelector('#walk-next').click()`)
	tb.until(`(() => { const line = document.querySelector('#text .line')?.getBoundingClientRect(), box = document.querySelector('.cm-scroller').getBoundingClientRect(); return line && line.top >= box.top && line.bottom <= box.bottom; })()`)
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "__device__ int f%d(int x%d);\n", i, i)
	}
	tb.write(b.String())
	tb.until(`document.querySelector('#values').textContent.includes('x99') && !document.querySelector('#values').textContent.includes('x0')`)
	tb.do(chromedp.Focus("#text"))
	tb.key("Home", 36, 2)
	tb.until(`document.querySelector('#values').textContent.includes('x0')`)
	tb.clean()
}

// TestReload keeps the example and its words where a page of it is loaded again.
func TestReload(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.choose("#example", "1")
	tb.settled()
	tb.until(`location.hash.startsWith('#1')`)
	want := eval[string](tb, `document.querySelector('#example').value + document.querySelector('#about').textContent`)
	tb.do(chromedp.Reload())
	tb.until(`document.querySelector('#status')?.textContent !== '' && document.querySelector('#pictures svg') !== null`)
	tb.settled()
	if got := eval[string](tb, `document.querySelector('#example').value + document.querySelector('#about').textContent`); got != want || want == "" {
		t.Errorf("after a reload %q, before %q", got, want)
	}
	tb.clean()
}

// TestAbout has the links of the head, the version, and the place of a rule in its document.
func TestAbout(t *testing.T) {
	tb := open(t, "server", "", desktop)
	if got := tb.text("header nav"); !strings.Contains(got, "Help") || !strings.Contains(got, "version") && !strings.Contains(got, "v") {
		t.Errorf("the head has %q", got)
	}
	tb.run(`document.querySelector('#walk-next').click(); document.querySelector('#why-rules button').click()`)
	want := "docs/abi.md#rule-" + strings.ToLower(tb.text("#why-rules button"))
	if got := eval[string](tb, `document.querySelector('#why-rule a').href + ' ' + document.querySelector('#why-rules a').href`); strings.Count(got, want) != 2 {
		t.Errorf("the rule leads to %s", got)
	}
	tb.clean()
	phoned := open(t, "server", "", phone)
	shown := `['#open', '#copy', '#theme', '#against', 'header nav'].filter((s) => document.querySelector(s).checkVisibility()).length`
	if n := eval[int](phoned, shown); n != 0 {
		t.Errorf("%d more controls are in sight on a phone", n)
	}
	phoned.do(chromedp.Click("#more"))
	if n := eval[int](phoned, shown); n != 5 {
		t.Errorf("%d of 5 controls are in sight on a phone", n)
	}
	phoned.clean()
}
