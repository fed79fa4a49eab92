package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// keep notes what the page saves: names, and contents.
const keep = `(() => {
	window.saved = [];
	const make = URL.createObjectURL;
	URL.createObjectURL = (b) => { window.last = b; return make.call(URL, b); };
	HTMLAnchorElement.prototype.click = function () { saved.push({name: this.download, blob: window.last}); };
})()`

// TestTake saves pictures and the listing.
func TestTake(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.run(keep)
		tb.do(chromedp.Click("#pictures .take button:nth-child(1)"))
		tb.until(`saved.length === 1`)
		svg := eval[string](tb, `saved[0].blob.text()`)
		for _, part := range []string{`<style>`, `.ptxabi-picture .c7{`, `<desc>`, `data-value="f0.p1"`, `class="ptxabi-picture"`} {
			if !strings.Contains(svg, part) {
				t.Errorf("the SVG lacks %s", part)
			}
		}
		if strings.Contains(svg, "data-theme") || strings.Contains(svg, ` hot"`) {
			t.Error("the SVG has what is the page's")
		}
		tb.do(chromedp.Click("#pictures .take button:nth-child(2)"))
		tb.until(`saved.length === 2`)
		// Twice the size, and not empty: the cells' colour is there.
		if got := eval[string](tb, `(async () => {
			const image = await createImageBitmap(saved[1].blob);
			const canvas = new OffscreenCanvas(image.width, image.height);
			const to = canvas.getContext('2d');
			to.drawImage(image, 0, 0);
			const {data} = to.getImageData(0, 0, image.width, image.height);
			let orange = 0;
			for (let i = 0; i < data.length; i += 4) if (data[i] === 0xee && data[i + 1] === 0x88 && data[i + 2] === 0x66) orange++;
			return image.width + ' ' + (orange > 1000);
		})()`); got != "1296 true" && got != "724 true" {
			t.Error(got)
		}
		tb.do(chromedp.Click("#save-listing"))
		tb.until(`saved.length === 3`)
		if got := eval[string](tb, `saved[2].blob.text()`); !strings.Contains(got, "\tMOV R7, %rd1.hi ;") || !strings.HasSuffix(got, "EXIT ;\n") {
			t.Error(got)
		}
		if got := eval[[]string](tb, `saved.map((s) => s.name)`); strings.Join(got, " ") != "ptxabi-sm_90.svg ptxabi-sm_90.png ptxabi-sm_90-listing.txt" {
			t.Errorf("%q", got)
		}
		tb.clean()
	})
}

// TestTakeMarkup saves what has markup for names.
func TestTakeMarkup(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.write("package p\n\ntype T struct {\n\tA int8 `x:\"</style><script>alert(1)</script>\"`\n\tB [2]float64\n}\n")
	tb.until(`document.querySelector('#values').textContent.includes('byte 8')`)
	tb.run(keep)
	tb.do(chromedp.Click("#pictures .take button:nth-child(1)"))
	tb.until(`saved.length === 1`)
	if svg := eval[string](tb, `saved[0].blob.text()`); strings.Contains(svg, "<script") {
		t.Error(svg)
	}
	if got := eval[string](tb, `saved[0].name`); got != "ptxabi-T-sm_80.svg" {
		t.Error(got)
	}
	tb.clean()
}

// TestEmbed shows the pictures of a link alone, with a way to the whole page.
func TestEmbed(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := blank(t, engine, screen{700, 500, false})
		fragment := link(t, `{"text":"struct Embedded { char a; double b; };"}`)
		tb.do(chromedp.Navigate(tb.origin + "?embed=picture" + fragment))
		tb.settled()
		if got := eval[[]string](tb, `['header', '#text', '#listing', '#walk', '#slider', '.take'].filter((s) => document.querySelector(s).offsetParent !== null)`); len(got) > 0 {
			t.Errorf("%q are shown", got)
		}
		if n := eval[float64](tb, `document.querySelector('figcaption').offsetHeight`); n > 10 {
			t.Errorf("%v pixels above the picture are empty", n)
		}
		if !eval[bool](tb, `document.querySelector('#pictures').textContent.includes('Embedded') && document.querySelector('#pictures svg').checkVisibility()`) {
			t.Error("the picture is not shown")
		}
		if got := eval[string](tb, `document.querySelector('#whole a').href`); got != tb.origin+fragment {
			t.Error(got)
		}
		tb.clean()
	})
}
