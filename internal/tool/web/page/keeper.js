// Keeps the text that the page has, by what was changed, and asks the build about it.

import {bytes} from './link.js';
import {Superseded, Wasm} from './wasm.js';

const build = new Wasm((have, all, failed) => postMessage({have, all, failed}));
let text = '';

// apply makes changes: a text, or edits of the one before, in its order.
function apply({whole, edits}) {
  if (whole !== undefined) text = whole;
  if (!edits?.length) return;
  const parts = [];
  let at = 0;
  for (const [from, to, insert] of edits) {
    parts.push(text.slice(at, from), insert);
    at = to;
  }
  text = parts.join('') + text.slice(at);
}

onmessage = async ({data: {id, question, most, changes}}) => {
  if (!id) {
    build.load();
    return;
  }
  apply(changes);
  if (3 * text.length > most && bytes(text) > most) {
    postMessage({id, tooLong: true});
    return;
  }
  try {
    postMessage({id, answer: await build.ask({...question, text})});
  } catch (e) {
    postMessage({id, superseded: e instanceof Superseded, error: e.message});
  }
};
