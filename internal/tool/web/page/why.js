// Says of the value that is marked where its bytes are, from the field of C to the
// register, and which rules and facts of the convention put them there.

import {el, plural} from './show.js';

const $ = (id) => document.getElementById(id);

// inDocument is where docs/abi.md has a rule.
function inDocument(rule, attrs, text) {
  const href = `https://github.com/ptxabi/ptxabi/blob/main/docs/abi.md#rule-${rule.toLowerCase()}`;
  return el('a', {...attrs, href, target: '_blank', rel: 'noopener'}, text);
}

export class Why {
  constructor() {
    this.key = '';
    $('why-rules').addEventListener('click', (e) => {
      const rule = e.target.closest('[data-rule]')?.dataset.rule;
      if (rule) this.unfold(rule);
    });
  }

  // set takes an answer: what was said of another one goes.
  set(known, answer) {
    Object.assign(this, {known, answer, key: ''});
    $('reason').hidden = !answer?.values.some((v) => v.rules);
    $('why-said').replaceChildren('Point at a byte to see why it is there.');
    $('why-rules').replaceChildren();
    $('why-facts').textContent = '';
    this.unfold('');
  }

  // show says it of values with their bytes, of which the first is the one that was
  // pointed at. Of none, what was said stays: it can be gone to.
  show(marked, lines) {
    const key = [...marked].map(([id, r]) => `${id} ${r ?? ''}`).join(' ');
    if (!marked.size || !this.answer || key === this.key) return;
    const values = [...marked.keys()].map((id) => this.answer.values.find((v) => v.id === id) ?? this.answer.values.find((v) => v.id.startsWith(id + '.')));
    const passed = values.filter((v, i) => v?.rules && values.indexOf(v) === i);
    const rules = passed.flatMap((v) => v.rules.map((r) => ({...r, of: passed.length > 1 ? `${v.role === 'result' ? 'the result' : v.name} of ${v.of}: ` : ''}))).slice(0, 8);
    if (!values[0]) return;
    this.key = key;
    const bytes = (id) => marked.get(id) ? `[${marked.get(id).join(':')}]` : '';
    const parts = [...marked.keys()].flatMap((id, i) => {
      const v = values[i];
      if (!v) return [];
      const field = v.role === 'field' && id.startsWith('t');
      return [{order: field ? 0 : 1, text: field ? `field ${v.of}.${v.name} at ${v.where}` : `${v.role} ${v.name}${bytes(id)} of ${v.of} in ${this.places(id, marked.get(id), v)}`}];
    }).sort((a, b) => a.order - b.order).map((p) => p.text);
    const n = lines.filter((l) => l.kind === 'code' && l.ids.some((id) => {
      const range = marked.get(id), [from, to] = l.text.match(/\[(\d+):(\d+)\]$/)?.slice(1).map(Number) ?? [];
      return marked.has(id) && (!range || from === undefined || from < range[1] && to > range[0]);
    })).length;
    if (n) parts.push(`${plural(n, 'line')} of the listing`);
    $('why-said').replaceChildren(...parts.slice(0, 6).flatMap((p, i) => [i ? ' → ' : '', el('b', {}, p)]), parts.length > 6 ? ` and ${parts.length - 6} more` : '');
    $('why-rules').replaceChildren(...rules.map((r) => el('li', {}, el('button', {type: 'button', 'data-rule': r.name, 'aria-expanded': String(this.rule === r.name), 'aria-controls': 'why-rule'}, r.name), ' ', inDocument(r.name, {class: 'out', 'aria-label': `${r.name} in docs/abi.md`, title: 'Open it in docs/abi.md'}, '↗'), ` ${r.of}${r.text}`)));
    const facts = new Set(rules.flatMap((r) => r.facts));
    $('why-facts').textContent = this.answer.facts.filter((f) => facts.has(f.name)).map((f) => `${f.name}: ${f.value} (${f.grade})`).join('; ');
    if (this.rule && !rules.some((r) => r.name === this.rule)) this.unfold('');
  }

  // places are those of the bytes: the registers that the picture has of them, or where the value is.
  places(id, range, v) {
    const cells = [...$('pictures').querySelectorAll(`[data-value="${CSS.escape(id)}"][data-place]`)].filter((g) => {
      const [from, to] = g.dataset.bytes.split(':').map(Number);
      return !range || from < range[1] && to > range[0];
    }).map((g) => g.dataset.place);
    return [...new Set(cells)].join(', ') || v.where;
  }

  // unfold shows the text of a rule of docs/abi.md, or hides the one that is shown.
  unfold(rule) {
    this.rule = rule === this.rule ? '' : rule;
    $('why-rule').hidden = !this.rule;
    $('why-rule').replaceChildren(...(this.rule ? [el('b', {}, `${this.rule}. `), this.known.rules[this.rule] ?? '', ' ', inDocument(this.rule, {}, 'Open it in docs/abi.md')] : []));
    for (const b of $('why-rules').querySelectorAll('[data-rule]')) b.setAttribute('aria-expanded', String(b.dataset.rule === this.rule));
  }
}
