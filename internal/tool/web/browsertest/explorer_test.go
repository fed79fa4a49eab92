package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// each runs a test on both builds of the page.
func each(t *testing.T, test func(t *testing.T, engine string)) {
	for _, engine := range []string{"server", "wasm"} {
		t.Run(engine, func(t *testing.T) { test(t, engine) })
	}
}

const module = `.version 6.0
.target sm_35
.visible .func (.param .b32 r) f(
	.param .b32 first,
	.param .b64 second)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [first];
	add.s32 %r2, %r1, 1; st.param.b32 [r], %r2;
	ret;
}
.visible .entry k(.param .u32 n) { ret; }
`

// TestExplore types a module, moves to another target, and follows a value from
// the source to the picture and the listing.
func TestExplore(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write(module)
		tb.until(`document.querySelector('#pictures [data-value="f0.p1"][data-place="R6"]') !== null`)
		if got := tb.text("#diagnostics-title"); got != "No diagnostics" {
			t.Error(got)
		}
		tb.until(`document.querySelector('#values').textContent.includes('c[0x0][0x140]')`)

		// The slider by its keys: from the oldest target to the newest.
		tb.do(chromedp.Focus("#slider"), chromedp.KeyEvent(kb.End))
		tb.until(`document.querySelector('#target').value === 'sm_121f' && document.querySelector('#values').textContent.includes('c[0x0][0x380]')`)
		if got := tb.text("#facts-title"); !strings.Contains(got, "sm_121f") {
			t.Error(got)
		}
		if n := eval[int](tb, `document.querySelectorAll('#facts tbody tr').length`); n < 40 {
			t.Errorf("%d facts", n)
		}
		if n := eval[int](tb, `document.querySelectorAll('#groups span').length`); n < 3 {
			t.Errorf("%d groups of targets", n)
		}

		// The caret on a name shows the value wherever it is.
		tb.run(`(() => { const t = document.querySelector('#text'); t.focus();
			const at = t.value.indexOf('first'); t.setSelectionRange(at, at); })()`)
		tb.until(`document.querySelector('#pictures [data-value="f0.p0"].hot') !== null`)
		if n := eval[int](tb, `document.querySelectorAll('#listing .hot').length`); n != 2 {
			t.Errorf("%d lines of the listing belong to the value, expected its note and its move", n)
		}
		if eval[bool](tb, `document.querySelector('#pictures [data-value="f0.p1"].hot') !== null`) {
			t.Error("another value is shown too")
		}

		// So does the pointer above the name, and above the listing.
		tb.run(`document.querySelector('#text').blur()`)
		box := eval[[]float64](tb, `(() => { const s = [...document.querySelectorAll('#text .tint')].find((s) => s.textContent === 'second');
			const b = s.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`)
		tb.do(chromedp.MouseEvent("mouseMoved", box[0], box[1]))
		tb.until(`document.querySelector('#pictures [data-value="f0.p1"].hot') !== null`)
		tb.do(chromedp.Focus("#listing"), chromedp.KeyEvent(kb.End), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
		tb.until(`document.querySelector('#text .tint.hot')?.textContent === 'first'`)
		tb.clean()
	})
}

// TestDiagnostic has a mistake underlined at its column, listed, and gone when it
// is fixed.
func TestDiagnostic(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write(strings.Replace(module, "[first]", "[frist]", 1))
		tb.until(`document.querySelector('#text .fault')?.textContent === 'frist'`)
		if got := tb.text("#diagnostics"); !strings.Contains(got, "8:21") || !strings.Contains(got, "UndeclaredName") {
			t.Error(got)
		}
		tb.do(chromedp.Click("#diagnostics .go"))
		if got := eval[string](tb, `(() => { const t = document.querySelector('#text'); return t.value.slice(t.selectionStart, t.selectionEnd); })()`); got != "frist" {
			t.Errorf("the caret is at %q", got)
		}
		tb.write("\x20.func (")
		tb.until(`document.body.classList.contains('stale') && document.querySelector('#text .fault') !== null`)
		tb.write(module)
		tb.until(`!document.body.classList.contains('stale') && document.querySelector('#diagnostics-title').textContent === 'No diagnostics'`)
		tb.clean()
	})
}

// TestLink restores text, language, targets and choice from a link, in another
// browser and in the same one.
func TestLink(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write("struct Ünïcode { char a; double b; };\nstruct Other { int x; };\n")
		tb.until(`document.querySelector('#values').textContent.includes('byte 8')`)
		tb.choose("#lang", "c++")
		tb.choose("#target", "sm_90")
		tb.choose("#against", "sm_120")
		tb.choose("#only", "Other")
		tb.until(`document.querySelectorAll('#values tbody tr').length === 1 && !document.querySelector('#diff').hidden`)
		tb.do(chromedp.Click("#copy"))
		tb.until(`document.querySelector('#copy').textContent === 'Link copied' && location.hash.length > 20`)
		link := eval[string](tb, `location.hash`)
		tb.clean()

		other := open(t, engine, link, desktop)
		got := eval[[]string](other, `['#text', '#lang', '#target', '#against', '#only'].map((s) => document.querySelector(s).value)`)
		want := []string{"struct Ünïcode { char a; double b; };\nstruct Other { int x; };\n", "c++", "sm_90", "sm_120", "Other"}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("restored %q", got)
		}
		other.run(`location.hash = '#1broken'`)
		other.choose("#example", "0")
		other.until(`document.querySelector('#pictures [data-function]') !== null`)
		other.run(`location.hash = '` + link + `'`)
		other.until(`document.querySelector('#text').value.includes('Ünïcode')`)
		other.clean()
	})
}

// TestLateLink has an address entered while the one of the text before is still
// being packed: what was entered stays.
func TestLateLink(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.run(`(() => {
			const whole = Response.prototype.arrayBuffer;
			window.packing = 0;
			const held = new Promise((r) => { window.release = r; });
			Response.prototype.arrayBuffer = async function () { packing++; await held; return whole.call(this); };
		})()`)
		tb.write("struct Late { char a; double b; };\n")
		tb.until(`packing === 1 && document.querySelector('#values').textContent.includes('byte 8')`)
		tb.run(`location.hash = '#1broken'; release()`)
		tb.until(`document.querySelector('#result').getAttribute('aria-busy') === null`)
		if got := eval[string](tb, `location.hash`); got != "#1broken" {
			t.Errorf("the address that was entered became %q", got)
		}
		tb.clean()
	})
}

// TestExamples shows every example, alone and compared, in both sizes that the
// page has pictures for.
func TestExamples(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.choose("#against", "sm_120")
		for _, value := range eval[[]string](tb, `[...document.querySelector('#example').options].map((o) => o.value).filter((v) => v !== '')`) {
			tb.run(`document.querySelector('#pictures').replaceChildren()`)
			tb.choose("#example", value)
			tb.until(`document.querySelector('#pictures svg') !== null && !document.querySelector('#diff').hidden`)
			if over := eval[[]string](tb, overflowing); len(over) > 0 {
				t.Errorf("example %s: wider than the page: %q", value, over)
			}
		}
		tb.clean()
	})
}

// overflowing lists what is wider than the page.
const overflowing = `document.documentElement.scrollWidth <= innerWidth ? [] :
	[...document.body.querySelectorAll('*')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + '.' + (e.id || e.getAttribute('class')))`

// TestMarkup has names that are markup: they are text, wherever they stand.
func TestMarkup(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		tb := open(t, engine, "", desktop)
		tb.write("struct S { int a; };\n#error <img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\n")
		tb.until(`document.querySelector('#diagnostics li') !== null`)
		tb.write(".version 6.0\n.target sm_35\n.func f(.param .b32 <img/src=x/onerror=alert(1)>);")
		tb.until(`document.querySelector('#diagnostics').textContent.includes('img')`)
		if n := eval[int](tb, `document.querySelectorAll('img, main script, iframe').length`); n != 0 {
			t.Errorf("%d elements were made of the text", n)
		}
		if got := eval[string](tb, `document.title`); got != "ptxabi explorer" {
			t.Error(got)
		}
		tb.clean()
	})
}

// TestTheme has the system's theme, and the reader's own when one is chosen.
func TestTheme(t *testing.T) {
	tb := open(t, "server", "", screen{1280, 900, true})
	background := `getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector('#pictures .page')).fill`
	dark := eval[string](tb, background)
	tb.choose("#theme", "light")
	light := eval[string](tb, background)
	if dark != "rgb(20, 23, 28)rgb(20, 23, 28)" || light != "rgb(255, 255, 255)rgb(255, 255, 255)" {
		t.Errorf("dark %s, light %s", dark, light)
	}
	tb.do(chromedp.Reload())
	tb.until(`document.querySelector('#pictures .page') !== null && ` + background + ` === '` + light + `'`)
	tb.clean()
}

// TestScreens has both themes at the widths of a phone and of a desktop: nothing
// is wider than the page, and all text has the contrast of WCAG AA.
func TestScreens(t *testing.T) {
	dir := os.Getenv("PTXABI_SCREENSHOTS")
	for name, s := range map[string]screen{
		"phone-light": phone, "phone-dark": {390, 844, true}, "desktop-light": desktop, "desktop-dark": {1280, 900, true},
	} {
		t.Run(name, func(t *testing.T) {
			tb := open(t, "server", "", s)
			tb.run(`for (const b of document.querySelectorAll('.unfold')) b.click()`)
			for _, example := range []string{"0", "1", "2", "3", "5"} {
				tb.choose("#example", example)
				tb.choose("#against", map[bool]string{true: "sm_120", false: ""}[example == "2"])
				tb.settled()
				if over := eval[[]string](tb, overflowing); len(over) > 0 {
					t.Errorf("example %s: wider than the page: %q", example, over)
				}
				for _, s := range eval[[]string](tb, brokenWords) {
					t.Errorf("example %s: a table breaks %s", example, s)
				}
				for _, s := range eval[[]string](tb, lowContrast) {
					t.Errorf("example %s: contrast: %s", example, s)
				}
				if dir == "" {
					continue
				}
				image, err := chromedp.Run(tb.ctx, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name+"-"+example+".png"), image, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			tb.clean()
		})
	}
}

// brokenWords lists words in tables that are on two lines. After underscores, and
// between brackets where text is no column of places, they may be.
const brokenWords = `(() => {
	const out = [];
	for (const td of document.querySelectorAll('td')) {
		const texts = document.createTreeWalker(td, NodeFilter.SHOW_TEXT);
		for (let n; n = texts.nextNode();) {
			for (const m of n.data.matchAll(td.matches('#diff-rows td:nth-child(3), #diff-rows td:nth-child(4)') ? /\S+/g : /[^\s\[_-]+/g)) {
				const r = document.createRange();
				r.setStart(n, m.index);
				r.setEnd(n, m.index + m[0].length);
				if (new Set([...r.getClientRects()].map((b) => Math.round(b.top))).size > 1) out.push(m[0] + ' of ' + n.data);
			}
		}
	}
	return out;
})()`

// lowContrast lists texts of the page, pictures apart, whose contrast with what
// is behind them is below 4.5. Pictures have a test of their own.
const lowContrast = `(() => {
	const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); const a = m[3] ?? 1;
		return c.startsWith('color(srgb') ? [m[0] * 255, m[1] * 255, m[2] * 255, a] : [m[0], m[1], m[2], a]; };
	const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] + under[i] * (1 - top[3])).concat(1);
	const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05; };
	const known = new Map([[null, [255, 255, 255, 1]]]);
	const behind = (e) => { if (!known.has(e)) known.set(e, over(parse(getComputedStyle(e).backgroundColor), behind(e.parentElement)));
		return known.get(e); };
	const out = new Set();
	const check = (what, fg, bg) => { const [a, b] = [light(over(fg, bg)), light(bg)]; const ratio = Math.max(a / b, b / a);
		if (ratio < 4.5) out.add(what + ' ' + ratio.toFixed(2)); };
	for (const e of document.body.querySelectorAll('*')) {
		if (e.closest('svg, noscript, option, [hidden]') || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
		check(e.tagName + '#' + e.id + '.' + e.className, parse(getComputedStyle(e).color), behind(e));
	}
	return [...out];
})()`
