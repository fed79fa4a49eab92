// What scripts call. It runs before the page's own scripts.

const $ = (s) => document.querySelector(s);
const $$ = (s) => [...document.querySelectorAll(s)];
const says = (s) => $(s).textContent;
const value = (s) => $(s).value;
const seen = (s) => $(s).checkVisibility();
const source = () => $('#text').value;
const has = (s, text) => $(s).textContent.includes(text);

// paste puts a text into the editor in the place of what is there.
function paste(text) {
	const t = $('#text');
	t.focus();
	t.select();
	const clipboardData = new DataTransfer();
	clipboardData.setData('text/plain', text);
	t.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true}));
}

// insert types a text at an offset; -1 is the end.
function insert(at, text) {
	caret(at);
	document.execCommand('insertText', false, text);
}

// caret puts the caret at an offset, or selects up to another.
function caret(at, to) {
	const t = $('#text');
	if (at < 0) at = t.value.length;
	t.focus();
	t.setSelectionRange(at, to ?? at);
}

const selected = () => { const t = $('#text'); return t.value.slice(t.selectionStart, t.selectionEnd); };

// choose chooses an option.
function choose(selector, to) {
	const s = $(selector);
	s.value = to;
	s.dispatchEvent(new Event('change', {bubbles: true}));
}

// point rests the pointer on an element.
const point = (selector) => { $(selector).dispatchEvent(new PointerEvent('pointerover', {bubbles: true})); };

// drop drops files of names and contents on the page.
function drop(...files) {
	const dataTransfer = new DataTransfer();
	for (const [name, data] of files) dataTransfer.items.add(new File([data], name));
	document.body.dispatchEvent(new DragEvent('drop', {dataTransfer, bubbles: true, cancelable: true}));
}

// link is a fragment with a text of JSON.
async function link(json) {
	const packed = new Response(new Blob([json]).stream().pipeThrough(new CompressionStream('deflate-raw')));
	let s = '';
	for (const b of new Uint8Array(await packed.arrayBuffer())) s += String.fromCharCode(b);
	return '#1' + btoa(s).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// What arrives late is held until the script lets it go, so that the order is the script's and no machine's. Calls of a
// method wait for release(), each with what it was called with; held counts them. When the page has taken one up,
// passed counts it. The first calls are held, or all.
function hold(object, name, first = Infinity) {
	window.held = 0;
	window.passed = 0;
	const gate = new Promise((r) => { window.release = r; });
	const whole = object[name];
	object[name] = async function (...args) {
		if (held >= first) return whole.apply(this, args);
		held++;
		await gate;
		try { return await whole.apply(this, args); } finally { setTimeout(() => { passed++; }); }
	};
}

// pause holds the page's waits for more keys: they end by ask().
function pause() {
	const later = setTimeout;
	window.setTimeout = (f, ms) => ms > 100 ? (window.ask = f, 0) : later(f, ms);
}

// between has the page take keys after each part of an answer. Where stop() is true then, the answer stays as far as it is,
// until go() is called.
function between(stop) {
	const now = performance.now.bind(performance);
	let extra = 0;
	const waiting = [];
	performance.now = () => now() + (extra += 10);
	window.stays = 0;
	window.stop = stop;
	window.go = () => { window.stop = () => false; for (const r of waiting) r(); };
	scheduler.yield = () => new Promise((r) => { if (window.stop()) { stays++; waiting.push(r); } else setTimeout(r); });
}

// save keeps what the page saves: names, and contents.
function save() {
	window.saved = [];
	const make = URL.createObjectURL;
	URL.createObjectURL = (b) => { window.last = b; return make.call(URL, b); };
	HTMLAnchorElement.prototype.click = function () { saved.push({name: this.download, blob: window.last}); };
}

// copies keeps what the page copies.
const copies = () => { navigator.clipboard.writeText = async (t) => { window.copied = t; }; };

// overflowing lists what is wider than the page.
const overflowing = () => document.documentElement.scrollWidth <= innerWidth ? [] :
	$$('body *').filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + '.' + (e.id || e.getAttribute('class')));

// harm is what of a text became part of the page other than as text.
const harm = () => document.title + $$('img:not(.cm-widgetBuffer), iframe, object, main script, main style, main link, [onerror], [onload]').length + overflowing();

// brokenWords lists words in tables that are on two lines. After underscores, and between brackets where text is no column
// of places, they may be.
function brokenWords() {
	const out = [];
	for (const td of $$('td')) {
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
}

// lowContrast lists texts of the page, pictures apart, whose contrast with what is behind them is below the 4.5 of
// WCAG AA. Pictures have a test of their own.
function lowContrast() {
	const parse = (c) => {
		const m = c.match(/[\d.]+/g).map(Number), a = m[3] ?? 1;
		return c.startsWith('color(srgb') ? [m[0] * 255, m[1] * 255, m[2] * 255, a] : [m[0], m[1], m[2], a];
	};
	const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] + under[i] * (1 - top[3])).concat(1);
	const light = (c) => {
		const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
	};
	const known = new Map([[null, [255, 255, 255, 1]]]);
	const behind = (e) => {
		if (!known.has(e)) known.set(e, over(parse(getComputedStyle(e).backgroundColor), behind(e.parentElement)));
		return known.get(e);
	};
	const out = new Set();
	for (const e of $$('body *')) {
		if (e.closest('svg, noscript, option, [hidden]') || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
		const bg = behind(e), a = light(over(parse(getComputedStyle(e).color), bg)), b = light(bg);
		const ratio = Math.max(a / b, b / a);
		if (ratio < 4.5) out.add(e.tagName + '#' + e.id + '.' + e.className + ' ' + ratio.toFixed(2));
	}
	return [...out];
}

// smallText is the size of the smallest text of pictures as it is on the screen.
const smallText = () => Math.min(...$$('#pictures text, #machine span, #machine b').map((e) =>
	parseFloat(getComputedStyle(e).fontSize) * (e.ownerSVGElement ? e.getScreenCTM().a ** 2 + e.getScreenCTM().b ** 2 : 1)));

// Texts.

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
`;
const letter = 'struct Letter { char a; double b; };';
const another = 'struct Another { int x; };';
const fixable = '.version 8.3\n.target sm_90\n.visible .entry k(.param .u32 n) {\n.reg .b32 %r<2>;\nld.param::func.u32 %r1, [n];\nst.global.u32 [0], %r1;\nret;\n}\n';
const img = `<img src=x onerror="document.title='owned'">`;
const head = '.version 8.0\n.target sm_90\n';
const calling = head + '.func f(.param .b32 x) { ret; }\n.visible .func g() { .reg .b32 %r<2>; mov.b32 %r1, 0; { .param .b32 a; st.param.b32 [a], %r1; call f, (a); } ret; }';
const simple = head + '.visible .func f(.param .b32 x) { ret; }';

// nested has a callee that calls, with a frame of its own.
const nested = '.version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) g(.param .b32 a);\n' +
	'.visible .func (.param .align 4 .b8 sum[52]) mid(.param .align 16 .b8 big[64]) { .reg .b32 %r<6>; .local .align 4 .b8 l[20];\n' +
	'{ .param .b32 a0; .param .b32 res; st.param.b32 [a0], 1; call (res), g, (a0); ld.param.b32 %r2, [res]; }\nld.param.b32 %r3, [big+32]; add.s32 %r2, %r2, %r3; st.param.b32 [sum+48], %r2; ret; }\n' +
	'.visible .entry k(.param .u32 c) { .reg .b32 %r<6>; ld.param.u32 %r1, [c];\n{ .param .align 16 .b8 b[64]; .param .align 4 .b8 res[52]; st.param.b32 [b+32], %r1; call (res), mid, (b); ld.param.b32 %r2, [res+48]; } ret; }\n';

// long is a function of about n bytes that is right.
function long(n) {
	const line = '\tadd.s32 %r1, %r2, %r3; // number 1234567\n';
	return head + '.visible .func f(.param .b32 x)\n{\n\t.reg .b32 %r<5>;\n\tld.param.b32 %r2, [x];\n\tmov.b32 %r3, 1;\n' + line.repeat(n / line.length) + '\tret;\n}\n';
}

// records is a header of about n bytes, of types with many fields and functions that take them.
function records(n) {
	let text = '';
	for (let i = 0; text.length < n; i++) {
		text += `struct S${i} {\n`;
		for (let j = 0; j < 12; j++) text += `\tint a${j}; char c${j}[3];\n`;
		text += `};\n__device__ int g${i}(struct S${i} s, int *p, float f);\n`;
	}
	return text;
}

Object.assign(window, {$, $$, says, value, seen, source, has, paste, insert, caret, selected, choose, point, drop, link, hold, pause, between, save, copies,
	overflowing, harm, brokenWords, lowContrast, smallText, module, letter, another, fixable, img, head, calling, simple, nested, long, records});
