package browsertest

import (
	"slices"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// What arrives late is held here until the test lets it go, so that the order is
// the test's and no machine's.

// holding defines hold(object, name): calls of that method wait for the function
// release, each with what it was called with; held counts them. When the page has
// taken one up, passed counts it.
const holding = `
	window.held = 0; window.passed = 0;
	const gate = new Promise((r) => { window.release = r; });
	window.hold = (object, name, first = Infinity) => {
		const whole = object[name];
		object[name] = async function (...args) {
			if (held >= first) return whole.apply(this, args);
			held++;
			await gate;
			try { return await whole.apply(this, args); } finally { setTimeout(() => { passed++; }); }
		};
	};`

// hold makes a method of the page wait; the first calls of it, or all where first
// is "".
func (tb *tab) hold(object, name, first string) {
	tb.Helper()
	if first != "" {
		first = ", " + first
	}
	tb.run(`(() => {` + holding + `hold(` + object + `, '` + name + `'` + first + `); })()`)
}

// early does the same before the page's own scripts, from the next visit on.
func (tb *tab) early(object, name, first string) {
	tb.Helper()
	tb.before(holding + `hold(` + object + `, '` + name + `', ` + first + `);`)
}

// before runs a script before the page's own, from the next visit on.
func (tb *tab) before(script string) {
	tb.Helper()
	added, err := chromedp.Call(tb.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "{" + script + "}"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		call(tb, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: added.Identifier})
	})
}

const (
	textIs  = `document.querySelector('#text').value === `
	letter  = `struct Letter { char a; double b; };`
	another = `struct Another { int x; };`
)

// TestLateAnswer has an answer arrive after the text was changed again, during the
// pause that waits for more: it is of another text, and is not shown.
func TestLateAnswer(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.hold("Response.prototype", "json", "1")
	tb.write(letter)
	tb.until(`held === 1`)
	// The pause does not end by itself.
	tb.run(`{ const later = setTimeout; window.setTimeout = (f, ms) => ms > 100 ? (window.ask = f, 0) : later(f, ms); }`)
	tb.run(`(() => { const t = document.querySelector('#text'); t.setSelectionRange(0, 0); document.execCommand('insertText', false, '/* before */ '); release(); })()`)
	tb.until(`passed === 1`)
	if eval[bool](tb, `document.querySelector('#values').textContent.includes('byte 8')`) {
		t.Error("the answer about the text before is shown")
	}
	tb.run(`ask()`)
	tb.until(`document.querySelector('#values').textContent.includes('byte 8')`)
	if got := eval[string](tb, `[...document.querySelectorAll('#text .tint')].map((s) => s.textContent).join(' ')`); got != "a b" {
		t.Errorf("%q are marked", got)
	}
	tb.clean()
}

// TestLateAnswerSlider moves the slider while an answer for the target before is
// awaited: it stays below the reader's hand.
func TestLateAnswerSlider(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.hold("Response.prototype", "json", "1")
	tb.choose("#target", "sm_90")
	tb.until(`held === 1`)
	tb.run(`{ const later = setTimeout; window.setTimeout = (f, ms) => ms > 100 ? (window.ask = f, 0) : later(f, ms); }`)
	tb.run(`(() => { const s = document.querySelector('#slider'); s.value = 0; s.dispatchEvent(new Event('input')); release(); })()`)
	tb.until(`passed === 1`)
	if got := eval[string](tb, `document.querySelector('#slider').value + ' ' + document.querySelector('#target').value`); got != "0 sm_35" {
		t.Errorf("the slider and the target are at %q", got)
	}
	tb.clean()
}

// TestLateCatalogue types before the page knows its examples and targets: nothing
// fails, and it begins when they come.
func TestLateCatalogue(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := blank(t, engine, desktop)
		tb.early("window", "fetch", "1")
		tb.visit("")
		tb.until(`held === 1`)
		tb.run(`document.querySelector('#text').focus(); document.execCommand('insertText', false, 'struct Early { int x; };'); document.querySelector('#copy').click(); release()`)
		tb.settled()
		if got := eval[string](tb, `document.querySelector('#example').value`); got != "0" || !eval[bool](tb, `document.querySelector('#pictures svg') !== null`) {
			t.Errorf("the page began with example %q: %s", got, tb.text("#status"))
		}
		tb.clean()
	})
}

// TestLinkOvertaken enters a link while the one before is still being unpacked:
// the last one that was entered is shown.
func TestLinkOvertaken(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.hold("Blob.prototype", "text", "1")
	tb.run(`location.hash = '` + link(t, `{"text":"`+letter+`"}`) + `'`)
	tb.until(`held === 1`)
	second := link(t, `{"text":"`+another+`"}`)
	tb.run(`location.hash = '` + second + `'`)
	tb.until(textIs + `'` + another + `'`)
	tb.run(`release()`)
	tb.until(`passed === 1`)
	tb.settled()
	if got := eval[string](tb, `document.querySelector('#text').value`); got != another {
		t.Errorf("the page shows %q, which was entered before", got)
	}
	tb.clean()
}

// TestFirstLinkOvertaken enters a link while the page finds out that the one it
// was opened with is none: it does not begin with an example then.
func TestFirstLinkOvertaken(t *testing.T) {
	tb := blank(t, "server", desktop)
	tb.early("Blob.prototype", "text", "1")
	tb.visit(link(t, `{"text":{"none":1}}`))
	tb.until(`window.held === 1`)
	tb.run(`location.hash = '` + link(t, `{"text":"`+another+`"}`) + `'`)
	tb.until(textIs + `'` + another + `'`)
	tb.run(`release()`)
	tb.until(`passed === 1`)
	tb.settled()
	if got := eval[string](tb, `document.querySelector('#text').value`); got != another {
		t.Errorf("the page shows %q, expected what the link has", got)
	}
	tb.clean()
}

// TestTypedOverLink types while a link is being unpacked: no key is lost.
func TestTypedOverLink(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.hold("Blob.prototype", "text", "1")
	tb.run(`location.hash = '` + link(t, `{"text":"`+letter+`"}`) + `'`)
	tb.until(`held === 1`)
	tb.write(another)
	tb.run(`release()`)
	tb.until(`passed === 1 && document.querySelector('#values').textContent.includes('Another')`)
	tb.settled()
	if got := eval[string](tb, `document.querySelector('#text').value`); got != another {
		t.Errorf("what was typed became %q", got)
	}
	tb.clean()
}

// TestLateCopy enters an address while a link is being copied: it is not undone.
func TestLateCopy(t *testing.T) {
	tb := open(t, "server", "", desktop)
	tb.hold("Response.prototype", "arrayBuffer", "1")
	tb.do(chromedp.Click("#copy"))
	tb.until(`held === 1`)
	tb.run(`location.hash = '#1broken'; release()`)
	tb.until(`document.querySelector('#status').textContent.includes('ink')`)
	if got := eval[string](tb, `location.hash`); got != "#1broken" {
		t.Errorf("the address that was entered became %q", got)
	}
	tb.clean()
}

// TestLateSize turns the screen while the first answer is awaited: the picture is
// drawn for the screen that is there.
func TestLateSize(t *testing.T) {
	tb := blank(t, "server", desktop)
	tb.early("window", "fetch", "1")
	tb.visit("")
	tb.until(`window.held === 1`)
	tb.run(`(() => {
		const whole = Response.prototype.json;
		const gate = new Promise((r) => { window.answer = r; });
		let n = 0; // the catalogue is the first, the answer the second
		Response.prototype.json = async function () { if (++n === 2) { window.asked = true; await gate; } return whole.call(this); };
		release();
	})()`)
	tb.until(`window.asked`)
	tb.resize(phone)
	tb.until(`innerWidth === 390`)
	tb.run(`answer()`)
	tb.until(`document.querySelector('#pictures svg')?.viewBox.baseVal.width <= 390`)
	tb.clean()
}

// TestSlowQuestion has the WebAssembly build fail on a question by taking too long
// while another waits: only the slow one fails.
func TestSlowQuestion(t *testing.T) {
	tb := open(t, "wasm", "", desktop)
	got := eval[[]string](tb, `(async () => {
		const {Wasm} = await import(new URL('wasm.js', location.href));
		let tooLong, workers = 0;
		const later = window.setTimeout;
		window.setTimeout = (f, ms) => ms === 10000 ? (tooLong = f, 0) : later(f, ms);
		window.Worker = class {
			constructor() { this.slow = workers++ === 0; queueMicrotask(() => this.onmessage({data: {ready: true}})); }
			postMessage(q) {
				if (this.slow || typeof q !== 'string') return; // the first names the build
				queueMicrotask(() => this.onmessage({data: {answer: JSON.stringify(q)}}));
			}
			terminate() { queueMicrotask(() => this.onmessage({data: {answer: '"of one that was ended"'}})); }
		};
		const engine = new Wasm(() => {});
		const said = [];
		const first = engine.ask('slow').catch((e) => e.message);
		while (!tooLong) await new Promise((r) => later(r));
		const second = engine.ask('next').catch((e) => e.message);
		tooLong();
		return [await first, await second, String(workers)];
	})()`)
	want := []string{"No answer within 10 seconds.", "next", "2"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, expected %q", got, want)
			break
		}
	}
	tb.clean()
}

// TestOvertakenQuestion changes the text while the WebAssembly build is at a question for
// long: that is ended for the next, whose worker gets what was compiled for the first.
func TestOvertakenQuestion(t *testing.T) {
	tb := open(t, "wasm", "", desktop)
	got := eval[[]string](tb, `(async () => {
		const {Wasm} = await import(new URL('wasm.js', location.href));
		const began = [];
		let ended = 0;
		window.Worker = class {
			postMessage(q) {
				if (typeof q !== 'string') { // the first names the build
					began.push(q.file + ' ' + (q.module ?? 'none'));
					queueMicrotask(() => { if (!q.module) this.onmessage({data: {module: 'compiled'}}); this.onmessage({data: {ready: true}}); });
				} else if (!q.includes('slow')) queueMicrotask(() => this.onmessage({data: {answer: JSON.stringify(q)}}));
			}
			terminate() { ended++; }
		};
		const engine = new Wasm(() => {});
		await new Promise((r) => setTimeout(r));
		const first = engine.ask('slow').catch((e) => e.constructor.name);
		await new Promise((r) => setTimeout(r, 400));
		const second = engine.ask('next').catch((e) => e.message);
		return [await first, await second, String(ended), ...began];
	})()`)
	want := []string{"Superseded", "next", "1", "explorer.wasm.gz none", "explorer.wasm.gz compiled"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	tb.clean()
}

// TestLoading holds the build back: the first example is shown without it, the page says
// what is loading, and what is typed meanwhile is answered when it has come.
func TestLoading(t *testing.T) {
	tb := blank(t, "wasm", desktop)
	tb.before(`
		const whole = window.Worker;
		window.Worker = class extends whole {
			postMessage(m) { if (window.released) return super.postMessage(m); (window.waits ??= []).push(m); window.release = () => { window.released = true; for (const w of waits) super.postMessage(w); }; }
		};`)
	tb.visit("")
	tb.until(`document.querySelector('#pictures .take') !== null && !document.querySelector('#loading').hidden`)
	if got := tb.text("#walk-said"); got != "1 of 17. pt[8:12]: c[0x0][0x210] to R8" {
		t.Error(got)
	}
	tb.until(`document.querySelector('#text').value !== undefined && document.querySelector('#loading').textContent.startsWith('Loading the explorer')`)
	tb.write(letter)
	tb.run(`release()`)
	tb.until(`document.querySelector('#values').textContent.includes('byte 8') && document.querySelector('#loading').hidden`)
	tb.clean()
}
