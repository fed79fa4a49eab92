import {catalog, newEngine, stored, Superseded, TooLong} from './engine.js';
import {Editor} from './editor.js';
import {pack, unpack} from './link.js';
import {Binary} from './binary.js';
import {Code} from './code.js';
import {Example} from './example.js';
import {Lines} from './lines.js';
import {panes, show as pane} from './panes.js';
import {fileName, savePNG, saveSVG, saveText} from './take.js';
import {Walk} from './walk.js';
import {Why} from './why.js';
import {el, fill, gently, joined, picture, plural, range, row, sentence, swatch, table} from './show.js';

const long = 100_000; // UTF-16 units of a text of which the function in sight is answered first

const $ = (id) => document.getElementById(id);
const kind = document.documentElement.dataset.engine;
const engine = newEngine(kind, loading);
let known;          // the catalogue
let target = '';    // "" is the source's own
let shown = null;   // the last answer that was of this text
let answered;       // the version of the text that the last shown answer is about
let turn = 0;       // counts questions, and changes that will ask one
let acts = 0;       // counts what the reader did: changes, and addresses that were entered
let address = location.href; // the last one that was taken up or put there
let sized = '';     // the size that was last asked for
let colours = new Map();
let pause = 0;
let showing = {}; // the answer that is being put on the page
let whole = true; // whether all of the last one of this text is there

const editor = new Editor($('editor'), {onInput: written, onHover: (ids, bytes) => hot(ids, 0, bytes), onCaret: follow, colour: colourOf});
const lines = new Lines($('listing'), lineOf);
const others = new Lines($('beside'), lineOf, 'other');
let differ = [new Set(), new Set()]; // texts of lines that only one of two listings has
const walk = new Walk(stepped);
const example = new Example();
const why = new Why();
const code = new Code(later);
const binary = new Binary({
  onChange: () => ask(),
  onText: (text) => { load({text, lang: '', target: '', against: $('against').value, producer: $('producer').value, only: ''}); $('example').value = ''; about(); change(); },
  go: (from, to) => { pane('source'); editor.go(from, Math.max(to, from)); },
  say: (text) => { $('status').textContent = text; },
});
let stepOf = null; // the step that a link leads to, until it is shown

// written takes a change of the text up. What was chosen for a text is not asked of
// another, which may not run there; nothing of the old one stays.
function written(another) {
  acted();
  $('example').value = '';
  about();
  if (another) {
    shown = null;
    showing = {};
    hot([]);
    top();
    $('only').value = '';
    if (/^\s*\.target\s/m.test(editor.beginning)) target = '';
  }
  later();
}

// top is where the listings of another text begin; those of this one stay where they are.
function top() {
  fresh = true;
  for (const list of [$('listing'), $('beside')]) list.scrollTop = 0;
}

let fresh = false; // whether that is still to do: a list that is hidden cannot be scrolled

// colourOf is the class of values, if they share one, or their hue.
function colourOf(ids) {
  const all = [...new Set(ids.map((id) => colours.get(id)).filter(Boolean))];
  const hues = new Set(all.map((c) => c.split(' ')[0]));
  return all.length === 1 ? all[0] : hues.size === 1 ? [...hues][0] : 'several';
}

// question is what is asked of the state, beside the text.
function question() {
  return {lang: $('lang').value, target, against: $('against').value, producer: $('producer').value, only: $('only').value};
}

function state() {
  return {text: editor.text, ...question(), ...(walk.went && shown ? {call: String(walk.call), step: String(walk.step)} : {})};
}

// follow asks about what is around the caret where not all of a text is shown.
function follow() {
  if (!shown?.cut || $('only').value || !known) return;
  const line = editor.inSight();
  if (Math.abs(line - near) > 5) later();
}

let near = 1; // the line around which was asked last

// stepped follows a step in the listing and the source.
function stepped(s) {
  walk.went = true;
  trim(walk.calls[walk.call]);
  lines.choose(s.line);
  hot(s.id ? [s.id] : [], lines.lines[s.line]?.line ?? 0, s.id ? `${s.first}:${s.end}` : '', true);
}

function size() {
  let room = $('pictures').clientWidth;
  if (!room && sized) return sized; // out of sight
  if ($('against').value) room /= 2;
  return room >= 1080 ? 'page' : room >= 640 ? 'column' : 'phone';
}

// later asks when a pause follows. An answer that comes until then is not of what
// is on the page any more.
function later() {
  turn++;
  $('result').setAttribute('aria-busy', 'true');
  clearTimeout(pause);
  pause = setTimeout(() => ask(), 150);
}

// ask asks, and shows the answer. That about an example, as it is, came with the page, about the first one from a server too.
async function ask(first) {
  clearTimeout(pause);
  const wanted = question();
  const asked = {...wanted, pack: code.ask(), binary: binary.file ?? undefined, size: sized = size()};
  const mine = ++turn;
  const since = acts;
  $('result').setAttribute('aria-busy', 'true');
  try {
    asked.near = near = editor.inSight();
    if (editor.length > long && !asked.only) {
      const part = await engine.ask({...asked, pack: undefined, binary: undefined, part: true}, editor, known.maxText);
      if (mine !== turn) return;
      if (part.part && (!await show(part) || mine !== turn)) return;
    }
    const example = first || kind === 'wasm' ? $('example').value : '';
    const plain = example && !Object.values(wanted).some(Boolean) && !asked.pack && !asked.binary;
    const answer = plain && await stored(example, asked.size) || await engine.ask(asked, editor, known.maxText);
    if (mine !== turn) return;
    if (!await show(answer)) return;
    const link = touched && await packed();
    if (mine !== turn) return; // packing takes its time
    if (touched) keep(link, since);
  } catch (e) {
    if (e instanceof Superseded || mine !== turn) return;
    if (e instanceof TooLong) keep('', since);
    refuse(e.message);
    unanswered();
    $('status').textContent = e.message;
  }
  $('result').removeAttribute('aria-busy');
}

const fits = (link) => link.length < 30000; // where addresses go

// packed is a link to the state, "" where the text is too long for any.
async function packed() {
  return editor.length <= 1 << 20 ? pack(state()) : '';
}

// keep puts a link to the state into the address, or "" for none. An address that
// was entered since is not undone, whether the browser has told of it or not.
function keep(link, since) {
  if (since !== acts || location.href !== address) return false;
  history.replaceState(null, '', fits(link) && link || location.pathname);
  address = location.href;
  return true;
}

const embedded = new URLSearchParams(location.search).get('embed') === 'picture';

// embed leaves of the page what a page elsewhere shows of it: the pictures, and a
// link to all of it.
function embed() {
  document.body.classList.add('embed');
  $('whole').hidden = false;
  const lead = () => { $('whole').firstElementChild.href = location.pathname + location.hash; };
  lead();
  addEventListener('hashchange', lead);
}

let touched = false; // whether the address should carry the state
function acted() {
  lost = '';
  touched = true;
  acts++;
}

function change() {
  acted();
  ask();
}

// leave takes away what an answer without a picture contradicts: all of it, or
// nothing, which then stays dimmed, where it is of the same text before an edit.
function leave(all) {
  document.body.classList.add('stale');
  if (!shown) {
    $('groups').replaceChildren();
    forget();
  }
  if (all || !shown) $('alike').textContent = $('printed').textContent = '';
  $('shown').hidden = $('listed').hidden = all || !shown;
}

// unanswered takes away whatever an answer before said: there is none to the text
// as it is now. What the reader chose stays.
function unanswered() {
  shown = null;
  leave(true);
  binary.set(null);
  showing = {};
  $('diagnostics').replaceChildren();
  $('diagnostics-title').textContent = 'Not checked';
  $('checked').hidden = true;
  $('lang').options[0].textContent = 'Guess';
  editor.mark([], []);
}

// forget leaves of what can be shown only what is chosen.
function forget() {
  const chosen = $('only').value ? [$('only').value] : [];
  options($('only'), ['Everything', ...chosen], ['', ...chosen]);
}

// show puts an answer on the page, a part after the other, and reports whether it came to its end: another answer
// ends it. Of a text that cannot be read for now, the picture before stays, dimmed; of one that the target refuses, nothing does.
function show(a) {
  const mine = showing = {};
  answered = editor.version;
  return gently(put(a), () => mine === showing);
}

// put is the parts of what show does. The first ones are about the text as it is: a key may come between the others.
function* put(a) {
  const kept = a.broken || a.refused && !a.instead;
  if (kept) leave(Boolean(a.refused));
  else {
    document.body.classList.remove('stale');
    $('shown').hidden = $('listed').hidden = false;
  }
  banner(a);
  editor.mark(kept ? [] : a.spans, faults(a));
  if (!kept) {
    shown = a;
    $('printed').textContent = !a.target ? '' : `For ${a.target}${a.producer ? ` and ${a.producer}` : ''}${a.diff ? `, compared with ${a.diff.b}` : ''}.`;
  }
  $('checked').hidden = a.lang !== 'ptx';
  if (a.target) pick(a.target);
  compilers(a.producer);
  $('lang').options[0].textContent = $('lang').value ? 'Guess' : `Guess: ${name(a.lang)}`;
  yield* diagnostics(a.diagnostics);
  if (a.facts.length) yield facts(a);
  yield binary.set(a.binary);
  if (!kept) yield* drawing(a);
  else if (!a.refused && shown && !whole) { // what stays is all of one answer, also where this one ended it half way
    yield* drawing(shown);
    if (a.target) pick(a.target);
  }
  say(a);
}

// drawing is the parts of what an answer shows of a text that can be read.
function* drawing(a) {
  whole = false;
  yield* pictures(a);
  yield editor.recolour();
  yield options($('only'), ['Everything', ...a.names], ['', ...a.names]);
  $('notes').replaceChildren(...[...a.notes].map((n) => el('li', {}, `${sentence(n)}.`)));
  yield groups(a);
  yield listing(a);
  why.set(known, a);
  if (!a.part) {
    const [call, step] = stepOf ?? [walk.call, walk.step];
    yield walk.set(a, colours, call, step);
    if (stepOf && a.calls.length) stepped(walk.steps[walk.step]);
    stepOf = null;
  }
  yield example.set(a.records, colours);
  yield code.set(a);
  yield* values(a);
  yield diff(a.diff);
  yield relight();
  whole = true;
}

// relight marks again what was marked, of which some was drawn anew: what the caret is in, where the
// text may have changed.
function relight() {
  const span = editor.caret();
  if (span !== undefined) hot(span?.ids ?? [], 0, span?.bytes ?? '');
  else light();
}

// compilers shows what only declarations of C have: the producer that they are passed
// as, and others to compare it with.
function compilers(shownAs) {
  $('producer-label').hidden = !shownAs && !$('producer').value;
  $('compilers').hidden = !shownAs && !known.producers.includes($('against').value);
}

function name(lang) {
  return [...$('lang').options].find((o) => o.value === lang)?.textContent ?? lang;
}

// faults are what is underlined: what is missing at the end, at what is there.
function faults(a) {
  const last = editor.last;
  return a.diagnostics.filter((d) => d.from >= 0).map((d) => {
    let from = Math.min(d.from, last);
    if (editor.at(from) === '\n' && from > 0 && editor.at(from - 1) !== '\n') from--; // of no width: what stands before it
    return {from, to: Math.max(d.to, from + 1), severity: d.severity};
  });
}

function say(a) {
  if (a.part) {
    $('status').textContent = `Shown for ${a.part} so far`;
    return;
  }
  const what = $('refused').hidden ? `Shown for ${a.target}` : $('why').textContent.replace(/\.$/, '');
  $('status').textContent = `${what}; ${a.diagnostics.length ? plural(a.diagnostics.length, 'diagnostic') : 'no diagnostics'}`;
}

// banner says above the result what keeps it from being all, and leads to where that is.
function banner(a) {
  const first = a.diagnostics.find((d) => d.severity === 'error') ?? a.diagnostics[0];
  const d = a.half ? a.diagnostics[a.half.at] : a.broken ? first : null;
  const at = d ? d.line ? `${d.severity} at ${d.line}:${d.column}` : d.severity : '';
  // A target that is refused has the answer for another.
  let why = a.refused && a.instead && a.target ? `${a.refused}. Shown for ${a.target}.` : a.refused;
  if (!why && a.broken) why = shown ? `Syntax error in line ${d?.line}. Showing the last version that could be read.` : `Nothing of this text can be shown: ${at}. Paste PTX, C, CUDA, Go or a listing.`;
  else if (a.half) why = [why, `${a.half.what ? a.half.shown === a.half.all && a.half.what === 'function' ? `The places of ${a.half.all > 1 ? `all ${a.half.all} functions` : 'the function'}`
    : `${a.half.shown} of ${plural(a.half.all, a.half.what)}` : 'Shown as far as it can be read'}; ${at}.`].filter(Boolean).join(' ');
  if (a.diff?.refused) why = [why, `Not compared with ${a.diff.b}: ${a.diff.refused}.`].filter(Boolean).join(' ');
  refuse(sentence(why || lost || ''), a.refused && a.own, d);
}

let lost = ''; // what is wrong with the link that the page was opened with, until the reader does something

function refuse(why, own, d) {
  $('refused').hidden = !why;
  if ($('why').textContent !== (why ?? '')) $('why').textContent = why ?? ''; // read aloud once
  $('jump').hidden = !d || d.from < 0;
  $('jump').textContent = d ? `Go to ${d.line}:${d.column}` : '';
  $('jump').onclick = () => { pane('source'); editor.go(d.from, Math.max(d.to, d.from)); };
  $('own').hidden = !own || !target || own === target || !why;
  $('own').textContent = `Use ${own}`;
  $('own').onclick = () => { target = ''; change(); };
}

function* diagnostics(list) {
  $('diagnostics-title').textContent = list.length ? plural(list.length, 'diagnostic') : 'No diagnostics';
  yield* fill($('diagnostics'), list, (d, i) => i + JSON.stringify(d), (d) => {
    const go = el('button', {type: 'button', class: 'go'}, el('span', {class: 'place'}, d.line ? `${d.line}:${d.column}` : 'text'),
      el('span', {class: `severity ${d.severity}`}, d.severity), el('span', {}, d.message), el('code', {}, d.code));
    go.onclick = () => { if (d.from >= 0) editor.go(d.from, Math.max(d.to, d.from)); };
    const fixes = d.fixes.map((f) => {
      const b = el('button', {type: 'button', class: 'fix'}, `Fix: ${f.text || 'apply'}`);
      b.onclick = () => { if (!editor.apply(f.edits, answered)) $('status').textContent = 'The text has changed since: the fix no longer applies.'; };
      return b;
    });
    return el('li', {}, go, ...fixes, ...d.related.map((r) => el('p', {class: 'related'}, `${r.line}:${r.column} ${r.message}`)));
  });
}

function* pictures(a) {
  const [label, there] = a.other?.producer ? [a.producer, a.other.producer] : [a.target, a.other?.target];
  const list = Array.from({length: Math.max(a.pictures.length, a.other?.pictures.length ?? 0)}, (_, i) => [
    {text: a.pictures[i], of: label, side: 0}, {text: a.other?.pictures[i], of: there, side: 1},
  ]).flat().filter((f) => f.text).map((f) => ({
    ...f, name: fileName(a.names.length === 1 ? a.names[0] : $('only').value, f.of), caption: a.other ? f.of : a.producer && a.producer !== 'nvcc' ? a.producer : '',
  }));
  $('pictures').classList.toggle('two', Boolean(a.other));
  document.body.classList.toggle('annotated', a.lang === 'sass');
  yield* fill($('pictures'), list, ({text, ...f}, i) => i + JSON.stringify(f), ({side, name, caption}) => {
    const figure = el('figure', {'data-side': String(side)});
    const button = (label, what) => {
      const b = el('button', {type: 'button', 'aria-label': `Save this picture as ${label}`}, label);
      b.onclick = () => what(joined(figure.parts), name).catch((e) => refuse(`The picture was not saved: ${e.message}`));
      return b;
    };
    figure.append(el('figcaption', {class: !caption && 'bare'}, caption, el('span', {class: 'take'}, button('SVG', saveSVG), button('PNG', savePNG))), el('div'));
    return figure;
  });
  for (const [i, figure] of [...$('pictures').querySelectorAll('figure')].entries()) {
    figure.parts = list[i].text.split(/(?<=<\/svg>\n)/);
    yield* fill(figure.lastChild, figure.parts, (p) => p, part);
  }
  if (a.other) {
    const any = (moved, id) => moved.has(id) || moved.has(id.replace(/\.f\d+$/, ''));
    const both = [new Set(a.other.moved), new Set(a.other.there)];
    for (const f of $('pictures').querySelectorAll('figure')) {
      for (const g of f.querySelectorAll('[data-value]')) g.classList.toggle('moved', any(both[f.dataset.side], g.dataset.value));
    }
    const n = both[0].size, more = a.other.there.length - n;
    const on = a.other.producer ? 'with' : 'on';
    $('pictures').append(el('p', {class: 'about legend'}, n || more > 0 ? `Framed: the ${plural(Math.max(n, n + more), 'value')} that ${n === 1 && more <= 0 ? 'has' : 'have'} another place ${on} ${there}.` : `Every value has the same place ${on} ${there}.`));
  }
  if (!a.pictures.length) $('pictures').append(el('p', {class: 'about'}, a.lang === 'sass' ? 'A listing has no declarations to draw. Its annotations are in the listing.' : a.half ? 'Nothing is without errors here.' : editor.length ? 'There is no function, kernel or type here.' : 'Paste PTX, C, CUDA, Go or a listing, drop a compiled file, or choose an example.'));
  if (a.lang === 'sass') {
    const b = el('button', {type: 'button', class: 'narrow'}, 'Show the listing');
    b.onclick = () => pane('listing');
    $('pictures').append(b);
  }
  colours = new Map();
  for (const g of $('pictures').querySelectorAll('[data-value]')) {
    const colour = g.getAttribute('class').match(/\bc\d+( s\d)?\b/)?.[0];
    if (colour && !colours.has(g.dataset.value)) colours.set(g.dataset.value, colour);
  }
  trim(a.calls[stepOf?.[0] ?? walk.call] ?? a.calls[0]);
}

// part is a row of a picture, a function or type. One that is out of sight is neither laid out nor painted.
function part(svg) {
  const root = picture(svg), row = el('div', {class: 'part'}, root);
  Object.assign(row.style, {width: `${root.getAttribute('width')}px`, height: `${root.getAttribute('height')}px`});
  row.of = root.querySelector(':scope > .function')?.dataset.name;
  return row;
}

// trim leaves of the picture what the steps of a call do not show: it is of the other functions.
function trim(call) {
  const shown = $('against').value || embedded ? undefined : call?.callee;
  for (const row of $('pictures').querySelectorAll('.part')) row.hidden = shown !== undefined && row.of === shown;
}

function pick(t) {
  $('target').value = t;
  const i = known.targets.findIndex((k) => k.name === t);
  $('slider').value = i;
  const gen = known.targets[i]?.generation;
  $('slider').setAttribute('aria-valuetext', gen ? `${t}, ${gen}` : t);
  for (const g of $('groups').children) g.classList.toggle('here', g.targets.includes(t));
}

// groups draws below the slider where the places of something change.
function groups(a) {
  $('groups').replaceChildren(...a.groups.map((g, i) => {
    const seg = el('span', {class: g.refused ? 'refused' : `band b${i % 2}`, title: range(g.targets) + (g.refused ? ': ' + g.refused : '')});
    seg.style.flexGrow = g.targets.length;
    seg.targets = g.targets;
    return seg;
  }));
  const here = a.groups.find((g) => g.targets.includes(a.target));
  const open = a.groups.filter((g) => !g.refused);
  $('alike').textContent = !here ? '' : open.length === 1 ? `Identical on all targets that run it: ${range(here.targets)}.`
    : `Identical on ${range(here.targets)}; other targets differ.`;
  if (a.target) pick(a.target);
}

function listing(a) {
  $('listing-title').textContent = a.listing.title;
  $('listing-missing').hidden = !a.listing.missing;
  $('listing-missing').textContent = a.listing.missing ? `None: ${a.listing.missing}.` : '';
  $('listing').hidden = !a.listing.lines.length;
  if (fresh) top();
  fresh &&= $('listing').hidden;
  const texts = (list) => new Set(list.map((l) => l.text));
  differ = [new Set(), new Set()];
  if (a.other) {
    const [own, there] = [texts(a.listing.lines), texts(a.other.listing.lines)];
    differ = [own.difference(there), there.difference(own)];
  }
  lines.set(a.listing.lines);
  $('beside').hidden = !differ[0].size && !differ[1].size; // one is enough of what is the same
  others.set($('beside').hidden ? [] : a.other.listing.lines);
}

// lineOf makes the element of a line of the listing.
function lineOf(l) {
  const changed = l.kind !== 'head' && differ.some((d) => d.has(l.text));
  const colour = l.ids.length > 1 ? 'several' : colours.get(l.ids[0]);
  const [code, note] = l.kind === 'note' ? ['', l.text] : parts(l.text);
  return el('li', {
    class: `${l.kind} ${colour ? 'tint ' + colour : ''} ${l.ids.some((id) => marked.has(id)) ? 'hot' : ''} ${changed ? 'changed' : ''}`, 'data-ids': l.ids.join(' '),
    'data-bytes': note.match(/\[(\d+:\d+)\]$/)?.[1] ?? false,
  }, code, ...(note ? [el('span', {class: 'note'}, note)] : []));
}

function parts(text) {
  const at = text.indexOf('//', 1);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

function* values(a) {
  $('values').parentElement.hidden = !a.values.length;
  if (!a.values.length) {
    $('values').replaceChildren();
    return;
  }
  const heads = ['Name', 'Where', 'Size', 'Align', 'Type', 'Role', 'Of'];
  if (!$('values').querySelector('table')) $('values').replaceChildren(table('Every value with its place', heads, []));
  yield* fill($('values').querySelector('tbody'), a.values, (v) => JSON.stringify({...v, rules: 0, colour: colours.get(v.id)}), (v) => {
    const button = el('button', {type: 'button', class: 'value', 'aria-keyshortcuts': 'r'}, swatch(colours.get(v.id)), v.name);
    button.onfocus = () => hot([v.id]);
    button.onblur = () => hot([]);
    button.onclick = () => {
      const span = shown?.spans.find((s) => s.ids.includes(v.id));
      if (span) { pane('source'); editor.go(span.from, span.to); }
    };
    return row(heads, {attrs: {'data-ids': v.id}, cells: [button, v.where, v.size, v.align, v.type, v.role, v.of]});
  });
}

function diff(d) {
  $('diff').hidden = !d;
  if (!d) return;
  $('diff-title').textContent = `${d.a} and ${d.b}`;
  $('diff-summary').textContent = d.refused ? `Not compared: ${d.refused}.`
    : d.types && d.found ? `${plural(d.found, 'difference')} between what the two declare${d.functions ? `; ${d.differ} of ${plural(d.functions, 'function')} ${d.differ === 1 ? 'differs' : 'differ'}` : ''}.`
    : d.types ? 'Both declare the same.'
    : d.functions === 0 ? 'Types have the same layout on all targets, and no function is declared.'
    : d.differ === 0 ? `${d.functions === 1 ? 'The function is' : `All ${d.functions} functions are`} identical on both.`
    : `${d.differ} of ${plural(d.functions, 'function')} ${d.differ === 1 ? 'differs' : 'differ'}; ${d.breaks ? 'callers break' : 'no caller breaks'}.`;
  $('diff-rows').replaceChildren(...(d.rows.length ? [table('What differs', ['Function', 'What', d.a, d.b, 'Why'],
    d.rows.map((r) => ({attrs: {class: r.breaks ? 'breaks' : ''}, cells: [r.function, r.what, r.a || '–', r.b || '–', r.why]})))] : []));
  $('diff-facts-title').hidden = !d.facts.length;
  $('diff-facts-title').textContent = `${plural(d.facts.length, 'fact')} in which the targets themselves differ`;
  $('diff-facts').replaceChildren(table('Facts that differ', ['Fact', d.a, d.b], d.facts.map((f) => ({cells: [f.name, f.a, f.b]}))));
}

function facts(a) {
  if ($('facts').of === a.target) return;
  $('facts').of = a.target;
  $('facts-title').textContent = `How ${a.target} is known: ${plural(a.facts.length, 'fact')}, each with its source`;
  const usual = a.facts[0].source; // which most have
  $('facts').replaceChildren(el('p', {class: 'about'}, `The source is ${usual} where none is named.`), table(`Facts about ${a.target}`, ['Fact', 'Value', 'Known', 'Source'],
    a.facts.map((f) => ({cells: [f.name, f.value, el('span', {class: `grade ${f.grade}`}, f.grade), f.source === usual ? '' : f.source]}))));
}

let marked = new Map(); // the values that are shown everywhere, each with its bytes or null for all

// alike are values with their bytes, and those that are the same bytes: fields of what
// is passed, and what is passed of which they are fields.
function alike(ids, bytes) {
  const all = new Map(ids.map((id) => [id, bytes]));
  for (const h of shown?.holds ?? []) {
    const range = all.get(h.id);
    const own = all.get(h.of); // of the field, from its own first byte
    if (ids.includes(h.id) && (!range || range[0] < h.end && range[1] > h.first)) all.set(h.of, range && [Math.max(0, range[0] - h.first), Math.min(range[1], h.end) - h.first]);
    else if (ids.includes(h.of) && !all.has(h.id)) all.set(h.id, own ? [h.first + own[0], Math.min(h.end, h.first + own[1])] : h.id.startsWith('k') ? null : [h.first, h.end]);
  }
  return all;
}

// hot shows what belongs to values, wherever it stands. With a line, that one of
// the source is shown too, and with bytes of a value, "4:8", what has any of them.
function hot(ids, line = 0, bytes = '', reveal = false) {
  editor.point(line, reveal);
  if (!ids.length && !marked.size) return;
  marked = alike(ids, bytes ? bytes.split(':').map(Number) : null);
  light();
}

// light shows what is marked.
function light() {
  const want = marked;
  const of = (id) => want.has(id) ? id : [...want.keys()].find((w) => id.startsWith(w + '.'));
  const any = (list) => list.some((id) => of(id) !== undefined);
  const has = (e) => {
    const list = e.dataset.value ? [e.dataset.value] : (e.dataset.ids ?? '').split(' ');
    const [from, to] = (e.dataset.bytes ?? '0:0').split(':').map(Number);
    return list.some((id) => { const r = want.get(of(id)); return r && from < r[1] && to > r[0]; });
  };
  editor.light(any);
  for (const g of $('pictures').querySelectorAll('[data-value]')) g.classList.toggle('hot', any([g.dataset.value]));
  for (const e of document.querySelectorAll('[data-ids]')) e.classList.toggle('hot', e.dataset.ids !== '' && any(e.dataset.ids.split(' ')));
  for (const e of document.querySelectorAll('[data-bytes]')) e.classList.toggle('byte', has(e));
  why.show(want, lines.lines);
}

// loading says how much of what computes has arrived, of 0 where that is not known, or
// why it cannot, and nothing when all has.
function loading(have, all, failed) {
  if (failed) {
    is(`The explorer could not be loaded: ${failed.replace(/\.$/, '')}. The examples work without it; the next change tries again.`);
    return;
  }
  const mb = (n) => (n / 1e6).toFixed(1);
  is(all > 0 && have === all ? '' : `Loading the explorer${all ? `: ${mb(have)} of ${mb(all)} MB` : ''}. The examples work already.`);
}

// is says what the page is doing before it can do all.
function is(text) {
  $('loading').hidden = !text;
  $('loading').textContent = text;
}

// edit takes the editor up, and then what answers. The first example is shown before.
async function edit() {
  if ($('loading').hidden) is('Loading the editor.');
  try {
    await editor.load();
    if ($('loading').textContent === 'Loading the editor.') is('');
  } catch (e) {
    is(`The editor could not be loaded: ${e.message}. Reload the page to write.`);
  }
  engine.load();
}

function options(select, texts, list) {
  if (select.options.length === list.length && list.every((v, i) => select.options[i].value === v && select.options[i].text === texts[i])) return;
  const was = select.value;
  select.replaceChildren(...list.map((v, i) => el('option', {value: v}, texts[i])));
  select.value = list.includes(was) ? was : '';
}

function about() {
  const e = known.examples[$('example').value];
  $('about').textContent = e ? `${e.about}.` : '';
}

// comparing makes room for two pictures, which then stand before the call's steps.
function comparing() {
  const two = $('against').value !== '';
  if (document.body.classList.contains('comparing') === two) return;
  document.body.classList.toggle('comparing', two);
  if (two) $('diff').after($('walk'));
  else $('pictures').before($('walk'));
}

function load(s) {
  shown = null;
  showing = {};
  hot([]);
  top();
  walk.call = walk.step = 0;
  walk.went = false;
  stepOf = /^\d{1,6}$/.test(s.call) && /^\d{1,6}$/.test(s.step) ? [Number(s.call), Number(s.step)] : null;
  $('lang').value = ['ptx', 'c', 'c++', 'go', 'sass'].includes(s.lang) ? s.lang : '';
  target = known.targets.some((t) => t.name === s.target) ? s.target : '';
  $('against').value = known.targets.some((t) => t.name === s.against) || known.producers.includes(s.against) ? s.against : '';
  $('producer').value = known.producers.includes(s.producer) && s.producer !== 'nvcc' ? s.producer : '';
  comparing();
  options($('only'), ['Everything', s.only].slice(0, s.only ? 2 : 1), ['', s.only].slice(0, s.only ? 2 : 1));
  $('only').value = s.only || '';
  editor.set(s.text);
}

function hovers() {
  const under = (e) => e.target.closest?.('[data-value], [data-ids]');
  for (const part of [$('shown'), $('listing'), $('beside')]) part.addEventListener('pointerover', (e) => {
    const at = under(e);
    if (at) hot(at.dataset.value ? [at.dataset.value] : at.dataset.ids.split(' ').filter(Boolean), at.line?.line ?? 0, at.dataset.bytes);
  });
  for (const part of [$('shown'), $('listing'), $('beside')]) part.addEventListener('pointerleave', () => hot([]));
  $('pictures').addEventListener('click', (e) => {
    const id = under(e)?.dataset.value;
    const span = id && shown?.spans.find((s) => s.ids.some((i) => i === id || id.startsWith(i + '.')));
    if (span) { pane('source'); editor.go(span.from, span.to); }
  });
  const select = (i) => {
    const li = lines.choose(i);
    if (li) hot(li.line.ids, li.line.line, li.dataset.bytes);
  };
  const open = (line) => {
    const at = line && editor.line(line);
    if (!at) return;
    pane('source');
    editor.go(at.from, at.to);
  };
  const follow = (from, to) => from.addEventListener('scroll', () => { if (from.matches(':hover, :focus')) to.scrollTop = from.scrollTop; });
  follow($('listing'), $('beside'));
  follow($('beside'), $('listing'));
  $('beside').addEventListener('click', (e) => open(e.target.closest('li')?.line?.line));
  $('listing').addEventListener('blur', () => hot([]));
  $('listing').addEventListener('click', (e) => open(e.target.closest('li')?.line?.line));
  $('listing').addEventListener('keydown', (e) => {
    const now = lines.chosen, last = lines.lines.length - 1;
    const next = {ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: last, PageDown: Math.min(last, now + 20), PageUp: Math.max(0, now - 20)}[e.key];
    if (next !== undefined) { e.preventDefault(); if (next >= 0 && next <= last) select(next); }
    if (e.key === 'Enter') { e.preventDefault(); open(lines.lines[now]?.line); } // or it would be typed over what open selects
    if (e.key === 'Escape') hot([]);
  });
  // By R to the rules of what is marked, and back by Escape.
  let from = null;
  for (const part of [$('values'), $('listing'), $('walk')]) part.addEventListener('keydown', (e) => {
    const rule = $('why-rules').querySelector('button');
    if (e.key !== 'r' || e.ctrlKey || e.metaKey || e.altKey || !rule || e.target.matches('select')) return;
    from = document.activeElement;
    rule.focus();
  });
  $('reason').addEventListener('keydown', (e) => { if (e.key === 'Escape') from?.focus(); });
  for (const b of document.querySelectorAll('.unfold')) b.addEventListener('click', () => {
    const part = $(b.getAttribute('aria-controls'));
    part.hidden = !part.hidden;
    b.setAttribute('aria-expanded', String(!part.hidden));
  });
}

let copied = 0; // the timer of what the button says
async function copy() {
  touched = true;
  const since = acts;
  const link = await packed();
  let said = 'Too long for a link';
  if (link && fits(link)) {
    const kept = keep(link, since);
    said = 'Link copied';
    try {
      await navigator.clipboard.writeText(new URL(link, location.href).href);
    } catch {
      said = kept ? 'The address has the link' : 'The link was not copied';
    }
  }
  $('copy').textContent = said;
  $('status').textContent = said;
  clearTimeout(copied);
  copied = setTimeout(() => { $('copy').textContent = 'Copy link'; }, 2000);
}

// restore takes a link up, if it is one. Whatever the reader did while it was
// unpacked, another link among it, goes before it.
async function restore(url) {
  address = url;
  const mine = ++acts;
  const s = await unpack(new URL(url).hash, known.maxText);
  if (mine !== acts) return;
  if (!s && new URL(url).hash.startsWith('#1')) {
    lost = `This link is damaged: what it shows cannot be read from it. Perhaps its end was cut off.${shown ? '' : ' The first example is shown.'}`;
    if (shown) refuse(lost);
  }
  if (!s) return;
  load(s);
  $('example').value = String(Math.max(known.examples.findIndex((e) => e.text === s.text), -1)).replace('-1', '');
  about();
  change();
}

async function start() {
  known = await catalog();
  const targets = known.targets.map((t) => el('option', {value: t.name}, t.generation ? `${t.name}  ${t.generation}` : t.name));
  $('target').replaceChildren(...targets);
  const makers = known.producers.map((p) => el('option', {value: p}, p));
  $('against').append(el('optgroup', {label: 'Target'}, ...targets.map((t) => t.cloneNode(true))), el('optgroup', {label: 'Producer', id: 'compilers'}, ...makers));
  $('producer').append(el('option', {value: ''}, 'nvcc'), ...makers.filter((p) => p.value !== 'nvcc').map((p) => p.cloneNode(true)));
  binary.most = known.maxBinary;
  $('slider').max = known.targets.length - 1;
  $('example').replaceChildren(el('option', {value: '', hidden: true}, 'Your own'), ...known.examples.map((e, i) => el('option', {value: String(i)}, e.title)));
  $('privacy').textContent = kind === 'wasm' ? 'Your text stays in this page, which computes the answers itself. Links have the text after the #, which browsers do not send.'
    : 'Your text goes to the ptxabi that serves this page and nowhere else; it keeps nothing. Links have the text after the #, which browsers do not send.';

  $('example').onchange = () => {
    const e = known.examples[$('example').value];
    load({text: e.text, lang: e.lang, target: '', against: $('against').value, producer: $('producer').value, only: ''});
    $('lang').value = '';
    about();
    acted();
    ask();
  };
  $('lang').onchange = change;
  $('against').onchange = () => { comparing(); change(); };
  $('only').onchange = $('producer').onchange = change;
  $('target').onchange = () => { target = $('target').value; change(); };
  $('slider').oninput = () => { target = known.targets[$('slider').value].name; pick(target); acted(); later(); };
  addEventListener('hashchange', (e) => restore(e.newURL));
  $('save-listing').onclick = () => saveText(lines.lines.map((l) => l.text + '\n').join(''), fileName($('only').value, shown?.target ?? '', 'listing'));
  is('');
  if (embedded) embed();
  hovers();
  panes();

  const linked = location.hash !== '';
  if (linked) { // what came with the page is not what the link is of
    $('pictures').replaceChildren();
    $('walk').hidden = $('checked').hidden = true;
    $('alike').textContent = '';
    about();
  }
  if (linked && !embedded) edit();
  await restore(location.href);
  $('main').inert = false;
  $('copy').onclick = copy;
  if (!touched) {
    $('example').value = '0';
    load({text: known.examples[0].text, only: ''});
    about();
    await ask(true);
  }
  if (!linked && !embedded) await edit();
  addEventListener('beforeprint', () => trim());
  addEventListener('afterprint', () => trim(walk.calls[walk.call]));
  new ResizeObserver(() => { if (size() !== sized) later(); }).observe($('pictures'));
}

start().catch((e) => refuse(`The page could not begin: ${e.message}`));
