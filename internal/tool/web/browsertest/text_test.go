package browsertest

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"slices"
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
	tb.until(`document.activeElement.id === 'copy' && document.querySelector('#pictures .hot, #text .line') === null`)
	tb.clean()
}

// TestNewText pastes a module after the target was moved: it is shown for its own
// target. Where the reader then moves on to one that refuses it, it is shown for its own again,
// and nothing of the text before is left.
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
	tb.settled()
	if eval[bool](tb, `document.querySelector('#shown').hidden`) || !strings.Contains(tb.text("#alike"), "sm_90a") || !strings.HasSuffix(tb.text("#why"), " Shown for sm_90a.") {
		t.Errorf("beside the refusal: %q, %q", tb.text("#alike"), tb.text("#why"))
	}
	tb.do(chromedp.Click("#own"))
	tb.until(`!document.querySelector('#shown').hidden && document.querySelector('#refused').hidden`)

	// A small edit leaves the target as it was chosen, and the picture in sight.
	tb.choose("#target", "sm_90a")
	tb.run(`(() => { const t = document.querySelector('#text'); t.focus(); t.setSelectionRange(t.value.length - 2, t.value.length - 2);
		document.execCommand('insertText', false, ' ('); })()`)
	tb.until(`document.querySelector('#why').textContent.startsWith('The places of the function; error at ')`)
	if eval[bool](tb, `document.querySelector('#shown').hidden`) {
		t.Error("the picture is gone while the text is being typed")
	}
	// Another text that cannot be read has no picture of the one before.
	tb.write("\x20.func (")
	tb.until(`document.querySelector('#shown').hidden`)
	tb.clean()
}

// TestLarge gives the page texts of which only what is in sight can be marked, and
// too large to be asked about.
func TestLarge(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.run(`(() => { const t = document.querySelector('#text'); t.value = '// long\n'.repeat(20000) + 'struct S { int a; };'; })()`)
		tb.until(`document.querySelector('#values').textContent.includes('byte 0')`)
		if n := eval[int](tb, `document.querySelector('#text').textContent.length`); n > 5000 {
			t.Errorf("%d characters are copied to be marked", n)
		}
		tb.run(`document.querySelector('#editor .cm-scroller').scrollTop = 1e7`)
		tb.until(`document.querySelector('#text .tint')?.textContent === 'a'`)
		most := map[string]int{"server": 1 << 20, "wasm": 4 << 20}[engine]
		tb.run(fmt.Sprintf(`document.querySelector('#text').value = 'ü'.repeat(%d) + '.'`, most/2))
		tb.until(fmt.Sprintf(`document.querySelector('#why').textContent.startsWith('the text has more than the %d bytes that')`, most))
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

// TestUnanswered ends questions without an answer: nothing is left of what was
// said about the text before, and what the reader chose stays.
func TestUnanswered(t *testing.T) {
	const mistaken = ".version 6.0\n.target sm_35\n" +
		".visible .func one(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [y]; ret; }\n.visible .func two() { ret; }\n"
	for _, tt := range []struct{ name, engine, script string }{
		{"too large", "server", `(() => { const t = document.querySelector('#text'); t.setSelectionRange(t.value.length, t.value.length); t.focus();
			document.execCommand('insertText', false, '/' + '/'.repeat(1 << 20)); })()`},
		{"a server that stopped", "server", `(() => { window.fetch = () => Promise.reject(new TypeError('no connection'));
			const t = document.querySelector('#text'); t.setSelectionRange(t.value.length, t.value.length); t.focus();
			document.execCommand('insertText', false, '// more'); })()`},
		{"too long", "wasm", `(() => { Worker.prototype.postMessage = function (m) { queueMicrotask(() => this.onmessage({data: {id: m.id, error: 'No answer within 10 seconds.'}})); };
			const t = document.querySelector('#text'); t.setSelectionRange(t.value.length, t.value.length); t.focus();
			document.execCommand('insertText', false, '// more'); })()`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tb := open(t, tt.engine, "", desktop)
			tb.write(mistaken)
			tb.until(`document.querySelector('#text .fault')?.textContent === 'y'`)
			tb.choose("#target", "sm_90")
			tb.choose("#against", "sm_70")
			tb.choose("#only", "one")
			tb.until(`document.querySelector('#printed').textContent === 'For sm_90, compared with sm_70.'`)
			tb.settled()
			tb.run(tt.script)
			tb.until(`!document.querySelector('#refused').hidden`)
			tb.settled()
			got := eval[[]string](tb, `['#diagnostics-title', '#diagnostics', '#printed', '#alike', '#groups'].map((s) => document.querySelector(s).textContent).concat(
				String(document.querySelector('#checked').hidden), String(document.querySelector('#shown').hidden),
				String(document.querySelectorAll('#text .fault, #marks .tint, #groups *').length),
				[...document.querySelector('#only').options].map((o) => o.textContent).join(' '), document.querySelector('#lang').options[0].textContent,
				document.querySelector('#only').value, document.querySelector('#target').value, document.querySelector('#against').value)`)
			want := []string{"Not checked", "", "", "", "", "true", "true", "0", "Everything one", "Guess", "one", "sm_90", "sm_70"}
			if !slices.Equal(got, want) {
				t.Errorf("the page has %q, expected %q", got, want)
			}
			tb.clean()
		})
	}
}

// TestHalf has texts of which not all can be read, and a damaged link: what can is shown, and a banner says what keeps it
// from being all and leads there.
func TestHalf(t *testing.T) {
	const kernels = "template <class T> __global__ void fill(T *p, T v) { }\n__global__ void plain(int n);\n"
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		for _, tt := range []struct{ text, why, jump, values string }{
			{kernels, "1 of 2 declarations; warning at 1:1.", "Go to 1:1", "plain"},
			{".version 7.8\n.target sm_80\n.func good(.param .b32 x) { ret; }\n.func bad(.param .b32 );\n", "1 of 2 functions; error at 4:23.", "Go to 4:23", "good"},
			{".version 7.8\n.target sm_80\n.func good(.param .b32 x) { ret; }\n.func open(.param .b32 y) {\nret\n}\n", "The places of all 2 functions; error at 5:4.", "Go to 5:4", "open"},
			{"Nothing of this is a program.", "Nothing of this text can be shown: error at 1:1. Paste PTX, C, CUDA, Go or a listing.", "Go to 1:1", ""},
		} {
			tb.write(tt.text)
			tb.until(fmt.Sprintf(`document.querySelector('#why').textContent === %q && !document.querySelector('#refused').hidden`, tt.why))
			if got := tb.text("#jump"); got != tt.jump {
				t.Errorf("the button says %q", got)
			}
			tb.settled()
			if shown := eval[bool](tb, `!document.querySelector('#shown').hidden`); shown != (tt.values != "") || shown && !strings.Contains(tb.text("#values"), tt.values) {
				t.Errorf("%q: %v, %q", tt.text, shown, tb.text("#values"))
			}
		}
		// Of the text before nothing can be chosen, and no target is named.
		if got := eval[int](tb, `document.querySelector('#only').options.length`); got != 1 || tb.text("#printed") != "" {
			t.Errorf("%d choices, and %q", got, tb.text("#printed"))
		}
		tb.do(chromedp.Click("#jump"))
		if got := eval[string](tb, `document.activeElement.id + document.querySelector('#text').selectionStart`); got != "text0" {
			t.Error(got)
		}
		tb.write(module)
		tb.choose("#against", "sm_35")
		tb.settled()
		tb.choose("#target", "sm_90")
		tb.write(".version 7.8\n.target sm_80\n.func good(.param .b32 x) { ret; }\n")
		tb.until(`document.querySelector('#why').textContent === 'Not compared with sm_35: the module is for sm_80, and sm_35 is below that.'`)
		tb.choose("#against", "")
		tb.choose("#target", "sm_50") // what is refused is shown for the module's own
		tb.until(`document.querySelector('#why').textContent === 'The module is for sm_80, and sm_50 is below that. Shown for sm_80.'`)
		tb.settled()
		if !eval[bool](tb, `document.querySelector('#values').textContent.includes('good') && !document.querySelector('#shown').hidden && document.querySelector('#target').value === 'sm_80'`) {
			t.Error("nothing is shown for a target that is refused")
		}
		tb.do(chromedp.Click("#own"))
		tb.until(`document.querySelector('#refused').hidden`)
		tb.clean()

		tb = open(t, engine, "#1broken", desktop)
		tb.until(`document.querySelector('#why').textContent.startsWith('This link is damaged') && document.querySelector('#pictures svg') !== null`)
		tb.write(module)
		tb.until(`document.querySelector('#refused').hidden`)
		tb.clean()
	})
}
