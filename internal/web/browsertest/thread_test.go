package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TestKeysLong presses keys in a text of four megabytes. A key takes the page's thread less
// than 50 ms: of twenty, most do, whatever else the machine is at. Nothing is sent but what was changed.
func TestKeysLong(t *testing.T) {
	tb := open(t, "wasm", "", desktop)
	tb.run(fmt.Sprintf(`(() => {
		window.sent = [];
		const post = Worker.prototype.postMessage;
		Worker.prototype.postMessage = function (m) { sent.push(JSON.stringify(m).length); post.call(this, m); };
		const t = document.querySelector('#text'); t.focus();
		const text = %q, line = '\tadd.s32 %%r1, %%r2, %%r3; // number 1234567\n';
		t.value = text.replace(line, line.repeat(97000)); t.setSelectionRange(300, 300); })()`, long(50)))
	tb.until(`document.querySelector('#values').textContent.includes('R4') && document.querySelector('#notes').textContent.includes('cut off after 4000 lines')`)
	tb.settled()
	tb.run(`window.times = []; sent.length = 0;
		new PerformanceObserver((l) => { for (const e of l.getEntries()) if (e.name === 'keydown') times.push(e.processingEnd - e.processingStart); })
			.observe({type: 'event', durationThreshold: 16});
		window.blocked = [];
		new PerformanceObserver((l) => { for (const e of l.getEntries()) blocked.push(e.duration); }).observe({type: 'longtask'});`)
	for range 20 {
		tb.do(chromedp.KeyEvent("x"))
	}
	if n := eval[int](tb, `blocked.length`); n >= 10 {
		t.Errorf("20 keys made %d tasks of over 50 ms: %s", n, eval[string](tb, `blocked.join(' ')`))
	}
	if slow := eval[int](tb, `times.filter((t) => t >= 50).length`); slow >= 10 {
		t.Errorf("%d of 20 keys took 50 ms: %s", slow, eval[string](tb, `times.join(' ')`))
	}
	tb.settled()
	if got := eval[string](tb, `document.querySelector('#text').value.slice(300, 320)`); got != strings.Repeat("x", 20) {
		t.Errorf("%q was typed", got)
	}
	if most := eval[int](tb, `Math.max(...sent)`); most == 0 || most > 1000 {
		t.Errorf("%d bytes were sent of 20 keys", most)
	}
	// All of it can be replaced by a key, and is back by another.
	tb.key("a", 65, 2, "selectAll")
	tb.do(chromedp.KeyEvent("y"))
	tb.until(`document.querySelector('#text').value === 'y'`)
	tb.key("z", 90, 2)
	tb.until(`document.querySelector('#text').textContent.length > 1000`)
	if n := eval[int](tb, `document.querySelector('#text').value.length`); n < 4_000_000 {
		t.Errorf("%d characters are back", n)
	}
	tb.settled()
	tb.clean()
}

// TestPartFirst has the answer about the function in sight of a long text shown before the
// one about everything has come.
func TestPartFirst(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		var text strings.Builder
		text.WriteString(".version 8.0\n.target sm_90\n")
		for i := range 60 {
			fmt.Fprintf(&text, ".visible .func f%d(.param .b32 x)\n{\n%s\tret;\n}\n", i, strings.Repeat("\t// number 1234567890123456789\n", 100))
		}
		asks := map[string]string{
			"server": `const whole = window.fetch; window.fetch = async (url, o) => { const q = JSON.parse(o.body); if (!q.part) await gate; return whole(url, o); };`,
			"wasm":   `const post = Worker.prototype.postMessage; Worker.prototype.postMessage = function (m) { if (m.question?.part) post.call(this, m); else gate.then(() => post.call(this, m)); };`,
		}[engine]
		tb.run(fmt.Sprintf(`(() => { const gate = new Promise((r) => { window.release = r; }); %s })()`, asks))
		tb.run(fmt.Sprintf(`document.querySelector('#text').value = %q;
			requestAnimationFrame(() => requestAnimationFrame(() => { document.querySelector('#editor .cm-scroller').scrollTop = 40 * 104 * 20 + 100; }))`, text.String()))
		tb.until(`document.querySelector('#values tbody').textContent.includes('f40') && document.querySelector('#status').textContent.endsWith('so far')`)
		if n := eval[int](tb, `document.querySelectorAll('#values tbody tr').length`); n != 1 {
			t.Errorf("%d values are shown of one function", n)
		}
		if !eval[bool](tb, `document.querySelector('#result').hasAttribute('aria-busy')`) {
			t.Error("the part is taken for all")
		}
		tb.run(`release()`)
		tb.until(`document.querySelectorAll('#values tbody tr').length === 24`)
		tb.settled()
		tb.clean()
	})
}

// TestSize holds what the page without a server loads.
func TestSize(t *testing.T) {
	if chromium == "" {
		t.Skip("no Chromium here: nothing was built")
	}
	for name, most := range map[string]int64{"explorer.wasm.gz": 2_500_000, "explorer-go.wasm.gz": 4_000_000, "explorer-all.wasm.gz": 6_000_000} {
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
	// Another test may have loaded the page in this tab.
	call(tb, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	defer func() { call(tb, network.SetCacheDisabled, network.SetCacheDisabledParams{}) }()
	line := func(latency, bytes float64) {
		call(tb, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{Latency: latency, DownloadThroughput: bytes, UploadThroughput: bytes}},
		})
	}
	line(150, 1.6e6/8)
	call(tb, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 4})
	defer func() {
		line(0, -1)
		call(tb, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slowdown})
	}()
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
	tb.until(`document.querySelector('#loading').textContent.startsWith('Loading what computes here')`)
	tb.settled()
	tb.do(chromedp.Click("#panes [data-pane=source]"))
	line(0, -1)
	tb.write(letter)
	tb.until(`document.querySelector('#values').textContent.includes('byte 8') && document.querySelector('#loading').hidden`)
	tb.clean()
}
