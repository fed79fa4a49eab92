// Packs an example value of a type into its bytes, as a launch has to.

import {el} from './show.js';
import {copy} from './take.js';

const $ = (id) => document.getElementById(id);

// pack writes values, a text for each field, into bytes. It returns these, which
// field each is of (-1: padding), and what is wrong with each text, "" where nothing is.
export function pack(record, texts) {
  const bytes = new Uint8Array(record.size), of = new Array(record.size).fill(-1);
  const wrong = record.fields.map((f, i) => {
    for (let bit = f.start; bit < f.start + f.step * (f.count - 1) + f.bits; bit += 8) of[bit >> 3] = i;
    of[(f.start + Math.max(1, f.step * (f.count - 1) + f.bits) - 1) >> 3] = i;
    if (!f.kind) return '';
    const parts = texts[i].split(',').map((t) => t.trim());
    if (parts.length !== f.count) return `${f.count} ${f.count === 1 ? 'number is' : 'numbers, with commas, are'} expected`;
    for (const [n, text] of parts.entries()) {
      const at = f.start + n * f.step;
      if (f.kind === 'float') {
        const value = Number(text);
        if (text === '' || Number.isNaN(value) && text !== 'NaN') return `${text || 'nothing'} is not a number`;
        const view = new DataView(bytes.buffer);
        if (f.bits === 32) view.setFloat32(at / 8, value, true);
        else view.setFloat64(at / 8, value, true);
        continue;
      }
      if (!/^-?(\d+|0[xX][0-9a-fA-F]+)$/.test(text) || text.length > 60) return `${text.slice(0, 20) || 'nothing'} is not a whole number`;
      const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
      const width = BigInt(f.bits), least = f.kind === 'int' ? -(1n << (width - 1n)) : 0n, most = (1n << (f.kind === 'int' ? width - 1n : width)) - 1n;
      if (value < least || value > most) return `${text.slice(0, 20)} does not fit: ${least} to ${most} do`;
      const raw = BigInt.asUintN(f.bits, value);
      for (let b = 0; b < f.bits; b++) if (raw >> BigInt(b) & 1n) bytes[(at + b) >> 3] |= 1 << ((at + b) & 7);
    }
    return '';
  });
  return {bytes, of, wrong};
}

const hex = (b) => b.toString(16).padStart(2, '0');

// literals write bytes as languages do.
const literals = {
  C: (b) => `const unsigned char value[${b.length}] = {${[...b].map((x) => '0x' + hex(x)).join(', ')}};`,
  Go: (b) => `value := [${b.length}]byte{${[...b].map((x) => '0x' + hex(x)).join(', ')}}`,
  Rust: (b) => `let value: [u8; ${b.length}] = [${[...b].map((x) => '0x' + hex(x)).join(', ')}];`,
  Python: (b) => `value = bytes.fromhex("${[...b].map(hex).join(' ')}")`,
};

export class Example {
  constructor() {
    this.texts = new Map(); // what was written, by record and field
    $('packed-of').addEventListener('change', () => this.show());
    $('packed-as').replaceChildren(...Object.keys(literals).map((l) => el('option', {value: l}, l)));
    $('packed-copy').onclick = () => copy(literals[$('packed-as').value](this.bytes), 'The bytes were');
  }

  set(records, colours) {
    Object.assign(this, {records, colours});
    $('packed').hidden = !records.length;
    if (!records.length) return;
    const was = $('packed-of').value;
    $('packed-of').replaceChildren(...records.map((r) => el('option', {value: r.name}, r.name)));
    if (records.some((r) => r.name === was)) $('packed-of').value = was;
    this.show();
  }

  show() {
    const record = this.records.find((r) => r.name === $('packed-of').value) ?? this.records[0];
    const key = (f) => `${record.name} ${f.name} ${f.type}`;
    const first = (f, i) => Array.from({length: f.count}, (_, n) => f.bits === 1 ? 1 : f.kind === 'float' ? i + 1 + n + 0.5 : i + 1 + n).join(', ');
    const rows = record.fields.map((f, i) => {
      const text = this.texts.get(key(f)) ?? (f.kind ? first(f, i % 7) : '');
      const input = el('input', {type: 'text', value: text, id: `packed-${i}`, disabled: !f.kind, 'aria-describedby': `wrong-${i}`, spellcheck: 'false'});
      input.oninput = () => { this.texts.set(key(f), input.value); this.draw(record, rows); };
      const wrong = el('span', {class: 'wrong', id: `wrong-${i}`});
      return {input, wrong, row: el('div', {class: 'packed-row', 'data-ids': f.id || false},
        el('label', {for: input.id}, el('b', {}, f.name || record.name), ` ${f.type}`), input, wrong)};
    });
    $('packed-fields').replaceChildren(...rows.map((r) => r.row));
    this.draw(record, rows);
  }

  draw(record, rows) {
    const {bytes, of, wrong} = pack(record, rows.map((r) => r.input.value));
    wrong.forEach((w, i) => {
      rows[i].wrong.textContent = record.fields[i].kind ? w : 'no value of this type is written: its bytes are 0';
      rows[i].input.setAttribute('aria-invalid', String(w !== ''));
    });
    this.bytes = bytes;
    $('packed-bytes').replaceChildren(...[...bytes].map((b, i) => {
      const f = record.fields[of[i]];
      return el('span', {class: `byte-cell ${f ? this.colours.get(f.id) ?? 'plain' : 'gap'}`, 'data-ids': f?.id || false, 'data-bytes': f?.id ? `${i - (f.start >> 3)}:${i - (f.start >> 3) + 1}` : false, title: `byte ${i}: ${f ? f.name || record.name : 'padding'}`}, hex(b));
    }));
  }
}
