// What the explorer's editor takes of CodeMirror. Styles go into the document as
// constructed sheets: the page's policy allows no style elements.
import {StyleModule} from 'style-mod';

const mount = StyleModule.mount;
const roots = new WeakMap(); // documents as what style-mod takes for a shadow root, which has no head
StyleModule.mount = (root, modules, options) => {
  if (root.head && !roots.has(root)) roots.set(root, {
    ownerDocument: root,
    get adoptedStyleSheets() { return root.adoptedStyleSheets; },
    set adoptedStyleSheets(list) { root.adoptedStyleSheets = list; },
  });
  mount(roots.get(root) ?? root, modules, options);
};

export {search, searchKeymap} from '@codemirror/search';
export {EditorSelection, EditorState, RangeSet, RangeValue, StateEffect, StateField} from '@codemirror/state';
export {Decoration, EditorView, gutterLineClass, GutterMarker, keymap, lineNumbers, ViewPlugin} from '@codemirror/view';
export {
  cursorDocEnd, cursorDocStart, cursorPageDown, cursorPageUp, history, historyKeymap,
  insertNewlineKeepIndent, selectAll, selectDocEnd, selectDocStart, selectPageDown, selectPageUp,
} from '@codemirror/commands';
