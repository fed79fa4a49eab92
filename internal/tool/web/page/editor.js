// The source: CodeMirror, which draws the lines in sight and keeps the text in pieces, so
// that neither a key nor a paste costs what grows with the text. Names of values have
// their colours, and diagnostics are underlined. Until it has arrived the text can be
// read: what the page shows first does not wait for it.

export class Editor {
  // onCaret is called when the caret was moved. onInput is called when the text is changed, with whether most of it was replaced, as
  // when another is pasted. onHover is called with the values below the pointer or the
  // caret, and which bytes of them are named there, "" for all. Colours of values are asked of colour.
  constructor(host, {onInput, onHover, onCaret, colour}) {
    Object.assign(this, {host, onInput, onHover, onCaret, colour, spans: [], faults: [], hot: () => false, bar: 0, version: 0});
    const over = (mark) => {
      const {of = '', range = ''} = mark?.dataset ?? {};
      if (this.over === of + range) return;
      this.over = of + range;
      onHover(of.split(' ').filter(Boolean), range);
    };
    this.over = '';
    host.addEventListener('pointermove', (e) => over(e.target.closest('.tint')));
    host.addEventListener('pointerleave', () => over(null));
  }

  // load takes CodeMirror up.
  async load() {
    this.cm = await import('./codemirror.js');
    this.marks = marks(this.cm, this);
    const [text, focused] = [this.text, this.host.contains(document.activeElement)];
    this.host.replaceChildren();
    this.view = new this.cm.EditorView({parent: this.host, state: this.state(text)});
    this.host.querySelector('.cm-gutters')?.setAttribute('aria-hidden', 'true');
    this.field();
    this.mark(this.spans, this.faults);
    if (focused) this.view.focus();
  }

  // state is a text to which nothing was done yet.
  state(text) {
    const {EditorState, EditorView, history} = this.cm;
    return EditorState.create({
      doc: text,
      extensions: [
        history(), EditorState.tabSize.of(4), keys(this.cm), this.marks.extension, this.cm.search({top: true}), this.cm.lineNumbers(),
        // Keyboards on phones, dictation and the like insert many lines by one event. The browser would put them
        // into the page line by line, in time with the square of their number; and where a selection of several lines
        // is replaced, it would add a style, which the page's policy forbids.
        EditorView.domEventHandlers({beforeinput: (e, view) => {
          if (!e.cancelable || view.composing) return false;
          if (/^deleteContent(Back|For)ward$/.test(e.inputType)) return erase(view); // of a menu: keys come before
          if (e.inputType !== 'insertText' || !e.data) return false;
          if (view.state.selection.main.empty && !/[\r\n]/.test(e.data)) return false;
          view.dispatch(view.state.replaceSelection(e.data), {userEvent: 'input.type', scrollIntoView: true});
          return true;
        }}),
        EditorView.contentAttributes.of({
          id: 'text', 'aria-label': this.host.dataset.label, 'aria-describedby': 'diagnostics-title', autocomplete: 'off', tabindex: '0',
        }),
        EditorView.updateListener.of((u) => this.updated(u)),
      ],
    });
  }

  // field gives the element what text fields have.
  field() {
    const {view} = this, range = () => view.state.selection.main;
    const select = (anchor, head) => view.dispatch({selection: {anchor, head}});
    Object.defineProperties(view.contentDOM, {
      value: {get: () => this.text, set: (text) => view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}})},
      selectionStart: {get: () => range().from},
      selectionEnd: {get: () => range().to},
      select: {value: () => select(0, view.state.doc.length)},
      setSelectionRange: {value: select},
    });
  }

  updated(u) {
    if (u.docChanged) {
      this.known = null;
      this.version++; // tells the text from what it was
      this.pending = this.pending?.compose(u.changes) ?? u.changes;
      let kept = 0; // of the text before
      u.changes.iterGaps((from, to, length) => { kept += length; });
      this.onInput(2 * kept < u.startState.doc.length);
    }
    if (u.selectionSet && !u.docChanged) this.onCaret();
    if (u.selectionSet && u.view.hasFocus) {
      const span = this.marks.at(u.state, u.state.selection.main.head);
      this.onHover(span?.ids ?? [], span?.bytes ?? '');
    }
  }

  get text() {
    return this.known ??= this.view?.state.doc.toString() ?? '';
  }

  get length() {
    return (this.view?.state.doc ?? this.known).length;
  }

  // beginning is as much of it as says what it is.
  get beginning() {
    return this.view.state.sliceDoc(0, 1 << 16);
  }

  // last is the offset of the last character that is not blank, or 0.
  get last() {
    const doc = this.view?.state.doc;
    if (!doc) return Math.max(0, this.known.trimEnd().length - 1);
    for (let n = doc.lines; n > 0; n--) {
      const line = doc.line(n), length = line.text.trimEnd().length;
      if (length) return line.from + length - 1;
    }
    return 0;
  }

  // changes is what was changed since it was asked for: edits of the text before, or all of
  // another, or of this one where nobody has it.
  changes(anew) {
    const {fresh, pending} = this;
    this.fresh = false;
    this.pending = null;
    if (fresh || anew) return {whole: this.text};
    const edits = [];
    pending?.iterChanges((from, to, a, b, inserted) => edits.push([from, to, inserted.toString()]));
    return {edits};
  }

  set(text) {
    text = text.replace(/\r\n?/g, '\n'); // as every text field does
    Object.assign(this, {spans: [], faults: [], known: text, fresh: true, pending: null, version: this.version + 1});
    if (this.view) this.view.setState(this.state(text));
    else this.host.firstElementChild.textContent = text;
  }

  // mark shows where the text names values, and what diagnostics are about.
  mark(spans, faults) {
    Object.assign(this, {spans, faults});
    this.view?.dispatch({effects: this.marks.set.of([...spans, ...faults])});
  }

  // light shows those values for whose names hot says so.
  light(hot) {
    this.hot = hot;
    this.view?.dispatch({effects: this.marks.again.of(null)});
  }

  // recolour draws names again: colours of their values have changed.
  recolour() {
    this.view?.dispatch({effects: this.marks.again.of(null)});
  }

  // point shows a line, counted from 1; 0 is none. It is brought into sight if that is wanted.
  point(line, reveal) {
    if (line === this.bar && !reveal) return;
    this.bar = line;
    const at = reveal && this.line(line);
    this.view?.dispatch({effects: [this.marks.again.of(null), ...(at ? [this.cm.EditorView.scrollIntoView(at.from, {y: 'nearest', yMargin: 40})] : [])]});
  }

  // inSight is a line that is in sight, from 1: that of the caret, or else the first one.
  inSight() {
    if (!this.view) return 1;
    const {state, scrollDOM, documentTop} = this.view;
    const box = scrollDOM.getBoundingClientRect();
    const line = (y) => state.doc.lineAt(this.view.lineBlockAtHeight(y - documentTop).from).number;
    const [first, last, caret] = [line(box.top), line(box.bottom), state.doc.lineAt(state.selection.main.head).number];
    return caret >= first && caret <= last ? caret : first;
  }

  // caret is the mark that the caret is in, or null; undefined where the reader is elsewhere.
  caret() {
    return this.view?.hasFocus ? this.marks.at(this.view.state, this.view.state.selection.main.head) : undefined;
  }

  // go selects and moves into view.
  go(from, to) {
    if (!this.view) return;
    const end = this.view.state.doc.length;
    const range = this.cm.EditorSelection.range(Math.min(from, end), Math.min(to, end));
    this.view.focus();
    this.view.dispatch({selection: range, effects: this.cm.EditorView.scrollIntoView(range, {yMargin: 60})});
  }

  // apply makes edits of a version of the text, which can be undone. It reports whether it
  // is as it was.
  apply(edits, version) {
    if (!this.view || this.version !== version) return false;
    this.view.focus();
    this.view.dispatch({changes: edits.map((e) => ({from: e.from, to: e.to, insert: e.text})), userEvent: 'input', scrollIntoView: true});
    return true;
  }

  // at is the character at an offset.
  at(offset) {
    return this.view?.state.sliceDoc(offset, offset + 1) ?? this.known?.[offset] ?? '';
  }

  // line returns the ends of a line, counted from 1.
  line(n) {
    const doc = this.view?.state.doc;
    return doc && n >= 1 && n <= doc.lines ? doc.line(n) : null;
  }
}

// marks is what shows an editor's marks: they keep their places while an answer is awaited,
// and those in sight become elements.
function marks({Decoration, EditorView, gutterLineClass, GutterMarker, RangeSet, RangeValue, StateEffect, StateField, ViewPlugin}, editor) {
  const set = StateEffect.define(), again = StateEffect.define();
  class Mark extends RangeValue {
    constructor(of) { super(); this.of = of; }
    eq(other) { return this.of === other.of; }
  }
  Object.assign(Mark.prototype, {startSide: 1, endSide: -1}); // what is written beside a name is none of it
  const all = StateField.define({
    create: () => RangeSet.empty,
    update(list, change) {
      list = list.map(change.changes);
      for (const e of change.effects) if (e.is(set)) {
        const end = change.newDoc.length;
        list = RangeSet.of(e.value.filter((m) => m.from < Math.min(m.to, end)).map((m) => new Mark(m).range(m.from, Math.min(m.to, end))), true);
      }
      return list;
    },
  });
  class Fault extends GutterMarker {
    constructor(severity) { super(); this.elementClass = `fault-line ${severity}`; }
    eq(other) { return this.elementClass === other.elementClass; }
  }
  const gutter = gutterLineClass.compute([all], (state) => {
    const lines = new Map(); // the worst of each
    state.field(all).between(0, state.doc.length, (a, b, {of}) => {
      if (!of.severity) return;
      const {from} = state.doc.lineAt(a), was = lines.get(from);
      if (was !== 'error') lines.set(from, was && of.severity === 'note' ? was : of.severity);
    });
    return RangeSet.of([...lines].sort((a, b) => a[0] - b[0]).map(([from, severity]) => new Fault(severity).range(from)));
  });
  const draw = (view) => {
    const out = [];
    for (const {from, to} of view.visibleRanges) syntax(view.state.sliceDoc(from, to), from, before(view.state, from), (a, b, what) => { out.push(Decoration.mark({class: what}).range(a, b)); });
    for (const {from, to} of view.visibleRanges) view.state.field(all).between(from, to, (a, b, {of}) => {
      if (of.severity) out.push(Decoration.mark({class: `fault ${of.severity}`}).range(a, b));
      else out.push(Decoration.mark({class: `tint ${editor.colour(of.ids)}${editor.hot(of.ids) ? ' hot' : ''}`, attributes: {'data-of': of.ids.join(' '), 'data-range': of.bytes ?? ''}}).range(a, b));
    });
    if (editor.bar >= 1 && editor.bar <= view.state.doc.lines) out.push(Decoration.line({class: 'line'}).range(view.state.doc.line(editor.bar).from));
    return Decoration.set(out, true);
  };
  const drawn = ViewPlugin.define((view) => ({
    list: draw(view),
    update(u) {
      if (u.docChanged || u.viewportChanged || u.transactions.some((t) => t.effects.some((e) => e.is(set) || e.is(again)))) this.list = draw(u.view);
    },
  }), {decorations: (p) => p.list});
  return {
    set, again, extension: [all, drawn, gutter],
    at(state, offset) {
      let span = null;
      state.field(all).between(offset, offset, (a, b, {of}) => { if (of.ids) span = of; });
      return span;
    },
  };
}

// The words that have a colour of their own: comments, strings, numbers, directives, registers, and the keywords of the
// languages that the page reads.
const words = /(\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|("(?:[^"\\\n]|\\.)*"?)|(\.[a-z_][\w]*(?:::\w+)*|\b(?:struct|union|class|enum|typedef|template|typename|namespace|using|const|static|extern|inline|return|if|else|for|while|void|bool|char|short|int|long|float|double|unsigned|signed|package|type|func|import|var|__global__|__device__|__host__|__shared__|__launch_bounds__)\b)|(%\w+(?:\.\w+)?|\b(?:U?R|UP|P|B|SR)\d+\b|\b[URP]Z\b|\bPT\b)|(\b(?:0[xX][\da-fA-F]+U?|0[fFdD][\da-fA-F]+|\d[\d.]*[uUlLfF]*)\b)/g;
const kinds = ['comment', 'string', 'word', 'reg', 'number'];

// syntax calls f with the words of a text that have a colour; inside says that it begins in a comment.
function syntax(text, from, inside, f) {
  let start = 0;
  if (inside) {
    const end = text.indexOf('*/');
    start = end < 0 ? text.length : end + 2;
    if (start) f(from, from + start, 's-comment');
  }
  words.lastIndex = start;
  for (let m; (m = words.exec(text));) f(from + m.index, from + m.index + m[0].length, `s-${kinds[m.slice(1).findIndex((g) => g !== undefined)]}`);
}

// before reports whether what stands before an offset, as far as is looked, leaves a comment open.
function before(state, offset) {
  const text = state.sliceDoc(Math.max(0, offset - 50000), offset);
  return text.lastIndexOf('/*') > text.lastIndexOf('*/');
}

// erase takes away what is selected, if anything is.
function erase(view) {
  if (view.state.selection.main.empty) return false;
  view.dispatch(view.state.replaceSelection(''), {userEvent: 'delete.selection', scrollIntoView: true});
  return true;
}

// keys are those of which the browser knows only what is drawn, and those of the history.
function keys(cm) {
  return cm.keymap.of([
    {key: 'Enter', run: cm.insertNewlineKeepIndent, shift: cm.insertNewlineKeepIndent},
    {key: 'Backspace', run: erase}, {key: 'Delete', run: erase},
    {key: 'Mod-a', run: cm.selectAll},
    {key: 'PageUp', run: cm.cursorPageUp, shift: cm.selectPageUp},
    {key: 'PageDown', run: cm.cursorPageDown, shift: cm.selectPageDown},
    {key: 'Mod-Home', run: cm.cursorDocStart, shift: cm.selectDocStart},
    {key: 'Mod-End', run: cm.cursorDocEnd, shift: cm.selectDocEnd},
    {mac: 'Cmd-ArrowUp', run: cm.cursorDocStart, shift: cm.selectDocStart},
    {mac: 'Cmd-ArrowDown', run: cm.cursorDocEnd, shift: cm.selectDocEnd},
    ...cm.historyKeymap, ...cm.searchKeymap,
  ]);
}
