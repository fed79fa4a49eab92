// A textarea above a copy of its text that has the marks: diagnostics underlined,
// and the names of values in their colours.

const markable = 100_000; // UTF-16 units of the longest text that is marked: longer ones would be slow to type in

export class Editor {
  // onInput is called with whether most of the text was replaced, as when another is
  // pasted. onHover is called with the span below the pointer or the caret, or null.
  constructor(area, marks, onInput, onHover) {
    Object.assign(this, {area, marks, onHover, spans: [], faults: [], colours: new Map()});
    this.text = '';
    area.addEventListener('input', () => onInput(this.shift()));
    area.addEventListener('scroll', () => this.scroll());
    area.addEventListener('pointermove', (e) => onHover(this.below(e)));
    area.addEventListener('pointerleave', () => onHover(null));
    document.addEventListener('selectionchange', () => {
      if (document.activeElement === area) onHover(this.at(area.selectionStart));
    });
  }

  set(text) {
    this.area.value = text;
    this.spans = this.faults = [];
    this.draw();
  }

  mark(spans, faults, colours) {
    Object.assign(this, {spans, faults, colours});
    this.draw();
  }

  // plain reports whether the text is too long to be marked.
  get plain() {
    return this.area.value.length > markable;
  }

  // shift keeps the marks at their places while an answer is awaited. It reports
  // whether less than half of the text that was is left.
  shift() {
    const [was, is] = [this.text, this.area.value];
    let head = 0;
    while (head < was.length && head < is.length && was[head] === is[head]) head++;
    let tail = 0;
    while (tail < was.length - head && tail < is.length - head && was[was.length - 1 - tail] === is[is.length - 1 - tail]) tail++;
    const moved = (list) => list.flatMap((s) => {
      if (s.to <= head) return [s];
      if (s.from < was.length - tail) return [];
      return [{...s, from: s.from + is.length - was.length, to: s.to + is.length - was.length}];
    });
    this.spans = moved(this.spans);
    this.faults = moved(this.faults);
    this.draw();
    return 2 * (head + tail) < was.length;
  }

  draw() {
    const text = this.text = this.area.value;
    this.area.parentElement.classList.toggle('plain', this.plain);
    if (this.plain) {
      this.spans = this.faults = [];
      this.marks.replaceChildren();
      return;
    }
    const edges = new Set([0, text.length]);
    for (const s of [...this.spans, ...this.faults]) edges.add(s.from).add(s.to);
    const cuts = [...edges].filter((e) => e >= 0 && e <= text.length).sort((a, b) => a - b);
    const starts = (list) => [...list].sort((a, b) => a.from - b.from);
    const spans = starts(this.spans), faults = starts(this.faults);
    const out = document.createDocumentFragment();
    let i = 0, j = 0;
    for (let k = 0; k + 1 < cuts.length; k++) {
      const [from, to] = [cuts[k], cuts[k + 1]];
      while (i < spans.length && spans[i].to <= from) i++;
      while (j < faults.length && faults[j].to <= from) j++;
      const span = spans[i]?.from <= from ? spans[i] : null;
      const fault = faults[j]?.from <= from ? faults[j] : null;
      if (!span && !fault) {
        out.append(text.slice(from, to));
        continue;
      }
      const el = document.createElement('span');
      el.textContent = text.slice(from, to);
      if (span) {
        el.className = 'tint ' + this.colour(span);
        el.dataset.ids = span.ids.join(' ');
        el.span = span;
      }
      if (fault) el.classList.add('fault', fault.severity);
      out.append(el);
    }
    out.append('\n'); // a last empty line has its height
    this.marks.replaceChildren(out);
    this.scroll();
  }

  // colour is the class of a span's values, if they share one.
  colour(span) {
    const all = new Set(span.ids.map((id) => this.colours.get(id)).filter(Boolean));
    return all.size === 1 ? [...all][0] : 'several';
  }

  scroll() {
    this.marks.scrollTop = this.area.scrollTop;
    this.marks.scrollLeft = this.area.scrollLeft;
  }

  below(e) {
    for (const el of document.elementsFromPoint(e.clientX, e.clientY)) if (el.span) return el.span;
    return null;
  }

  at(offset) {
    return this.spans.find((s) => s.from <= offset && offset <= s.to) ?? null;
  }

  // go moves the caret, and what it is at into view.
  go(from, to) {
    this.area.focus();
    this.area.setSelectionRange(from, to);
    const line = this.text.slice(0, from).split('\n').length - 1;
    const height = parseFloat(getComputedStyle(this.area).lineHeight);
    const y = line * height;
    if (y < this.area.scrollTop || y > this.area.scrollTop + this.area.clientHeight - 2 * height) {
      this.area.scrollTop = Math.max(0, y - this.area.clientHeight / 3);
    }
  }

  // line returns the ends of a line, counted from 1.
  line(n) {
    let from = 0;
    for (let i = 1; i < n; i++) {
      const end = this.text.indexOf('\n', from);
      if (end < 0) return null;
      from = end + 1;
    }
    const end = this.text.indexOf('\n', from);
    return {from, to: end < 0 ? this.text.length : end};
  }
}
