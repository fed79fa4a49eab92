package browsertest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// A task is one of the page's thread, with the processor time that it took, in milliseconds.
type task struct {
	mark string // the last performance.mark before it that begins with key:, or firstPaint
	cpu  float64
	in   string // what took most of it
}

const firstPaint = "firstContentfulPaint" // in a trace

// tasks returns those of the page's thread while do runs. They are of the browser's own trace, which
// has the processor time of the thread, which hardly grows where other programs are busy. That of major garbage
// collections is left out: the browser decides when they are, and does on this thread what its others have not come to.
func (tb *tab) tasks(do func()) []task {
	tb.Helper()
	type event struct {
		Name, Cat, Ph string
		Pid, Tid      int
		Ts, Dur, Tdur float64 // microseconds, by the clock and of the processor
	}
	var (
		mu   sync.Mutex
		all  []event
		bad  error
		done = make(chan struct{})
	)
	ctx, stop := context.WithCancel(tb.ctx)
	defer stop()
	if err := chromedp.Listen(ctx, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := ev.(type) {
		case *tracing.EventDataCollected:
			for _, v := range e.Value {
				var one event
				if err := json.Unmarshal(v, &one); err != nil {
					bad = err
				}
				all = append(all, one)
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	}); err != nil {
		tb.Fatal(err)
	}
	call(tb, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{
		IncludedCategories: []string{"blink.user_timing", "devtools.timeline", "disabled-by-default-devtools.timeline"},
		ExcludedCategories: []string{"*"},
	}})
	tb.run(`performance.mark('traced')`)
	do()
	call(tb, tracing.End, cdp.Empty{})
	<-done
	mu.Lock()
	defer mu.Unlock()
	if bad != nil {
		tb.Fatal(bad)
	}
	at := slices.IndexFunc(all, func(e event) bool { return e.Name == "traced" })
	if at < 0 {
		tb.Fatalf("the page's thread is not among %d events", len(all))
	}
	page := all[at]
	all = slices.DeleteFunc(all, func(e event) bool { return e.Pid != page.Pid || e.Tid != page.Tid })
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Or(cmp.Compare(a.Ts, b.Ts), cmp.Compare(b.Dur, a.Dur)) })
	var out []task
	mark, end, most := "", 0.0, 0.0
	for _, e := range all {
		switch {
		case e.Name == firstPaint:
			mark = firstPaint
		case strings.HasPrefix(e.Name, "key: "):
			mark = strings.TrimPrefix(e.Name, "key: ")
		case e.Name == "RunTask":
			out = append(out, task{mark: mark, cpu: e.Tdur / 1000})
			end, most = e.Ts+e.Dur, 0
		case e.Name == "MajorGC" && len(out) > 0 && e.Ts < end:
			out[len(out)-1].cpu -= e.Tdur / 1000
		case len(out) > 0 && e.Ts < end && e.Tdur > most && e.Name != "HandlePostMessage" && e.Name != "FunctionCall":
			most, out[len(out)-1].in = e.Tdur, fmt.Sprintf("%s of %.1f ms", e.Name, e.Tdur/1000)
		}
	}
	if len(out) == 0 || !slices.ContainsFunc(out, func(t task) bool { return t.cpu > 0 }) {
		tb.Fatal("the trace has no processor time of the page's thread")
	}
	return out
}

// most is what a key, or what the page does after it, should take of its thread at once at most,
// in milliseconds of processor time.
const most = 50

// timed is whether a time that misses its goal is an error, and long texts are tried too. It is what
// PTXABI_TIMES=1 says; a machine that is slow or busy says nothing of the page.
var timed = os.Getenv("PTXABI_TIMES") != ""

// slow says that a time missed its goal.
func slow(t *testing.T, format string, args ...any) {
	t.Helper()
	if timed {
		t.Errorf(format, args...)
	} else {
		t.Logf(format, args...)
	}
}

// calls is a module of about n bytes, whose functions call each other.
func calls(n int) string {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `.visible .func (.param .align 8 .b8 r[24]) f%d(.param .b32 n, .param .align 16 .b8 v[48], .param .b64 p)
{
	.reg .b32 %%r<9>;
	.reg .b64 %%rd<9>;
	ld.param.b32 %%r1, [n];
	ld.param.b64 %%rd1, [v+8];
	ld.param.b64 %%rd2, [p];
`, i)
		if i > 0 {
			fmt.Fprintf(&b, `	{
	.param .b32 a;
	.param .align 16 .b8 c[48];
	.param .b64 d;
	.param .align 8 .b8 q[24];
	st.param.b32 [a], %%r1;
	st.param.b64 [c+8], %%rd1;
	st.param.b64 [d], %%rd2;
	call.uni (q), f%d, (a, c, d);
	ld.param.b64 %%rd3, [q+8];
	}
`, i-1)
		}
		b.WriteString("\tst.param.b64 [r], %rd1;\n\tret;\n}\n")
	}
	return b.String()
}

// records is a header of about n bytes, of types with many fields and functions that take them.
func records(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "struct S%d {\n", i)
		for j := range 12 {
			fmt.Fprintf(&b, "\tint a%d; char c%d[3];\n", j, j)
		}
		fmt.Fprintf(&b, "};\n__device__ int g%d(struct S%d s, int *p, float f);\n", i, i)
	}
	return b.String()
}

// long is a function of about n bytes that is right.
func long(n int) string {
	const line = "\tadd.s32 %r1, %r2, %r3; // number 1234567\n"
	return ".version 8.0\n.target sm_90\n.visible .func f(.param .b32 x)\n{\n\t.reg .b32 %r<5>;\n\tld.param.b32 %r2, [x];\n\tmov.b32 %r3, 1;\n" +
		strings.Repeat(line, n/len(line)) + "\tret;\n}\n"
}

// TestKeys presses keys in short and in long texts, at their top, middle and end: typing, a line end, deleting a
// line, and taking it back. Nothing is sent but what was changed. It says what a key, and any task that the page has
// after it up to the whole answer, takes of its thread. The goal is less than 50 ms, and less than 100 where the whole
// text is another one.
func TestKeys(t *testing.T) {
	for _, tt := range []struct {
		name string
		text func(n int) string
		size int
	}{
		{"calls", calls, 4_000}, {"records", records, 4_000}, {"calls", calls, 400_000}, {"records", records, 120_000}, {"one function", long, 4_000_000},
	} {
		if tt.size > 100_000 && !timed {
			continue
		}
		t.Run(fmt.Sprintf("%s of %d", tt.name, tt.size), func(t *testing.T) {
			tb := open(t, "wasm", "", desktop)
			tb.run(`(() => {
				window.sent = [];
				window.changed = 0;
				new MutationObserver(() => { changed++; }).observe(document.querySelector('#text'), {childList: true, characterData: true, subtree: true});
				const post = Worker.prototype.postMessage;
				Worker.prototype.postMessage = function (m) { sent.push(JSON.stringify(m).length); post.call(this, m); };
			})()`)
			text := tt.text(tt.size)
			tb.run(fmt.Sprintf(`window.whole = %q`, text))
			took := tb.tasks(func() {
				tb.run(`(() => { const t = document.querySelector('#text'); t.focus(); t.select(); performance.mark('key: all pasted');
					const clipboardData = new DataTransfer();
					clipboardData.setData('text/plain', whole);
					t.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true})); })()`)
				tb.settled()
				if got := tb.text("#status"); !strings.HasPrefix(got, "Shown for sm_") {
					t.Fatalf("the page says %q", got)
				}
				tb.run(`sent.length = 0`)
				for _, place := range []string{"top", "middle", "end"} {
					at := map[string]int{"top": strings.Index(text, "{") + 2, "middle": len(text)/2 + strings.Index(text[len(text)/2:], "\n"), "end": len(text)}[place]
					tb.run(fmt.Sprintf(`document.querySelector('#text').setSelectionRange(%d, %d)`, at, at))
					for _, key := range []struct {
						name  string
						press func()
					}{
						{"a letter", func() { tb.do(chromedp.KeyEvent("x")) }},
						{"the letter taken back", func() { tb.key("z", 90, 2) }},
						{"a line end", func() { tb.key("Enter", 13, 0) }},
						{"a line deleted", func() {
							tb.key("ArrowUp", 38, 8, "moveUpAndModifySelection")
							tb.key("Delete", 46, 0, "deleteForward")
						}},
						{"the line taken back", func() { tb.key("z", 90, 2) }},
					} {
						was := eval[int](tb, `changed`)
						tb.run(fmt.Sprintf(`performance.mark('key: %s: %s')`, place, key.name))
						key.press()
						tb.until(fmt.Sprintf(`changed > %d`, was))
						tb.settled()
					}
				}
				if most := eval[int](tb, `Math.max(...sent)`); most == 0 || most > 1000 {
					t.Errorf("%d bytes were sent of a key", most)
				}
				// All of it can be replaced by a key, and is back by another.
				tb.run(`performance.mark('key: all replaced')`)
				tb.key("a", 65, 2, "selectAll")
				tb.do(chromedp.KeyEvent("y"))
				tb.until(`document.querySelector('#text').textContent === 'y'`)
				tb.run(`performance.mark('key: all taken back')`)
				tb.key("z", 90, 2)
				tb.until(`document.querySelector('#text').textContent !== 'y'`)
				tb.settled()
			})
			if added := eval[[]int](tb, `[whole, document.querySelector('#text').value].map((t) => t.split('\n').length)`); added[1] != added[0]+3 ||
				!eval[bool](tb, `document.querySelector('#text').value.replace(/\s/g, '') === whole.replace(/\s/g, '')`) {
				t.Errorf("%d lines became %d, or others, of three line ends", added[0], added[1])
			}
			worst, total := map[string]task{}, map[string]float64{}
			for _, one := range took {
				total[one.mark] += one.cpu
				if one.mark != "" && one.cpu > worst[one.mark].cpu {
					worst[one.mark] = one
				}
			}
			for _, mark := range slices.Sorted(maps.Keys(worst)) {
				one := worst[mark]
				t.Logf("%s: at most %.1f ms at once, %s; %.1f ms in all", mark, one.cpu, one.in, total[mark])
				limit := most * slowdown
				if strings.HasPrefix(mark, "all ") {
					limit *= 2 // another text, whose picture is laid out anew
				}
				if one.cpu >= limit {
					slow(t, "%s: a task took %.1f ms, %s; the goal is less than %.0f", mark, one.cpu, one.in, limit)
				}
			}
			if len(worst) != 3*5+3 {
				t.Errorf("%d keys were seen", len(worst))
			}
			tb.clean()
		})
	}
}
