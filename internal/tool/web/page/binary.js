// A compiled file beside the source: dropped on the page or chosen, read by what answers
// the page's questions, and held against the text.

import {breakable, el, plural, sentence, table} from './show.js';

const $ = (id) => document.getElementById(id);

// isBinary tells compiled files from texts, which have no zero bytes.
const isBinary = (bytes) => bytes.subarray(0, 4096).includes(0);

// base64 is the contents of a file in it, made by the browser itself.
function base64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}

export class Binary {
  // onChange is told that a compiled file was taken or put away, onText of a text that
  // was dropped, go of a finding that leads to the source, and say of a file that is not read.
  constructor({onChange, onText, go, say}) {
    Object.assign(this, {onChange, onText, go, say, file: null, refused: null, most: 0, turn: 0});
    $('open').onclick = () => $('file').click();
    $('file').onchange = () => { this.take($('file').files[0]); $('file').value = ''; };
    $('binary-away').onclick = () => this.put(null);
    const files = (e) => e.dataTransfer?.types.includes('Files');
    addEventListener('dragover', (e) => { if (files(e)) { e.preventDefault(); document.body.classList.add('dropping'); } });
    addEventListener('dragleave', (e) => { if (!e.relatedTarget) document.body.classList.remove('dropping'); });
    addEventListener('drop', (e) => {
      document.body.classList.remove('dropping');
      if (!files(e)) return;
      e.preventDefault();
      const {files: list} = e.dataTransfer;
      if (list.length > 1) {
        this.turn++;
        this.refuse(plural(list.length, 'file'), 'one is read at a time');
      } else this.take(list[0]);
    });
  }

  // take reads a file that was dropped or chosen. The last one counts.
  async take(file) {
    if (!file) return;
    const mine = ++this.turn;
    try {
      const begin = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
      if (mine !== this.turn) return;
      if (!isBinary(begin)) {
        if (file.size > this.most) {
          this.refuse(file.name, `it has ${file.size} bytes, and a text here at most ${this.most}`);
          return;
        }
        const text = await file.text();
        if (mine !== this.turn) return;
        this.refused = null;
        this.onText(text);
        return;
      }
      if (file.size > this.most) {
        this.refuse(file.name, `it has ${file.size} bytes; at most ${this.most} are read here, and ptxabi verify reads any`);
        return;
      }
      const data = await base64(file);
      if (mine === this.turn) this.put({name: file.name.slice(0, 200), data});
    } catch (e) {
      if (mine === this.turn) this.refuse(file.name, e.message);
    }
  }

  // refuse says why a file is not read, in place of what was shown of another one.
  refuse(name, why) {
    this.say(`${name} was not read: ${why}`);
    this.put(null, {name, refused: why, findings: [], notes: [], reports: [], images: []});
  }

  put(file, refused = null) {
    this.file = file;
    this.refused = refused;
    this.onChange();
  }

  // set shows what was answered about the file.
  set(b) {
    b = this.refused ?? b;
    const here = (this.file ?? this.refused) !== null && b;
    $('binary').hidden = !here;
    if (!here) return;
    $('binary-title').textContent = b.compared ? `${b.name || 'The file'} and the source` : b.name || 'The file';
    $('binary-said').textContent = b.refused ? `Not read: ${b.refused}.`
      : {same: 'The kernels are as the source says.', differs: `${plural(b.findings.length, 'difference')} between what is compiled and the source.`}[b.compared] ?? 'What is recorded in it:';
    $('binary-said').className = b.compared;
    $('binary-findings').replaceChildren(...b.findings.map((f) => {
      const go = el('button', {type: 'button', class: 'go'}, el('span', {class: 'place'}, f.line ? `${f.line}:${f.column}` : 'file'), el('span', {class: `severity ${f.severity}`}, f.severity), el('span', {}, f.message));
      go.onclick = () => { if (f.from >= 0) this.go(f.from, f.to); };
      return el('li', {}, go);
    }));
    $('binary-notes').replaceChildren(...b.notes.map((n) => el('li', {}, `${sentence(n)}.`)));
    $('binary-reports').replaceChildren(...b.reports.map((r, i) => el('pre', {tabindex: '0', 'aria-label': `Report ${i + 1}`}, r)));
    $('binary-reports').previousElementSibling.hidden = !b.reports.length;
    const or = (n) => n < 0 ? '–' : String(n);
    const rows = b.images.flatMap((m) => m.kernels.map((k) => ({cells: [
      el('span', {title: k.name}, breakable(k.shown)), k.size < 0 ? 'none' : `c[0x${k.bank.toString(16)}][0x${k.base.toString(16)}], ${plural(k.size, 'byte')}`,
      k.params.map((p) => p.offset < 0 ? 'handle' : `${p.offset}:${p.offset + p.size}`).join(' '), or(k.registers), or(k.frame), `${m.kind} ${m.arch} ${m.toolkit}`.trim(), m.where,
    ]})));
    $('binary-kernels').replaceChildren(rows.length ? table('Kernels of the file', ['Kernel', 'Block', 'Parameters', 'Registers', 'Frame', 'For', 'Where'], rows) : '');
  }
}
