package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// point rests the pointer on an element.
func (tb *tab) point(selector string) {
	tb.Helper()
	tb.run(fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))`, selector))
}

// TestWhy points at a field of C, and finds its bytes in the register and the rule
// that put them there; and at the register, and finds the field.
func TestWhy(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write("struct P { int x; short y; double z; };\n__device__ struct P f(char k, struct P p);\n")
		tb.until(`document.querySelector('#pictures [data-value="f0.p1"]') !== null`)
		tb.settled()
		marks := func() string {
			return eval[string](tb, `[...document.querySelectorAll('#pictures .byte')].map((g) => g.dataset.value + ' ' + g.dataset.place).join('|') + ' / ' +
				[...document.querySelectorAll('#pictures [data-value^=t].hot')].map((g) => g.dataset.value).filter((v, i, all) => all.indexOf(v) === i).join('|')`)
		}
		tb.point(`#pictures [data-value="t0.f1"]`)
		if got := marks(); got != "f0.p1 R7|f0.r0 R5 / t0.f1" {
			t.Errorf("the field y is marked at %q", got)
		}
		if got := tb.text("#why-said"); got != "field P.y at byte 4 → parameter p[4:6] of f in R7 → result result[4:6] of f in R5 → 1 line of the listing" {
			t.Error(got)
		}
		tb.point(`#pictures [data-value="f0.p1"][data-place=R9]`)
		if got := marks(); got != "f0.p1 R9 / t0.f2" {
			t.Errorf("R9 is marked at %q", got)
		}
		// A byte of an example value is a byte of the register, and the other way round.
		if got := eval[string](tb, `[...document.querySelectorAll('#packed-bytes .byte')].map((e) => e.title).join(' ')`); got != "byte 12: z byte 13: z byte 14: z byte 15: z" {
			t.Errorf("R9 is marked in the packed value at %q", got)
		}
		tb.point(`#packed-bytes span:nth-child(6)`)
		if got := tb.text("#why-said"); got != "field P.y at byte 4 → parameter p[5:6] of f in R7 → result result[5:6] of f in R5 → 1 line of the listing" {
			t.Error(got)
		}
		tb.point(`#pictures [data-value="f0.p1"][data-place=R9]`)
		if got := tb.text("#why-rules"); got != "F5 ↗ 16 bytes, aligned to 8, take 4 registers, the first a multiple of 2; free are R5-R15, and the lowest such run is R6:R9F4 ↗ it is parameter 2 of 2: they are placed in this order" {
			t.Error(got)
		}
		if got := tb.text("#why-facts"); got != "parameter registers: R4:R15 (measured); largest alignment in registers: 16 bytes (measured)" {
			t.Error(got)
		}
		tb.do(chromedp.Click("#why-rules button"))
		if got := tb.text("#why-rule"); !strings.HasPrefix(got, "F5. In registers. Data of size s > 0") {
			t.Error(got)
		}
		tb.do(chromedp.Click("#why-rules button"))
		if !eval[bool](tb, `document.querySelector('#why-rule').hidden`) {
			t.Error("the rule stays")
		}
		tb.write("struct <b>;")
		tb.settled()
		tb.clean()
	})
}

// nested has a callee that calls, with a frame of its own.
const nested = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) g(.param .b32 a);\n" +
	".visible .func (.param .align 4 .b8 sum[52]) mid(.param .align 16 .b8 big[64]) { .reg .b32 %r<6>; .local .align 4 .b8 l[20];\n" +
	"{ .param .b32 a0; .param .b32 res; st.param.b32 [a0], 1; call (res), g, (a0); ld.param.b32 %r2, [res]; }\nld.param.b32 %r3, [big+32]; add.s32 %r2, %r2, %r3; st.param.b32 [sum+48], %r2; ret; }\n" +
	".visible .entry k(.param .u32 c) { .reg .b32 %r<6>; ld.param.u32 %r1, [c];\n{ .param .align 16 .b8 b[64]; .param .align 4 .b8 res[52]; st.param.b32 [b+32], %r1; call (res), mid, (b); ld.param.b32 %r2, [res+48]; } ret; }\n"

// TestFrames draws the frames of caller and callee: where the stack pointer is, what
// is saved, and what is given back.
func TestFrames(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.write(nested)
	tb.until(`document.querySelector('#walk-call').length === 2`)
	tb.settled()
	tb.choose("#walk-call", "1")
	look := func() string {
		return eval[string](tb, `[...document.querySelectorAll('#machine .region, #machine .sp')].map((e) => e.matches('.sp') ? e.textContent.trim() :
			e.dataset.region + ' ' + e.querySelector('.extent').textContent + [...e.querySelectorAll('.cell:not(.empty, .ghost) b')].map((b) => ' ' + b.textContent).join('')).join('|')`)
	}
	if got := look(); got != "rest SP+0x74 … SP+0x80|result SP+0x40 … SP+0x74|arguments SP+0x0 … SP+0x40 big|R1 ▸|rest SP−0x4 … SP+0x0|saved SP−0xc … SP−0x4|rest SP−0x20 … SP−0xc|" {
		t.Errorf("before the call: %s", got)
	}
	tb.until(`(() => { if (!document.querySelector('#walk-said').textContent.includes('R21: saved')) document.querySelector('#walk-next').click(); return document.querySelector('#walk-said').textContent.includes('R21: saved'); })()`)
	if got := look(); got != "rest SP+0x74 … SP+0x80|result SP+0x40 … SP+0x74|arguments SP+0x0 … SP+0x40 big||rest SP−0x4 … SP+0x0|saved SP−0xc … SP−0x4 R20 R21|rest SP−0x20 … SP−0xc|R1 ▸" {
		t.Errorf("in the callee: %s", got)
	}
	tb.do(chromedp.Focus("#walk-next"))
	tb.run(`document.querySelector('#walk-next').dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))`)
	if got := look(); got != "rest SP+0x74 … SP+0x80|result SP+0x40 … SP+0x74 sum|arguments SP+0x0 … SP+0x40 big|R1 ▸|rest SP−0x4 … SP+0x0|saved SP−0xc … SP−0x4|rest SP−0x20 … SP−0xc|" {
		t.Errorf("at the end: %s", got)
	}
	tb.clean()
}
