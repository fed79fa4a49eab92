package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestCode generates code for a type and a kernel in each language, copies it, and goes
// over to what another text has. The build without a server loads the larger one for it.
func TestCode(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write("struct S { int n; double x[3]; };\n__global__ void step(S s, float *out);\n")
		tb.until(`document.querySelector('#code-of').length === 2`)
		tb.settled()
		if got := tb.text("#code-files"); got != "" {
			t.Errorf("nobody asked for %.40s", got)
		}
		for _, c := range []struct{ of, in, file, has string }{
			{"type S", "go", "params.go", "func (v *S) AppendParam(b []byte) []byte"},
			{"type S", "rust", "params.rs", "pub struct S"},
			{"type S", "python", "params.py", "class S"},
			{"type S", "c", "params.h", "PTXPARAM_ASSERT(sizeof(struct S) == 32"},
			{"kernel step", "rust", "params.rs", "pub struct StepArgs"},
			{"kernel step", "go", "params.go", "type StepArgs struct"},
		} {
			tb.choose("#code-of", c.of)
			tb.choose("#code-in", c.in)
			tb.until(`document.querySelector('#code-files figcaption')?.firstChild.textContent === '` + c.file + `' && document.querySelector('#code-files pre').textContent.includes('` + c.has + `')`)
		}
		tb.settled()
		tb.run(`navigator.clipboard.writeText = async (t) => { window.copied = t; }`)
		tb.do(chromedp.Click("#code-files figcaption button"))
		tb.until(`window.copied === document.querySelector('#code-files pre').textContent`)
		tb.choose("#code-in", "c")
		tb.until(`document.querySelector('#code-missing').textContent.includes('there is nothing to pack')`)
		tb.choose("#code-in", "python")
		tb.write("struct Other { long double <b>x; };\nstruct T { short a; };\n")
		tb.settled()
		tb.write("struct Q { long double a; };\nstruct T { short a; };\n")
		tb.until(`[...document.querySelectorAll('#code-of option')].some((o) => o.value === 'type Q')`)
		tb.choose("#code-of", "type Q") // T was read of the text before, and stays chosen
		tb.until(`document.querySelector('#code-missing').textContent.includes('long double')`)
		tb.choose("#code-of", "type T")
		tb.until(`document.querySelector('#code-files pre')?.textContent.includes('class T')`)
		tb.write(".version 8.0\n.target sm_90\n.visible .func f(.param .b32 x) { ret; }")
		tb.until(`document.querySelector('#code').hidden`)
		tb.settled()
		tb.clean()
	})
}
