package browsertest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// drop drops a file on the page.
func (tb *tab) drop(name string, data []byte) {
	tb.Helper()
	tb.run(fmt.Sprintf(`(() => {
		const d = new DataTransfer();
		d.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %q));
		document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: d, bubbles: true, cancelable: true}));
	})()`, base64.StdEncoding.EncodeToString(data), name))
}

// TestBinary drops a cubin on the page, which lists its kernels and holds them against
// the source as that changes, and puts it away. In the static build nothing is sent.
func TestBinary(t *testing.T) {
	cubin, err := os.ReadFile("../../../../examples/drift/step.cubin")
	if err != nil {
		t.Fatal(err)
	}
	mangled, err := os.ReadFile("../../verify/testdata/cxx-sm_80-12.4.cubin")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write("extern \"C\" __global__ void step(double *x, float dt, int n);\n")
		tb.until(`document.querySelector('#pictures [data-value="k0.p0.f0"]') !== null`)
		tb.settled()
		tb.drop("step.cubin", cubin)
		tb.until(`document.querySelector('#binary-said').textContent === 'The kernels are as the source says.'`)
		if got := eval[[]string](tb, `[...document.querySelectorAll('#binary-kernels td')].map((e) => e.textContent)`); strings.Join(got, "|") != "step|c[0x0][0x160], 16 bytes|0:8 8:12 12:16|10|0|cubin sm_80 12.4|the file" {
			t.Errorf("the kernels are %q", got)
		}
		tb.write("extern \"C\" __global__ void step(double *x,\n\tdouble dt, int n);\n")
		tb.until(`document.querySelector('#binary-said').textContent === '3 differences between what is compiled and the source.'`)
		tb.settled()
		if got := tb.text("#binary-findings"); !strings.Contains(got, "step.cubin: kernel step: parameter 1 (dt) has 4 bytes, 8 in input.cu") {
			t.Error(got)
		}
		tb.do(chromedp.Click("#binary-findings button"))
		if got := eval[string](tb, `document.activeElement.id + ' ' + document.querySelector('#text').value.slice(0, document.querySelector('#text').selectionStart).split('\n').length`); got != "text 2" {
			t.Errorf("the difference leads to %s", got)
		}
		tb.do(chromedp.Click("#binary [aria-controls]"))
		if got := tb.text("#binary-reports"); !strings.Contains(got, "kernel step(double*, double, int): differs") && !strings.Contains(got, "kernel step: differs") {
			t.Error(got)
		}
		tb.drop("mangled.cubin", mangled)
		tb.until(`document.querySelector('#binary-kernels td span[title="_Z3addf"]')?.textContent === 'add(float)'`)
		tb.drop("<img src=x onerror=alert(1)>.o", append([]byte("\x7fELF\x02\x01"), make([]byte, 200)...))
		tb.until(`document.querySelector('#binary-said').textContent.startsWith('Not read: ')`)
		tb.drop("cut.cubin", cubin[:len(cubin)/2])
		tb.until(`document.querySelector('#binary-title').textContent === 'cut.cubin'`)
		tb.settled()
		tb.drop("large.cubin", make([]byte, 5<<20))
		tb.until(`document.querySelector('#binary-said').textContent.startsWith('Not read: it has 5242880 bytes; at most')`)
		tb.settled()
		if got := eval[string](tb, `['#binary-title', '#binary-findings', '#binary-kernels', '#binary-reports'].map((s) => document.querySelector(s).textContent).join('|')`); got != "large.cubin|||" {
			t.Errorf("of a file that is too large the page says %q", got)
		}
		tb.drop("large.ptx", bytes.Repeat([]byte(" "), 5<<20))
		tb.until(`document.querySelector('#binary-title').textContent === 'large.ptx' && document.querySelector('#binary-said').textContent.includes(', and a text here at most ')`)
		tb.run(`(() => {
			const d = new DataTransfer();
			for (const name of ['a.ptx', 'b.ptx']) d.items.add(new File(['.version 8.0'], name));
			document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: d, bubbles: true, cancelable: true}));
		})()`)
		tb.until(`document.querySelector('#binary-title').textContent === '2 files'`)
		if got := tb.text("#binary-said"); got != "Not read: one is read at a time." {
			t.Errorf("of two files the page says %q", got)
		}
		tb.drop("new.ptx", []byte(module))
		tb.until(`document.querySelector('#text').value.includes('.version') && document.querySelector('#pictures [data-value="f0.p1"]') !== null`)
		tb.settled()
		if !eval[bool](tb, `document.querySelector('#binary').hidden`) {
			t.Error("what was said of a file that is not read stays beside another text")
		}
		tb.drop("step.cubin", cubin)
		tb.until(`!document.querySelector('#binary').hidden`)
		tb.settled()
		tb.do(chromedp.Click("#binary-away"))
		tb.settled()
		if !eval[bool](tb, `document.querySelector('#binary').hidden && document.querySelectorAll('img').length === 0`) {
			t.Error("the file is not put away, or its name has become an element")
		}
		tb.clean()
		if engine == "wasm" && strings.Contains(strings.Join(tb.asked, " "), "/answer") {
			t.Error("the static build sends something")
		}
	})
}
