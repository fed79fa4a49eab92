package browsertest

import (
	"strings"
	"testing"
)

// TestBeside compares two targets: both pictures side by side with what moved
// framed, both listings with the lines that differ.
func TestBeside(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", screen{1440, 900, false})
		tb.choose("#against", "sm_120")
		tb.until(`document.querySelectorAll('#pictures figure').length === 2`)
		if got := eval[[]string](tb, `[...document.querySelectorAll('#pictures figcaption')].map((e) => e.firstChild.textContent)`); strings.Join(got, " ") != "sm_90 sm_120" {
			t.Errorf("%q", got)
		}
		if !eval[bool](tb, `(() => { const [a, b] = [...document.querySelectorAll('#pictures figure')].map((e) => e.getBoundingClientRect()); return a.top === b.top && a.right < b.left; })()`) {
			t.Error("they are not side by side")
		}
		if got := eval[[]string](tb, `[...new Set([...document.querySelectorAll('#pictures .moved')].map((e) => e.dataset.value))]`); strings.Join(got, " ") != "f1.p0 f1.p1" {
			t.Errorf("%q are framed", got)
		}
		changed := `[...document.querySelectorAll('#listing .changed')].every((e) => e.textContent.includes('c[0x0]')) && document.querySelectorAll('#listing .changed').length === document.querySelectorAll('#beside .changed').length`
		if n := eval[int](tb, `document.querySelectorAll('#listing .changed').length`); n != 5 || !eval[bool](tb, changed) {
			t.Errorf("%d lines differ, expected those with addresses in the bank", n)
		}
		tb.choose("#against", "")
		tb.until(`document.querySelectorAll('#pictures figure').length === 1 && document.querySelector('#beside').hidden && document.querySelector('.changed, .moved') === null`)
		tb.clean()
	})
}
