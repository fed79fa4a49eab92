// A list of lines of which only those in sight are elements, where there are many.

import {el} from './show.js';

const few = 300;  // lines that are all elements
const spare = 30; // lines above and below those in sight

export class Lines {
  // make makes the element of a line.
  constructor(list, make, name = 'line') {
    Object.assign(this, {list, make, name, lines: [], chosen: -1});
    list.addEventListener('scroll', () => { if (this.lines.length > few) this.draw(); });
    matchMedia('print').addEventListener('change', (e) => { this.paper = e.matches; this.from = -1; this.draw(); }); // all of it
    new ResizeObserver(() => { if (this.lines.length > few) this.draw(); }).observe(list);
  }

  set(lines) {
    this.lines = lines;
    this.chosen = -1;
    this.from = this.to = -1;
    this.list.removeAttribute('aria-activedescendant');
    this.draw();
  }

  get height() {
    return this.known ??= parseFloat(getComputedStyle(this.list).lineHeight);
  }

  draw() {
    const n = this.lines.length;
    let from = 0, to = n;
    if (n > few && !this.paper) {
      const room = this.list.clientHeight, top = Math.min(this.list.scrollTop, n * this.height - room); // of a longer list before, it may be below the end
      from = Math.max(0, Math.floor(top / this.height) - spare);
      to = Math.min(n, Math.ceil((top + room) / this.height) + spare);
      if (from >= this.from && to <= this.to && this.to - this.from < few) return;
    }
    [this.from, this.to] = [from, to];
    const gap = (lines) => {
      const out = el('li', {role: 'presentation', class: 'gap'});
      out.style.height = `${lines * this.height}px`;
      return out;
    };
    this.list.classList.toggle('many', n > few);
    this.list.replaceChildren(...(from ? [gap(from)] : []), ...this.lines.slice(from, to).map((l, i) => {
      const li = this.make(l, from + i);
      li.id = `${this.name}-${from + i}`;
      li.setAttribute('role', 'option');
      li.setAttribute('aria-selected', String(from + i === this.chosen));
      li.setAttribute('aria-setsize', n);
      li.setAttribute('aria-posinset', from + i + 1);
      li.index = from + i;
      li.line = l;
      return li;
    }), ...(to < n ? [gap(n - to)] : []));
  }

  // reveal brings a line into sight and returns its element.
  reveal(i) {
    if (i < 0 || i >= this.lines.length) return null;
    if (i < this.from || i >= this.to) {
      this.list.scrollTop = i * this.height - this.list.clientHeight / 2;
      this.draw();
    }
    const li = this.list.querySelector(`#${this.name}-${i}`);
    const top = li.offsetTop, end = top + li.offsetHeight;
    if (top < this.list.scrollTop) this.list.scrollTop = top - 8;
    if (end > this.list.scrollTop + this.list.clientHeight) this.list.scrollTop = end - this.list.clientHeight + 8;
    return li;
  }

  // choose selects a line and returns its element.
  choose(i) {
    this.list.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
    this.chosen = i;
    const li = this.reveal(i);
    if (!li) {
      this.list.removeAttribute('aria-activedescendant');
      return null;
    }
    li.setAttribute('aria-selected', 'true');
    this.list.setAttribute('aria-activedescendant', li.id);
    return li;
  }
}
