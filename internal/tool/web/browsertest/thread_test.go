package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestSize holds what the page without a server loads.
func TestSize(t *testing.T) {
	if chromium == "" {
		t.Skip("no Chromium here: nothing was built")
	}
	for name, most := range map[string]int64{"explorer.wasm.gz": 2_700_000, "explorer-go.wasm.gz": 4_100_000, "explorer-all.wasm.gz": 6_200_000} {
		f, err := os.Stat(filepath.Join(built, name))
		if err != nil {
			t.Fatal(err)
		}
		if f.Size() > most {
			t.Errorf("%s has %d bytes, expected at most %d", name, f.Size(), most)
		}
	}
}

// TestSlowLine opens the page without a server on a slow line and processor: the first example is
// shown after a quarter of a megabyte, which such a line has in little more than a second, before the editor and
// the build, its picture with the first paint, and what is loading is said from the start.
func TestSlowLine(t *testing.T) {
	tb := blank(t, "wasm", phone)
	fast, own := tb.slowLine(), tb.slowProcessor()
	defer own()
	defer fast()
	tb.visit("")
	tb.until(`document.querySelector('#loading')?.textContent.startsWith('Loading')`)
	// What is painted first has the picture.
	tb.until(`performance.getEntriesByName('first-contentful-paint').length > 0`)
	t.Logf("first paint after %.0f ms", eval[float64](tb, `performance.getEntriesByName('first-contentful-paint')[0].startTime`))
	if !eval[bool](tb, `[...document.querySelectorAll('#pictures svg')].some((e) => e.checkVisibility())`) {
		t.Error("the first thing that is painted has no picture")
	}
	tb.until(`document.querySelector('#pictures .take') !== null`)
	names := eval[[]string](tb, `performance.getEntriesByType('resource').filter((e) => e.responseEnd > 0).map((e) => e.name.split('/').pop())`)
	if n := eval[int](tb, `performance.getEntriesByType('navigation')[0].encodedBodySize + performance.getEntriesByType('resource').reduce((n, e) => n + e.encodedBodySize, 0)`); n < 50_000 || n > 250_000 {
		t.Errorf("%d bytes were loaded before the first answer: %q", n, names)
	}
	for _, name := range names {
		if strings.Contains(name, "wasm") || name == "codemirror.js" {
			t.Errorf("%s was loaded before the first answer", name)
		}
	}
	// The text can be read before it can be changed.
	if got := eval[string](tb, `document.querySelector('#text').textContent`); !strings.HasPrefix(got, ".version") {
		t.Errorf("the source is %q", got)
	}
	tb.until(`document.querySelector('#loading').textContent.startsWith('Loading the explorer')`)
	tb.settled()
	tb.do(chromedp.Click("#panes [data-pane=source]"))
	fast()
	tb.write(letter)
	tb.until(`document.querySelector('#values').textContent.includes('byte 8') && document.querySelector('#loading').hidden`)
	tb.clean()
}
