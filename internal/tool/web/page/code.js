// Shows code that packs values of a type or the arguments of a kernel, as ptxparam
// generates it.

import {el} from './show.js';
import {copy} from './take.js';

const $ = (id) => document.getElementById(id);

export class Code {
  // onAsk is told that other code is wanted.
  constructor(onAsk) {
    this.packs = [];
    this.asked = '';
    this.onAsk = onAsk;
    $('code-of').addEventListener('change', onAsk);
    $('code-in').addEventListener('change', onAsk);
  }

  // pack is what is asked for; nothing where no language or nothing to pack is chosen.
  get pack() {
    const chosen = this.packs[$('code-of').selectedIndex];
    return chosen && $('code-in').value ? {...chosen, lang: $('code-in').value} : undefined;
  }

  // ask is pack when that is asked for.
  ask() {
    this.asked = JSON.stringify(this.pack);
    return this.pack;
  }

  // set takes an answer. What was chosen stays where it is there still.
  set(a) {
    const name = (p) => p.type ? `type ${p.type}` : `kernel ${p.kernel}`;
    const was = $('code-of').value;
    this.packs = a.packs;
    $('code').hidden = !a.packs.length;
    $('code-of').replaceChildren(...a.packs.map((p) => el('option', {value: name(p)}, name(p))));
    if (a.packs.some((p) => name(p) === was)) $('code-of').value = was;
    // Of another text, something else is chosen now than was asked for.
    const other = JSON.stringify(this.pack) !== this.asked;
    const code = other ? null : a.code;
    if (other && this.pack) this.onAsk();
    $('code-missing').textContent = code?.missing ? `None: ${code.missing}.` : '';
    $('code-files').replaceChildren(...(code?.files ?? []).map((f) => {
      const button = el('button', {type: 'button', 'aria-label': `Copy ${f.name}`}, 'Copy');
      button.onclick = () => copy(f.text, `${f.name} was`);
      return el('figure', {}, el('figcaption', {}, f.name, el('span', {class: 'take'}, button)), el('pre', {tabindex: '0', 'aria-label': f.name}, f.text));
    }));
  }
}
