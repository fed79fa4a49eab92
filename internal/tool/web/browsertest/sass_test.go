package browsertest

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestSASS annotates a pasted listing, and goes back to PTX. The build without a
// server loads the larger one for it.
func TestSASS(t *testing.T) {
	text, err := os.ReadFile("../../../../examples/drift/step.sass")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write(string(text))
		tb.until(`document.querySelector('#listing').textContent.includes('// params[8:12]')`)
		tb.settled()
		if got := tb.text("#pictures p"); got != "A listing has no declarations to draw. Its annotations are in the listing." {
			t.Error(got)
		}
		tb.resize(phone)
		tb.do(chromedp.Click("#pictures .narrow"))
		tb.until(`document.querySelector('#listing').checkVisibility()`)
		tb.resize(desktop)
		tb.write(module)
		tb.until(`document.querySelector('#pictures [data-value="f0.p1"]') !== null`)
		tb.write("/*0000*/ <img src=x onerror=alert(1)> ;\n")
		tb.settled()
		if n := eval[int](tb, `document.querySelectorAll('img').length`); n != 0 {
			t.Errorf("%d elements were made of the text", n)
		}
		tb.clean()
	})
}
