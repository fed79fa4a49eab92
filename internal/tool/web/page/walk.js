// Steps through a call: what its code moves, one instruction after the other, with
// the registers, the stack and both functions as they are after each.

import {el} from './show.js';

const $ = (id) => document.getElementById(id);
const pace = 1300; // milliseconds of a step that is played

// typeOf is the type of a value with the extent of an array.
function typeOf(v) {
  const n = v.type.startsWith('.v') ? 1 : Number(v.size) * 8 / Number(v.type.match(/\d+$/)?.[0]);
  return n > 1 ? `${v.type}[${n}]` : v.type;
}

// word is the operand of four bytes of a move: the half of a virtual register, or the next place of a bank, the memory or the
// registers.
function word(s, first) {
  const [k, bytes] = [first - s.first, s.end - s.first];
  if (bytes <= 4 || k < 0) return s.other;
  if (/^%[\w$]+$/.test(s.other) && bytes === 8) return s.other + (k ? '.hi' : '.lo');
  if (/^R\d+$/.test(s.other)) return `R${Number(s.other.slice(1)) + k / 4}`;
  return s.other.replace(/(\[R\d+|\[%[\w$.]+|\]\[)(?:\+?(0x[0-9a-f]+))?\]$/, (_, base, at) => {
    const n = Number(at ?? 0) + k;
    return `${base}${base === '][' ? '' : n ? '+' : ''}${n || base === '][' ? `0x${n.toString(16)}` : ''}]`;
  });
}

export class Walk {
  // onStep is told of each step that is shown, with its values and lines.
  constructor(onStep) {
    Object.assign(this, {onStep, calls: [], call: 0, step: -1, timer: 0});
    $('walk-call').addEventListener('change', () => this.go(Number($('walk-call').value), 0));
    $('walk-first').onclick = () => this.go(this.call, 0);
    $('walk-back').onclick = () => this.go(this.call, this.step - 1);
    $('walk-next').onclick = () => this.go(this.call, this.step + 1);
    $('walk-play').onclick = () => this.timer ? this.stop() : this.play();
    $('walk').addEventListener('keydown', (e) => {
      if (e.target.matches('select')) return;
      const to = {ArrowLeft: this.step - 1, ArrowRight: this.step + 1, Home: 0, End: this.steps.length - 1}[e.key];
      if (to === undefined) return;
      e.preventDefault();
      this.stop();
      this.go(this.call, to);
    });
    new ResizeObserver(() => this.arrow()).observe($('machine'));
  }

  get steps() {
    return this.calls[this.call]?.steps ?? [];
  }

  // set takes the calls of an answer. The step that was shown is kept where the call
  // is there still.
  set({calls, facts = [], values = []}, colours, call, step) {
    this.stop();
    const [first, last] = facts.find((f) => f.name === 'parameter registers')?.value.match(/\d+/g)?.map(Number) ?? [0, -1];
    Object.assign(this, {calls, values, colours, first, last});
    $('walk').hidden = !calls.length;
    if (!calls.length) return;
    $('walk-call').replaceChildren(...calls.map((c, i) => el('option', {value: String(i)}, `${c.caller} calls ${c.callee}, line ${c.line}`)));
    const found = call >= 0 && call < calls.length;
    this.show(found ? call : 0, found ? step : 0);
  }

  play() {
    if (this.step >= this.steps.length - 1) this.go(this.call, 0);
    $('walk-play').textContent = 'Pause';
    this.timer = setInterval(() => {
      this.go(this.call, this.step + 1);
      if (this.step >= this.steps.length - 1) this.stop();
    }, pace);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    $('walk-play').textContent = 'Play';
  }

  // go shows a step because the reader wants it.
  go(call, step) {
    this.show(call, step);
    this.onStep(this.steps[this.step]);
    for (const [side, of] of [['--above', $('walk-said').parentElement], ['--below', $('reason')]]) $('machine').style.setProperty(side, `${of.offsetHeight}px`);
    for (const e of $('machine').querySelectorAll('.moving')) e.scrollIntoView({block: 'nearest'});
  }

  show(call, step) {
    this.call = call;
    this.step = Math.max(0, Math.min(this.steps.length - 1, step));
    const c = this.calls[call], s = this.steps[this.step];
    $('walk-call').value = String(call);
    // Not disabled: a button that is loses the focus, and the keys with it.
    for (const b of ['walk-first', 'walk-back']) $(b).setAttribute('aria-disabled', String(this.step === 0));
    $('walk-next').setAttribute('aria-disabled', String(this.step === this.steps.length - 1));
    $('walk-said').textContent = `${this.step + 1} of ${this.steps.length}. ${s.text}`;
    this.draw(c);
    $('walk-steps').replaceChildren(...this.steps.map((t, i) => {
      const b = el('button', {type: 'button', class: 'step', 'aria-current': i === this.step ? 'step' : false}, t.text);
      b.onclick = () => this.go(this.call, i);
      return el('li', {}, b);
    }));
    this.arrow();
  }

  // draw puts the machine on the page as it is after the step: above it what the caller passes, below it what the callee
  // declares. A place that something comes to later has its name, paler.
  draw(c) {
    const now = this.steps[this.step];
    const bytes = (s, i) => s.cells.length > 1 ? [s.first + 4 * i, Math.min(s.end, s.first + 4 * i + 4)] : [s.first, s.end];
    const held = new Map(), later = new Map();
    for (const [at, s] of this.steps.entries()) {
      if (['pass', 'address', 'link', 'write', 'save'].includes(s.kind)) s.cells.forEach((cell, i) => {
        const what = s.kind === 'link' ? {name: 'return', part: 'address', id: ''} : s.kind === 'save' ? {name: s.name, part: 'saved', id: ''}
          : {name: s.name, part: s.kind === 'address' ? 'address' : `[${bytes(s, i).join(':')}]`, id: s.id};
        if (at <= this.step) held.set(cell, what);
        else if (!later.has(cell)) later.set(cell, what);
      });
      if (at <= this.step && s.kind === 'frame' && s.sp === 0) for (const cell of held.keys()) if (cell[0] === 'F') held.delete(cell); // given back
    }
    const hue = (id) => this.colours.get(id.replace(/h$/, 'r0')) ?? 'plain';
    // A cell is a box with what it holds, below its name if it has one.
    const cell = (attrs, label, what, classes) => el('div', {
      ...attrs, class: `cell ${classes}`, 'data-ids': what?.id || false, 'data-bytes': /^\[\d/.test(what?.part) && what.part.slice(1, -1),
    }, ...(label ? [el('span', {class: 'where'}, label)] : []), el('div', {class: 'box'}, el('b', {}, what?.name ?? ''), el('span', {class: 'part'}, what?.part ?? '')));
    const cells = new Set(now.cells);
    const box = (name, label) => {
      const is = held.get(name), what = is ?? later.get(name);
      return cell({'data-cell': name, title: is ? `${label}: ${is.name} ${is.part}` : label}, label, what, `${what ? 'hue ' + hue(what.id) : 'empty'} ${is ? '' : 'ghost'} ${cells.has(name) ? 'moving' : ''}`);
    };
    const numbers = new Set(this.steps.flatMap((s) => s.cells));
    const regs = [...numbers].filter((n) => n[0] === 'R').sort((a, b) => a.slice(1) - b.slice(1));
    // The registers for parameters that this call does not use are one cell.
    const runs = [];
    for (let r = this.first; r <= this.last; r++) {
      if (numbers.has(`R${r}`)) continue;
      if (runs.at(-1)?.[1] === r - 1) runs.at(-1)[1] = r;
      else runs.push([r, r]);
    }
    const free = runs.length ? [cell({}, runs.map(([a, b]) => a === b ? `R${a}` : `R${a} to R${b}`).join(', '), {name: 'free', part: '', id: ''}, 'empty free')] : [];
    // A region of memory, with those of its words that something moves to or from.
    const words = (letter, from) => [...numbers].filter((n) => n[0] === letter).map((n) => Number(n.slice(1))).sort((a, b) => a - b)
      .map((n) => box(letter + n, place(from + n)));
    const place = (n) => `SP${n < 0 ? '−' : '+'}0x${Math.abs(n).toString(16)}`;
    const texts = {arguments: () => 'arguments', result: (r) => `result ${r.name}`, saved: () => 'saved registers', rest: () => 'variables, padding'};
    const region = (r) => {
      const list = r.kind === 'saved' && r.who === 'caller' ? [] : r.kind === 'rest' ? [] : words({arguments: 'S', result: 'M', saved: 'F'}[r.kind], r.kind === 'result' ? r.from : 0);
      return el('div', {class: 'row region', 'data-region': r.kind}, el('span', {class: 'title'}, texts[r.kind](r), el('span', {class: 'extent'}, `${place(r.from)} … ${place(r.to)}`)),
        el('div', {class: 'cells'}, ...list.slice(0, 32), ...(list.length > 32 ? [el('span', {class: 'about'}, `and ${list.length - 32} more`)] : [])));
    };
    const pointer = (at) => el('div', {class: `sp ${now.sp === at ? 'here' : ''}`}, now.sp === at ? 'R1 ▸' : '');
    // Saved registers that follow each other are one region.
    const joined = [];
    for (const r of c.memory) {
      const last = joined.at(-1);
      if (last && last.kind === 'saved' && r.kind === 'saved' && last.to === r.from && last.who === r.who) last.to = r.to;
      else joined.push({...r});
    }
    const frameOf = (who, name, size, note) => {
      const list = joined.filter((r) => r.who === who).reverse(); // the stack grows downwards
      return list.length ? [el('div', {class: 'frame', 'data-frame': who}, el('span', {class: 'about'}, `frame of ${name}, ${size} bytes${note}`), ...list.map(region))] : [];
    };
    const [above, below] = [frameOf('caller', c.caller, c.frame, ''), frameOf('callee', c.callee, c.calleeFrame, c.calleeAligned ? ', and what aligns it' : '')];
    const lost = [...numbers].some((n) => n[0] === 'M') && !c.memory.some((r) => r.kind === 'result');
    const stack = above.length || below.length || lost ? [el('div', {class: 'stack'},
      ...(lost ? [el('div', {class: 'row region'}, el('span', {class: 'title'}, 'result in memory'), el('div', {class: 'cells'}, ...[...numbers].filter((n) => n[0] === 'M').slice(0, 32).map((n) => box(n, `+0x${Number(n.slice(1)).toString(16)}`))))] : []),
      ...above, pointer(0), ...below, ...(below.length ? [pointer(-c.calleeFrame)] : []))] : [];
    const called = this.steps.findIndex((s) => s.kind === 'call'), back = this.steps.findIndex((s) => s.kind === 'return');
    const running = this.step > called && (back < 0 || this.step < back) || now.who === 'callee' ? 'callee' : 'caller';
    // What one side has of a parameter or result: its words, each with the operand that its bytes come from or go to.
    const formal = (who, v) => {
      const result = v.role === 'result', kinds = who === 'caller' ? ['pass', 'take'] : ['read', 'write'];
      const moves = this.steps.map((s, at) => ({...s, at})).filter((s) => s.id === v.id && s.who === who && kinds.includes(s.kind));
      const size = Number(v.size) || Math.max(0, ...moves.map((s) => s.end)), most = 8;
      const ends = Array.from({length: Math.min(most, Math.ceil(size / 4))}, (_, i) => Math.min(size, 4 * i + 4));
      if (ends.length === most) ends[most - 1] = size;
      return el('div', {class: 'formal'}, el('span', {class: 'where'}, el('b', {}, v.name), who === 'callee' && v.type ? ` ${typeOf(v)}` : ''), el('div', {class: 'words'}, ...ends.map((end, i) => {
        const m = moves.filter((s) => s.first < end && s.end > 4 * i), is = m.findLast((s) => s.at <= this.step) ?? (who === 'caller' && !result ? m[0] : undefined);
        const operand = is ? word(is, 4 * i) : '';
        return cell({'data-operand': operand || false}, '', {name: operand, part: `[${4 * i}:${end}]`, id: v.id}, `operand hue ${hue(v.id)} ${is ? '' : 'ghost'} ${m.some((s) => s.at === this.step) ? 'moving' : ''}`);
      })));
    };
    const formals = this.values.filter((v) => v.of === c.callee && ['parameter', 'result'].includes(v.role)), most = 24;
    // The frame itself, where it is drawn, says how large it is.
    const frame = (n, drawn) => n < 0 ? ', only declared here: its frame is not known' : !n ? ', no frame' : drawn ? '' : `, frame of ${n} bytes`;
    const fn = (who, name, note) => el('div', {class: `row fn ${running === who ? 'runs' : ''}`, 'data-fn': who},
      el('span', {class: 'title'}, el('b', {}, name), el('span', {}, who + note)), el('div', {class: 'formals'}, ...formals.slice(0, most).map((v) => formal(who, v)),
        ...(formals.length > most ? [el('span', {class: 'about'}, `and ${formals.length - most} more`)] : [])));
    $('machine').replaceChildren(
      fn('caller', c.caller, frame(c.frame, above.length)),
      el('div', {class: 'row'}, el('span', {class: 'title'}, 'registers'), el('div', {class: 'cells'}, ...regs.map((r) => box(r, r)), ...free)),
      ...stack,
      fn('callee', c.callee, frame(c.calleeFrame, below.length)),
    );
  }

  // arrow leads from where bytes come from to where they go.
  arrow() {
    const s = this.steps[this.step], svg = $('walk-arrow');
    svg.replaceChildren();
    if (!s || !s.cells.length || !$('machine').offsetParent) return;
    const cell = $('machine').querySelector(`[data-cell="${CSS.escape(s.cells[0])}"]`);
    const last = $('machine').querySelector(`[data-cell="${CSS.escape(s.cells.at(-1))}"]`) ?? cell;
    const operand = $('machine').querySelector(`[data-fn=${s.who}] .moving`);
    if (!cell || !operand) return;
    const room = svg.getBoundingClientRect();
    svg.setAttribute('viewBox', `0 0 ${room.width} ${room.height}`);
    const a = cell.getBoundingClientRect(), b = last.getBoundingClientRect(), o = operand.getBoundingClientRect();
    const above = o.top < a.top;
    const one = [(a.left + (b.top === a.top ? b.right : a.right)) / 2 - room.left, (above ? a.top : a.bottom) - room.top];
    const two = [(o.left + o.right) / 2 - room.left, (above ? o.bottom : operand.closest('.formal').getBoundingClientRect().top) - room.top];
    const [from, to] = ['read', 'take'].includes(s.kind) ? [one, two] : [two, one];
    const mid = (from[1] + to[1]) / 2;
    const turn = to[1] > from[1] ? 1 : -1;
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', `M${from}C${from[0]} ${mid} ${to[0]} ${mid} ${to}M${to[0] - 5} ${to[1] - 8 * turn}L${to}L${to[0] + 5} ${to[1] - 8 * turn}`);
    svg.append(path);
  }
}
