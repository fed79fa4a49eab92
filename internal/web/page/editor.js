// A textarea above marks of the lines that are in sight: diagnostics underlined,
// and the names of values in their colours. What a key costs here does not grow
// with the marks, and with the text only by looking for its line ends.

const spare = 40;     // lines that are marked above and below those in sight
const wide = 2000;    // UTF-16 units of a line that are marked
const whole = 100_000; // UTF-16 units of the longest text that is printed with its marks

export class Editor {
  // onInput is called at once when the text changes, and onSettled before the next
  // frame, with whether most of the text was replaced, as when another is pasted:
  // a browser may report a paste line by line. onHover is called with the span
  // below the pointer or the caret, or null.
  constructor(area, marks, {onInput, onSettled, onHover}) {
    Object.assign(this, {area, marks, onSettled, spans: [], faults: [], colours: new Map(), starts: [0], frame: 0, bar: 0});
    this.text = '';
    area.addEventListener('input', () => {
      onInput();
      if (!this.frame) this.frame = requestAnimationFrame(() => this.flush());
    });
    area.addEventListener('scroll', () => this.scroll());
    area.addEventListener('pointermove', (e) => onHover(this.below(e)));
    area.addEventListener('pointerleave', () => onHover(null));
    document.addEventListener('selectionchange', () => {
      if (document.activeElement === area) onHover(this.at(area.selectionStart));
    });
    new ResizeObserver(() => this.draw()).observe(area);
    matchMedia('print').addEventListener('change', (e) => this.draw(e.matches));
  }

  set(text) {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.area.value = text;
    this.spans = this.faults = [];
    this.take(text);
    this.draw();
  }

  mark(spans, faults, colours) {
    Object.assign(this, {spans: inOrder(spans), faults: inOrder(faults), colours});
    this.draw();
  }

  // take finds the lines of a text.
  take(text) {
    this.text = text;
    const starts = this.starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.area.parentElement.classList.toggle('plain', text.length > whole);
  }

  // flush takes changes up that wait for a frame.
  flush() {
    if (!this.frame) return;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.onSettled(this.shift());
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
    this.take(is);
    this.draw();
    return 2 * (head + tail) < was.length;
  }

  // draw marks the lines in sight, or for paper all of a text that is not too long.
  draw(paper = false) {
    const height = this.lineHeight;
    const all = paper && this.text.length <= whole;
    const first = all ? 0 : Math.max(0, Math.floor(this.area.scrollTop / height) - spare);
    const last = all ? this.starts.length : Math.min(this.starts.length, Math.ceil((this.area.scrollTop + this.area.clientHeight) / height) + spare);
    this.drawn = [first, last];
    const out = document.createDocumentFragment();
    let i = after(this.spans, this.starts[first] ?? 0), j = after(this.faults, this.starts[first] ?? 0);
    for (let n = first; n < last; n++) {
      const from = this.starts[n], end = this.end(n);
      const to = all ? end : Math.min(end, from + wide);
      const cuts = [from, to];
      const between = (list, k) => {
        const here = [];
        for (; k < list.length && list[k].from < to; k++) if (list[k].to > from) {
          here.push(list[k]);
          cuts.push(Math.max(list[k].from, from), Math.min(list[k].to, to));
        }
        return here;
      };
      while (i < this.spans.length && this.spans[i].to <= from) i++;
      while (j < this.faults.length && this.faults[j].to <= from) j++;
      const spans = between(this.spans, i), faults = between(this.faults, j);
      cuts.sort((a, b) => a - b);
      for (let k = 0; k + 1 < cuts.length; k++) if (cuts[k] < cuts[k + 1]) out.append(this.piece(cuts[k], cuts[k + 1], spans, faults));
      out.append('\n');
    }
    out.append('\n'); // a last empty line has its height
    this.block ??= this.marks.appendChild(document.createElement('div'));
    this.block.replaceChildren(out);
    this.place();
  }

  piece(from, to, spans, faults) {
    const covers = (s) => s.from <= from && s.to >= to;
    const span = spans.find(covers), fault = faults.find(covers);
    const text = this.text.slice(from, to);
    if (!span && !fault) return text;
    const el = document.createElement('span');
    el.textContent = text;
    if (span) {
      el.className = 'tint ' + this.colour(span);
      el.dataset.ids = span.ids.join(' ');
      el.span = span;
    }
    if (fault) el.classList.add('fault', fault.severity);
    return el;
  }

  // colour is the class of a span's values, if they share one.
  colour(span) {
    const all = new Set(span.ids.map((id) => this.colours.get(id)).filter(Boolean));
    return all.size === 1 ? [...all][0] : 'several';
  }

  get lineHeight() {
    return this.height ??= parseFloat(getComputedStyle(this.area).lineHeight);
  }

  end(n) {
    return n + 1 < this.starts.length ? this.starts[n + 1] - 1 : this.text.length;
  }

  // lineAt is the number of the line of an offset, from 0.
  lineAt(offset) {
    let low = 0, high = this.starts.length;
    while (high - low > 1) {
      const mid = (low + high) >> 1;
      if (this.starts[mid] <= offset) low = mid;
      else high = mid;
    }
    return low;
  }

  scroll() {
    const first = Math.floor(this.area.scrollTop / this.lineHeight), last = first + Math.ceil(this.area.clientHeight / this.lineHeight);
    const [from, to] = this.drawn ?? [0, 0];
    if (first < from || Math.min(last, this.starts.length) > to) this.draw();
    else this.place();
  }

  // place puts what is drawn where the text has been scrolled to.
  place() {
    const x = -this.area.scrollLeft, y = this.drawn[0] * this.lineHeight - this.area.scrollTop;
    this.block.style.transform = `translate(${x}px, ${y}px)`;
    this.stripe?.remove();
    if (!this.bar) return;
    this.stripe = document.createElement('i');
    this.stripe.className = 'line';
    this.stripe.style.top = `${parseFloat(getComputedStyle(this.area).paddingTop) + (this.bar - 1) * this.lineHeight - this.area.scrollTop}px`;
    this.stripe.style.height = `${this.lineHeight}px`;
    this.marks.append(this.stripe);
  }

  // point shows a line, counted from 1; 0 is none.
  point(line) {
    if (line === this.bar) return;
    this.bar = line;
    this.place();
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
    this.reveal(this.lineAt(from) + 1);
  }

  // apply makes edits of a text, as typing does, so that they can be undone. It
  // reports whether that is still the text.
  apply(edits, text) {
    if (this.area.value !== text) return false;
    this.area.focus();
    for (const e of [...edits].reverse()) {
      this.area.setSelectionRange(e.from, e.to);
      if (e.text) document.execCommand('insertText', false, e.text);
      else if (e.to > e.from) document.execCommand('delete');
    }
    return true;
  }

  // reveal scrolls to a line, counted from 1.
  reveal(line) {
    const height = this.lineHeight, y = (line - 1) * height;
    if (y < this.area.scrollTop || y > this.area.scrollTop + this.area.clientHeight - 2 * height) {
      this.area.scrollTop = Math.max(0, y - this.area.clientHeight / 3);
    }
  }

  // line returns the ends of a line, counted from 1.
  line(n) {
    return n < 1 || n > this.starts.length ? null : {from: this.starts[n - 1], to: this.end(n - 1)};
  }
}

const inOrder = (list) => [...list].sort((a, b) => a.from - b.from);

// after is the first of a list in order that may end after an offset. Spans do not
// overlap but by equal beginnings, so that a few before it are enough.
function after(list, offset) {
  let low = 0, high = list.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid].from < offset) low = mid + 1;
    else high = mid;
  }
  return Math.max(0, low - 8);
}
