package browsertest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestListingKeys leads from the listing to the source by Enter, which selects
// the line and writes nothing, and leaves no mark when the listing is left.
func TestListingKeys(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.write(module)
	tb.until(`document.querySelector('#listing').textContent.includes('first[0:4]')`)
	tb.do(chromedp.Focus("#listing"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Home))
	for range 12 {
		if eval[bool](tb, `document.querySelector('#listing [aria-selected=true]').line.kind === 'code'`) {
			break
		}
		tb.do(chromedp.KeyEvent(kb.ArrowDown))
	}
	line := eval[int](tb, `document.querySelector('#listing [aria-selected=true]').line.line`)
	// As a keyboard does it: a key whose default types a line end.
	call(tb, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13,
	})
	tb.until(`document.activeElement.id === 'text'`)
	want := eval[string](tb, `document.querySelector('#text').value.split('\n')[`+strconv.Itoa(line-1)+`]`)
	if got := eval[string](tb, `(() => { const t = document.querySelector('#text'); return t.value.slice(t.selectionStart, t.selectionEnd); })()`); got != want {
		t.Errorf("%q is selected, expected line %d, %q", got, line, want)
	}
	if got := eval[string](tb, `document.querySelector('#text').value`); got != module {
		t.Errorf("Enter changed the text:\n%s", got)
	}

	tb.do(chromedp.Focus("#listing"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	tb.until(`document.querySelector('#pictures .hot') !== null`)
	tb.do(chromedp.Focus("#copy"))
	tb.until(`document.activeElement.id === 'copy' && document.querySelector('#pictures .hot, #marks .line') === null`)
	tb.clean()
}

// TestNewText pastes a module after the target was moved: it is shown for its own
// target. Where the reader then moves on to one that refuses it, nothing of the
// text before and no words about it are left.
func TestNewText(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.do(chromedp.Focus("#slider"), chromedp.KeyEvent(kb.End))
	tb.until(`document.querySelector('#printed').textContent.includes('sm_121f')`)
	tb.write(".version 8.0\n.target sm_90a\n.visible .func hopper(.param .b32 x) { ret; }\n")
	tb.until(`document.querySelector('#target').value === 'sm_90a' && document.querySelector('#values').textContent.includes('hopper')`)
	if !eval[bool](tb, `document.querySelector('#refused').hidden`) {
		t.Errorf("refused: %s", tb.text("#why"))
	}
	tb.choose("#target", "sm_35")
	tb.until(`!document.querySelector('#refused').hidden`)
	if !eval[bool](tb, `document.querySelector('#shown').hidden`) || tb.text("#alike") != "" {
		t.Errorf("beside the refusal: %q", tb.text("#alike"))
	}
	tb.do(chromedp.Click("#own"))
	tb.until(`!document.querySelector('#shown').hidden && document.querySelector('#refused').hidden`)

	// A small edit leaves the target as it was chosen, and the picture in sight.
	tb.choose("#target", "sm_90a")
	tb.run(`(() => { const t = document.querySelector('#text'); t.focus(); t.setSelectionRange(t.value.length - 2, t.value.length - 2);
		document.execCommand('insertText', false, ' ('); })()`)
	tb.until(`document.body.classList.contains('stale')`)
	if eval[bool](tb, `document.querySelector('#shown').hidden`) {
		t.Error("the picture is gone while the text is being typed")
	}
	// Another text that cannot be read has no picture of the one before.
	tb.write("\x20.func (")
	tb.until(`document.querySelector('#shown').hidden`)
	tb.clean()
}

// TestLarge gives the page texts that are too large to be marked, and too large
// to be asked about.
func TestLarge(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.run(`(() => { const t = document.querySelector('#text'); t.value = '// long\n'.repeat(20000) + 'struct S { int a; };';
			t.dispatchEvent(new Event('input')); })()`)
		tb.until(`document.querySelector('#values').textContent.includes('byte 0') && document.querySelector('#notes').textContent.includes('too long')`)
		if n := eval[int](tb, `document.querySelector('#marks').textContent.length`); n != 0 {
			t.Errorf("%d characters are copied to be marked", n)
		}
		tb.run(`(() => { const t = document.querySelector('#text'); t.value = 'ü'.repeat(1 << 19) + '.';
			t.dispatchEvent(new Event('input')); })()`)
		tb.until(`document.querySelector('#why').textContent.startsWith('the text has 1048577 bytes; at most 1048576')`)
		if !eval[bool](tb, `document.querySelector('#shown').hidden`) {
			t.Error("the picture of another text is left")
		}
		tb.clean()
	})
}

// link is a fragment with a text of JSON.
func link(t *testing.T, json string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(json)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return "#1" + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// TestHostileLink opens links that unfold to too much, or to what is no text.
func TestHostileLink(t *testing.T) {
	tb := blank(t, "server", desktop)
	for _, json := range []string{
		`{"text":"` + strings.Repeat("x", 3<<20) + `"}`,
		`{"text":"` + strings.Repeat("x", 1<<20+1) + `"}`,
		`{"text":{"toString":1}}`,
		`[]`,
	} {
		tb.visit(link(t, json))
		tb.settled()
		if got := eval[string](tb, `document.querySelector('#example').value`); got != "0" {
			t.Errorf("%.40s: example %q, expected the first", json, got)
		}
	}
	tb.visit(link(t, `{"text":"struct S { int a; };","only":{"toString":1},"lang":[],"target":3,"against":null}`))
	tb.settled()
	if got := tb.text("#values"); !strings.Contains(got, "byte 0") {
		t.Errorf("the values are %q", got)
	}
	tb.clean()
}
