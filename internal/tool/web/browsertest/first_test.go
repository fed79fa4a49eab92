package browsertest

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
)

const letter = `struct Letter { char a; double b; };`

// A slow line, which Chromium's tools call slow 4G, and the processor of a phone.
const (
	lineRate    = 1.6e6 / 8 // bytes a second
	lineLatency = 150       // milliseconds before an answer begins
	phoneFactor = 4         // as many times slower is it than this machine
)

// slowLine gives the tab a line, with nothing of the page kept from before. The caller ends it.
func (tb *tab) slowLine() (end func()) {
	tb.Helper()
	line := func(latency, bytes float64) {
		call(tb, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{Latency: latency, DownloadThroughput: bytes, UploadThroughput: bytes}},
		})
	}
	call(tb, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	line(lineLatency, lineRate)
	return func() {
		line(0, -1)
		call(tb, network.SetCacheDisabled, network.SetCacheDisabledParams{})
	}
}

// slowProcessor makes the page's thread as slow as a phone's.
func (tb *tab) slowProcessor() (end func()) {
	tb.Helper()
	set := func(rate float64) {
		call(tb, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate})
	}
	set(phoneFactor)
	return func() { set(slowdown) }
}

// TestFirstAnswer says when the first answer is there on a slow line and a phone: the first example's source, first step
// and picture, which stand in the page. The goal is a second. It adds up what hardly depends on what else the machine is at:
// the bytes that the browser waits for before it paints, at the rate of the line; two latencies, of the page and of what it
// names; and four times the processor time of the page's thread up to there.
func TestFirstAnswer(t *testing.T) {
	tb := open(t, "wasm", "", phone)
	call(tb, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	defer call(tb, network.SetCacheDisabled, network.SetCacheDisabledParams{})
	// The least of three counts: others make it more, and nothing less.
	cpu := math.Inf(1)
	for range 3 {
		took := tb.tasks(func() {
			tb.visit("")
			tb.until(`performance.getEntriesByName('first-contentful-paint').length > 0`)
		})
		one, painted := 0.0, false
		for _, t := range took {
			if painted = t.mark == firstPaint; painted {
				break
			}
			one += t.cpu
		}
		if !painted {
			t.Fatal("the trace has no first paint")
		}
		cpu = min(cpu, one)
	}
	if !eval[bool](tb, `[...document.querySelectorAll('#pictures svg')].some((e) => e.checkVisibility())`) {
		t.Error("the first thing that is painted has no picture")
	}
	waited := eval[[]string](tb, `[performance.getEntriesByType('navigation')[0], ...performance.getEntriesByType('resource').filter((e) => e.renderBlockingStatus === 'blocking')].map((e) => e.name.split('/').pop() + ': ' + e.transferSize)`)
	if len(waited) != 4 {
		t.Errorf("the browser waits for %q: the page, two styles and the theme are expected", waited)
	}
	bytes := eval[float64](tb, `[performance.getEntriesByType('navigation')[0], ...performance.getEntriesByType('resource').filter((e) => e.renderBlockingStatus === 'blocking')].reduce((n, e) => n + e.transferSize, 0)`)
	line := bytes / lineRate * 1000
	total := 2*lineLatency + line + phoneFactor*cpu/slowdown
	said := fmt.Sprintf("%.0f ms: %d of latency, %.0f for %.0f bytes %q, %d × %.0f of the processor", total, 2*lineLatency, line, bytes, waited, phoneFactor, cpu/slowdown)
	t.Log(said)
	if bytes < 30_000 || cpu == 0 {
		t.Errorf("too little was measured: %s", said)
	}
	if 2*lineLatency+line >= 800 {
		t.Errorf("the line alone takes most of a second: %s", said)
	}
	if total >= 1000 {
		slow(t, "the first answer takes %s", said)
	}
	tb.clean()
}

// TestStored shows each example while the build is not there: its answer came with the page.
func TestStored(t *testing.T) {
	tb := blank(t, "wasm", desktop)
	there := tb.without(".wasm.gz")
	tb.visit("")
	tb.settled()
	n := eval[int](tb, `document.querySelectorAll('#example option:not([hidden])').length`)
	if n < 7 {
		t.Fatalf("there are %d examples", n)
	}
	for i := range n {
		tb.choose("#example", fmt.Sprint(n-1-i))
		tb.settled()
		got := eval[string](tb, `[document.querySelector('#status').textContent, document.querySelector('#values tbody')?.rows.length > 0, document.querySelector('#pictures svg') !== null].join(' ')`)
		if want := `Shown for ` + eval[string](tb, `document.querySelector('#target').value`); len(got) < len(want) || got[:len(want)] != want || got[len(got)-9:] != "true true" {
			t.Errorf("example %d: %s", n-1-i, got)
		}
	}
	// So are they at another width.
	tb.resize(phone)
	tb.until(`document.querySelector('#pictures svg').getAttribute('width') < 500`)
	tb.settled()
	if got := eval[string](tb, `document.querySelector('#refused').hidden + ' ' + document.querySelector('#status').textContent`); !strings.HasPrefix(got, "true Shown for ") {
		t.Errorf("at another width the page says %q", got)
	}
	// That it cannot be had is said, also of a text of the reader's own; with the next change it is asked for again.
	tb.until(`document.querySelector('#loading').textContent.startsWith('The explorer could not be loaded: explorer.wasm.gz: 404')`)
	tb.write(letter)
	tb.until(`!document.querySelector('#refused').hidden`)
	tb.settled()
	if got := tb.text("#why"); got != "explorer.wasm.gz: 404 Not Found" {
		t.Errorf("without the build the page says %q", got)
	}
	there()
	tb.write(letter + " ")
	tb.until(`document.querySelector('#values').textContent.includes('byte 8')`)
	tb.settled()
	if got := tb.text("#loading"); got != "" {
		t.Errorf("when the build is there the page says %q", got)
	}
}

// without serves the page to the tab without the files of an ending, until there is called: what the browser blocks
// itself is there for workers.
func (tb *tab) without(ending string) (there func()) {
	files := http.FileServer(http.Dir(built))
	var all atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if strings.HasSuffix(r.URL.Path, ending) && !all.Load() {
			http.NotFound(w, r)
			return
		}
		files.ServeHTTP(w, r)
	}))
	tb.Cleanup(server.Close)
	tb.origin = server.URL + "/"
	return func() { all.Store(true) }
}

// TestNoWorker says why nothing is computed where its threads cannot begin.
func TestNoWorker(t *testing.T) {
	for ending, want := range map[string]string{"keeper.js": "keeper.js cannot be loaded.", "wasm_exec.js": "wasm_exec.js' failed to load."} {
		tb := blank(t, "wasm", desktop)
		there := tb.without(ending)
		tb.visit("")
		tb.settled()
		tb.until(`document.querySelector('#loading').textContent.startsWith('The explorer could not be loaded: ')`)
		if got := tb.text("#loading"); !strings.Contains(got, want) {
			t.Errorf("without %s the page says %q", ending, got)
		}
		there()
		tb.write(letter)
		tb.until(`document.querySelector('#values').textContent.includes('byte 8') && document.querySelector('#loading').hidden`)
	}
}

// A slowWriter sends no faster than a line that it shares with others.
type slowWriter struct {
	http.ResponseWriter
	line *sync.Mutex
}

func (w slowWriter) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		part := p[:min(len(p), 4096)]
		w.line.Lock()
		time.Sleep(time.Duration(float64(len(part)) / lineRate * float64(time.Second)))
		w.line.Unlock()
		_, err = w.ResponseWriter.Write(part)
		w.ResponseWriter.(http.Flusher).Flush()
		n, p = n+len(part), p[len(part):]
	}
	return n, err
}

// TestSlowTimes measures what a reader sees by the clock on a slow line and a phone: the first
// paint, an example that is chosen next, the editor, and the answer about a text of the reader's own. The
// line is the server's, since what the browser emulates leaves out the workers that load the build. They have the whole processor.
func TestSlowTimes(t *testing.T) {
	if os.Getenv("PTXABI_TIMES") == "" {
		t.Skip("PTXABI_TIMES is not set: nothing is measured")
	}
	tb := blank(t, "wasm", phone)
	files, line := http.FileServer(http.Dir(built)), new(sync.Mutex)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(lineLatency * time.Millisecond)
		w.Header().Set("Cache-Control", "no-store") // for the workers too
		files.ServeHTTP(slowWriter{w, line}, r)
	}))
	defer server.Close()
	tb.origin = server.URL + "/"
	defer tb.slowProcessor()()
	for range 5 {
		load, err := os.ReadFile("/proc/loadavg")
		if err != nil {
			t.Fatal(err)
		}
		tb.visit("")
		tb.until(`document.querySelector('#pictures .take') !== null`)
		times := eval[[]float64](tb, `[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]`)
		tb.until(`document.querySelector('#text').value !== undefined`)
		editor := eval[float64](tb, `performance.now()`)
		chosen := eval[float64](tb, `new Promise((done) => {
			const from = performance.now(), e = document.querySelector('#example'), drawn = document.querySelector('#pictures figure');
			e.value = '1';
			e.dispatchEvent(new Event('change'));
			const look = () => document.querySelector('#pictures figure') === drawn ? requestAnimationFrame(look) : done(performance.now() - from);
			look();
		})`)
		tb.write(letter)
		tb.until(`document.querySelector('#values').textContent.includes('byte 8') && document.querySelector('#text').value.includes('Letter')`)
		tb.settled()
		t.Logf("first paint after %.1f s, the page's scripts %.1f, the editor %.1f, another example %.1f after its choice, an answer to another text %.1f; load average %.5s",
			times[0]/1000, times[1]/1000, editor/1000, chosen/1000, eval[float64](tb, `performance.now()`)/1000, load)
	}
}
