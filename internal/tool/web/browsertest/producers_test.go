package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestProducers compares two producers in picture and listing, with what moved marked,
// leads back by a link, and leaves texts alone that no producer reads.
func TestProducers(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		if !eval[bool](tb, `document.querySelector('#producer-label').hidden && document.querySelector('#compilers').hidden`) {
			t.Error("PTX has a producer")
		}
		tb.write("struct V { float x, y, z; };\nstruct V g(struct V a, _Complex float c, char k);\n")
		tb.until(`document.querySelector('#pictures [data-value="f0.p2"]') !== null`)
		tb.choose("#against", "gcc-12")
		tb.until(`document.querySelectorAll('#pictures figure').length === 4`)
		tb.settled()
		if got := eval[[]string](tb, `[...document.querySelectorAll('#pictures figcaption')].map((e) => e.firstChild.textContent)`); strings.Join(got, " ") != "nvcc gcc-12 nvcc gcc-12" {
			t.Errorf("the captions are %q", got)
		}
		moved := func() string {
			return eval[string](tb, `[0, 1].map((side) => [...document.querySelectorAll('#pictures [data-side="' + side + '"] .moved')].map((g) => g.dataset.value + ' ' + g.dataset.place).join(' ')).join(' | ')`)
		}
		if got := moved(); got != "f0.p0 R4 f0.p0 R5 f0.p0 R6 f0.p1 R7 f0.p1 R8 f0.p2 R9 f0.r0 R4 f0.r0 R5 f0.r0 R6 | f0.p0 R4 f0.p0 R5 f0.p1 R6 f0.p1 R7 f0.p2 R8 f0.p3 R9 f0.p4 R10" {
			t.Errorf("moved: %s", got)
		}
		if !eval[bool](tb, `document.querySelectorAll('#listing .changed').length > 0 && document.querySelector('#beside').textContent.includes('.param .u64 result')`) {
			t.Error("the listings are not beside each other")
		}
		if got := tb.text("#diff-rows tbody tr"); !strings.HasPrefix(got, "Vtype.param .align 4 .b8 V[12].param .u64 V // its address") {
			t.Error(got)
		}
		tb.choose("#producer", "clang-19")
		tb.until(`document.querySelector('#pictures figcaption').firstChild.textContent === 'clang-19'`)
		tb.settled()
		tb.do(chromedp.Click("#copy"))
		tb.until(`location.hash.length > 20`)
		link := eval[string](tb, `location.hash`)
		tb.write(module)
		tb.until(`document.querySelector('#diff-summary').textContent === 'Not compared: producers are compared for declarations of C and CUDA.'`)
		tb.clean()

		other := open(t, engine, link, phone)
		if got := eval[string](other, `document.querySelector('#producer').value + ' ' + document.querySelector('#against').value`); got != "clang-19 gcc-12" {
			t.Errorf("the link leads to %s", got)
		}
		if over := eval[[]string](other, overflowing); len(over) > 0 {
			t.Errorf("wider than the page: %q", over)
		}
		other.clean()
	})
	tb := blank(t, "server", desktop)
	tb.visit(link(t, `{"text":"struct S { int a; };","producer":"<img src=x>","against":"clang-99"}`))
	tb.settled()
	if got := eval[string](tb, `document.querySelector('#producer').value + document.querySelector('#against').value`); got != "" {
		t.Errorf("the link chooses %q", got)
	}
	tb.clean()
}

// TestUnequalProducers compares where one of the two has no picture of a function: that of
// the other is shown.
func TestUnequalProducers(t *testing.T) {
	tb := open(t, "server", "", screen{1440, 900, false})
	tb.write("struct A { long double x; char c; };\n__device__ float f(struct A a, float b);\n")
	tb.until(`document.querySelector('#diagnostics').textContent.includes("nvcc's idea of its long double is not known")`)
	tb.settled()
	tb.choose("#against", "clang")
	tb.until(`document.querySelector('#pictures [data-side="1"] [data-value="f0.p1"].moved') !== null`)
	tb.settled()
	if got := eval[[]string](tb, `[...document.querySelectorAll('#pictures figcaption')].map((e) => e.firstChild.textContent)`); strings.Join(got, " ") != "nvcc clang clang" {
		t.Errorf("the pictures are those of %q", got)
	}
	tb.clean()
}
