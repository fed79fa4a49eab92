package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// key presses a key with a command of the browser's editor, as its shortcut does.
func (tb *tab) key(name string, code, modifiers int64, commands ...string) {
	tb.Helper()
	call(tb, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Key: name, WindowsVirtualKeyCode: code, Modifiers: modifiers, Commands: commands,
	})
	call(tb, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyUp, Key: name, WindowsVirtualKeyCode: code, Modifiers: modifiers,
	})
}

// long is a function of about n bytes that is right.
func long(n int) string {
	const line = "\tadd.s32 %r1, %r2, %r3; // number 1234567\n"
	return ".version 8.0\n.target sm_90\n.visible .func f(.param .b32 x)\n{\n\t.reg .b32 %r<5>;\n\tld.param.b32 %r2, [x];\n\tmov.b32 %r3, 1;\n" +
		strings.Repeat(line, n/len(line)) + "\tret;\n}\n"
}

// TestReplaceLong selects a long text whole, deletes it, and types. Elements whose
// content the browser holds back, as closed details are, made that take time with
// the square of the text: minutes at this size. The bound is wide.
func TestReplaceLong(t *testing.T) {
	tb := open(t, "server", "", desktop)
	text := long(600_000)
	tb.run(fmt.Sprintf(`(() => { const t = document.querySelector('#text'); t.value = %q; t.focus();
		window.longest = 0;
		new PerformanceObserver((l) => { for (const e of l.getEntries()) longest = Math.max(longest, e.duration); }).observe({entryTypes: ['longtask']}); })()`, text))
	tb.until(`document.querySelector('#values').textContent.includes('R4')`)
	tb.settled()
	tb.key("a", 65, 2, "selectAll")
	tb.key("Delete", 46, 0, "deleteForward")
	tb.until(`document.querySelector('#text').value === '' && document.querySelector('#listing-missing').textContent !== ''`)
	tb.settled()
	if n := eval[float64](tb, `longest`); n > 5000 {
		t.Errorf("the page did nothing else for %.0f ms", n)
	}
	tb.clean()
}

// TestTypeLong types into a long text, and counts the work that a key makes: what is
// marked and listed does not grow with the text.
func TestTypeLong(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.run(fmt.Sprintf(`(() => { const t = document.querySelector('#text'); t.value = %q; t.focus();
		t.setSelectionRange(200, 200); })()`, long(900_000)))
	tb.until(`document.querySelector('#values').textContent.includes('R4') && document.querySelector('#notes').textContent.includes('cut off after 4000 lines')`)
	tb.settled()
	if n := eval[int](tb, `document.querySelectorAll('#listing li').length`); n > 400 {
		t.Errorf("%d of 4000 lines are elements", n)
	}
	tb.run(`window.made = 0; new MutationObserver((l) => { for (const m of l) made += m.addedNodes.length; }).observe(document.body, {childList: true, subtree: true})`)
	tb.do(chromedp.KeyEvent("x"))
	tb.settled()
	if n := eval[int](tb, `made`); n > 3000 {
		t.Errorf("a key made %d nodes", n)
	}
	// What is out of sight becomes elements when it is scrolled to.
	tb.run(`document.querySelector('#listing').scrollTop = 1e7`)
	tb.until(`document.querySelector('#listing #line-3999') !== null && document.querySelector('#listing #line-0') === null`)
	tb.clean()
}

// TestLineByLine has a paste reported line by line, as keyboards on phones and
// execCommand do: the page takes it up once.
func TestLineByLine(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.run(`window.drawn = 0; new MutationObserver(() => drawn++).observe(document.querySelector('#text'), {childList: true, subtree: true})`)
	tb.write(long(20_000))
	tb.until(`document.querySelector('#values').textContent.includes('R4')`)
	tb.settled()
	if n := eval[int](tb, `drawn`); n == 0 || n > 40 {
		t.Errorf("the marks were drawn %d times", n)
	}
	tb.clean()
}

// TestInsertLines has many lines inserted by one event, as keyboards on phones and dictation do. The browser would put
// each into the page by itself, 285 events for these in time with the square of their number; it is one change, which one key takes back.
func TestInsertLines(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.run(`(() => { const t = document.querySelector('#text'); t.focus(); t.select(); t.setSelectionRange(9, 13);
		window.before = t.value; window.inputs = 0; t.addEventListener('input', () => inputs++); })()`)
	lines := strings.Repeat("\tadd.s32 %r1, %r2, %r3; // number 1234567\n", 142)
	call(tb, input.InsertText, input.InsertTextParams{Text: strings.ReplaceAll(lines, "\n", "\r\n")})
	tb.until(fmt.Sprintf(`document.querySelector('#text').value === before.slice(0, 9) + %q + before.slice(13)`, lines))
	if n := eval[int](tb, `inputs`); n != 0 {
		t.Errorf("the browser made %d changes", n)
	}
	tb.settled()
	tb.key("z", 90, 2)
	tb.until(`document.querySelector('#text').value === before`)
	// A line is the browser's own.
	call(tb, input.InsertText, input.InsertTextParams{Text: "9.0"})
	tb.until(`document.querySelector('#text').value === before.slice(0, 9) + '9.0' + before.slice(13)`)
	tb.settled()
	tb.clean()
}
