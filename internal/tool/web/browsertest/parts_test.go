package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// between has the page take keys after each part of an answer. Where an expression is true then, the answer stays as
// far as it is, until go() is called.
func (tb *tab) between(expression string) {
	tb.Helper()
	tb.run(`(() => {
		const now = performance.now.bind(performance);
		let extra = 0, waiting = [];
		performance.now = () => now() + (extra += 10);
		window.stays = 0;
		window.stop = () => ` + expression + `;
		window.go = () => { window.stop = () => false; for (const r of waiting) r(); };
		scheduler.yield = () => new Promise((r) => { if (stop()) { stays++; waiting.push(r); } else setTimeout(r); });
	})()`)
}

// insert types a text at an offset.
func (tb *tab) insert(at int, text string) {
	tb.Helper()
	tb.run(fmt.Sprintf(`(() => { const t = document.querySelector('#text'); t.focus(); t.setSelectionRange(%d, %d); document.execCommand('insertText', false, %q); })()`, at, at, text))
}

// TestPartsBroken makes a text unreadable while parts of the answer about it are on the page: what stays there is all of that
// answer, and nothing of the one before.
func TestPartsBroken(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.write(letter)
	tb.until(`document.querySelector('#pictures').textContent.includes('struct Letter:')`)
	tb.settled()
	tb.between(`document.querySelector('#pictures').textContent.includes('LetterX')`)
	tb.insert(len("struct Letter"), "X")
	tb.until(`stays === 1`)
	if got := tb.text("#values"); strings.Contains(got, "LetterX") {
		t.Fatalf("the answer has come to its end: %q", got)
	}
	tb.run(`stop = () => false`)
	tb.insert(len("struct LetterX"), " ?")
	tb.until(`document.querySelector('#status').textContent.startsWith('Syntax error in line 1')`)
	tb.settled()
	tb.run(`go()`)
	tb.settled()
	if got := tb.text("#values"); !strings.Contains(got, "fieldLetterX") || strings.Contains(got, "fieldLetter\u00a0") {
		t.Errorf("beside the picture of LetterX the values are %q", got)
	}
	if got := eval[string](tb, `document.body.className + document.querySelector('#refused').hidden`); got != "stalefalse" {
		t.Errorf("what stays is not dimmed: %s", got)
	}
	tb.clean()
}

// TestPartsMarked has the value that the caret is in marked also in what an answer draws anew.
func TestPartsMarked(t *testing.T) {
	tb := open(t, "server", "", desktop)
	text := `__device__ int f(int u, int v);`
	tb.write(text)
	tb.until(`document.querySelector('#pictures [data-value="f0.p1"]') !== null`)
	tb.settled()
	hot := `[...document.querySelectorAll('.hot')].filter((e) => !e.matches('li')).map((e) => e.dataset.value ?? e.dataset.ids ?? e.dataset.of).sort().join(' ')`
	for _, tt := range []struct{ at, insert, want string }{
		{"v)", "", "f0.p1"}, {"v)", "w", "f0.p1"}, {"int u", "int k, ", ""},
	} {
		tb.insert(strings.Index(text, tt.at), tt.insert)
		text = strings.Replace(text, tt.at, tt.insert+tt.at, 1)
		tb.until(textIs + fmt.Sprintf("%q", text))
		tb.settled()
		got := map[string]bool{}
		for _, id := range strings.Fields(eval[string](tb, hot)) {
			got[id] = true
		}
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !got[tt.want]) {
			t.Errorf("after %q, %v is marked", text, got)
		}
		if n := eval[int](tb, `document.querySelectorAll('#pictures .hot').length`); (n > 0) != (tt.want != "") {
			t.Errorf("after %q, %d pieces of the picture are marked", text, n)
		}
	}
	// Another target draws some of it anew, of which all is marked.
	tb.run(`(() => { const t = document.querySelector('#text'), at = t.value.indexOf('wv)'); t.setSelectionRange(at, at); })()`)
	tb.choose("#against", "sm_90")
	tb.settled()
	tb.choose("#target", "sm_50")
	tb.settled()
	if got := eval[[]bool](tb, `[...document.querySelectorAll('#pictures [data-value="f0.p2"], #values [data-ids="f0.p2"]')].map((e) => e.classList.contains('hot'))`); len(got) < 3 || strings.Contains(fmt.Sprint(got), "false") {
		t.Errorf("the value that the caret is in is marked: %v", got)
	}
	tb.clean()
}

// TestPartsFix does not apply a fix to a text that it is not of: a part that was asked first and shows nothing does not
// bring the fixes up to date.
func TestPartsFix(t *testing.T) {
	tb := open(t, "server", "", desktop)
	old := ".version 7.0\n.target sm_90\n.address_size 64\n" + strings.Repeat("// A line that says nothing at all, and is long.\n", 2400)
	tb.write(old)
	tb.until(`document.querySelector('#diagnostics .fix') !== null`)
	tb.settled()
	// The first question is answered, that about everything is not.
	tb.run(`{ const json = Response.prototype.json; let n = 0; window.second = 0;
		Response.prototype.json = async function () { if (++n === 2) { second++; await new Promise((r) => { window.go = r; }); } return json.call(this); }; }`)
	tb.insert(0, "// ")
	tb.until(`second === 1`)
	before := tb.text("#text")
	tb.run(`document.querySelector('#diagnostics .fix').click()`)
	if tb.text("#text") != before || !strings.HasPrefix(tb.text("#status"), "The text has changed") {
		t.Errorf("a fix of the text before is applied: %q, %q", before[:60], tb.text("#text")[:60])
	}
	tb.run(`go()`)
	tb.settled()
	tb.clean()
}

// TestListingStays keeps the listing where the reader scrolled it to, as long as the text is the same one.
func TestListingStays(t *testing.T) {
	for name, text := range map[string]string{"short": long(4000), "long": long(60_000)} {
		t.Run(name, func(t *testing.T) {
			tb := open(t, "server", "", desktop)
			tb.write(text)
			tb.until(`document.querySelector('#listing').scrollHeight > document.querySelector('#listing').clientHeight + 200`)
			tb.settled()
			tb.run(`document.querySelector('#listing').scrollTop = 150`)
			tb.insert(0, "// more\n")
			tb.until(`document.querySelector('#text').value.startsWith('// more')`)
			tb.settled()
			if got := eval[int](tb, `document.querySelector('#listing').scrollTop`); got != 150 {
				t.Errorf("after an edit the listing is at %d", got)
			}
			if name == "long" { // and shows lines where it becomes shorter
				tb.run(`document.querySelector('#listing').scrollTop = 1e6`)
				tb.run(`(() => { const t = document.querySelector('#text'); t.focus(); t.setSelectionRange(t.value.lastIndexOf('\n', t.value.length * 0.6) + 1, t.value.length - 8); })()`)
				tb.key("Delete", 46, 0, "deleteForward")
				tb.until(`document.querySelector('#text').value.length < 40_000`)
				tb.settled()
				if got := eval[bool](tb, `(() => { const l = document.querySelector('#listing'), b = l.getBoundingClientRect();
					return [...l.querySelectorAll('.code, .decl, .label, .head')].some((e) => { const r = e.getBoundingClientRect(); return r.top < b.bottom && r.bottom > b.top; }); })()`); !got {
					t.Error("the listing shows no line")
				}
				// A body with an error has no listing: what is hidden cannot be scrolled.
				tb.insert(len(".version 8.0\n.target sm_90\n.visible .func f(.param .b32 x)\n{\n// more\n"), "?")
				tb.until(`document.querySelector('#listing').hidden`)
				tb.settled()
			}
			tb.choose("#example", "0")
			tb.settled()
			if got := eval[int](tb, `document.querySelector('#listing').scrollTop`); got != 0 {
				t.Errorf("the listing of another text is at %d", got)
			}
			tb.clean()
		})
	}
}

// TestMenuDelete deletes and replaces several lines as a menu does, without a key: the page's policy is kept, and one undo
// takes it back.
func TestMenuDelete(t *testing.T) {
	tb := open(t, "server", "", desktop)
	text := "// one é\n// two 😀\n// three\n"
	tb.write(text)
	tb.settled()
	for _, command := range []string{"DeleteBackward", "DeleteForward"} {
		tb.run(`(() => { const t = document.querySelector('#text'); t.focus(); t.setSelectionRange(3, 16); })()`)
		// A key that the page does not know carries the browser's own command.
		tb.key("F20", 131, 0, command)
		tb.until(textIs + `'// 😀\n// three\n'`)
		tb.settled()
		tb.key("z", 90, 2)
		tb.until(textIs + fmt.Sprintf("%q", text))
	}
	tb.clean()
}
