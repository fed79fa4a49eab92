package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPacked packs an example value, takes another, and says what does not fit.
func TestPacked(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write("struct S { char c; short s; unsigned a : 3, b : 5; float f[2]; };\n")
		tb.until(`document.querySelector('#packed-bytes').children.length === 16`)
		tb.settled()
		bytes := func() string {
			return eval[string](tb, `[...document.querySelectorAll('#packed-bytes span')].map((e) => e.textContent).join(' ')`)
		}
		set := func(field, value string) {
			tb.run(`(() => { const i = [...document.querySelectorAll('.packed-row')].find((r) => r.querySelector('b').textContent === '` + field + `').querySelector('input');
				i.value = '` + value + `'; i.dispatchEvent(new Event('input')); })()`)
		}
		set("c", "-2")
		set("s", "0x1234")
		set("a", "5")
		set("b", "17")
		set("f", "1, -0.5")
		if got := bytes(); got != "fe 00 34 12 8d 00 00 00 00 00 80 3f 00 00 00 bf" {
			t.Error(got)
		}
		for _, bad := range [][2]string{{"a", "8"}, {"c", "128"}, {"s", "1e3"}, {"f", "1"}, {"b", "<b>"}, {"c", strings.Repeat("9", 5000)}} {
			set(bad[0], bad[1])
			if eval[int](tb, `document.querySelectorAll('.packed-row input[aria-invalid=true]').length`) == 0 {
				t.Errorf("%s takes %.20s", bad[0], bad[1])
			}
		}
		for _, ok := range [][2]string{{"a", "5"}, {"c", "-2"}, {"s", "0x1234"}, {"f", "1, -0.5"}, {"b", "17"}} {
			set(ok[0], ok[1])
		}
		tb.run(`navigator.clipboard.writeText = async (t) => { window.copied = t; }`)
		tb.choose("#packed-as", "Go")
		tb.do(chromedp.Click("#packed-copy"))
		tb.until(`window.copied !== undefined`)
		if got := eval[string](tb, `copied`); got != "value := [16]byte{0xfe, 0x00, 0x34, 0x12, 0x8d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0xbf}" {
			t.Error(got)
		}
		tb.write(".version 8.0\n.target sm_90\n.visible .func f(.param .b32 x) { ret; }")
		tb.until(`document.querySelector('#packed').hidden`)
		tb.clean()
	})
}
