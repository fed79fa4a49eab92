// Puts answers on the page. Text goes in as text; pictures are parsed as XML.

export function el(name, attrs = {}, ...children) {
  const out = document.createElement(name);
  for (const [k, v] of Object.entries(attrs)) if (v !== undefined && v !== false) out.setAttribute(k, v === true ? '' : v);
  out.append(...children);
  return out;
}

export function picture(svg) {
  const doc = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const root = doc.documentElement;
  if (root.localName !== 'svg') throw new Error('a picture is damaged');
  return document.importNode(root, true);
}

// joined is the parts of a picture in one.
export function joined(parts) {
  const [all, ...rest] = parts.map(picture);
  const {y, height} = (rest.at(-1) ?? all).viewBox.baseVal;
  for (const part of rest) all.append(...part.children);
  all.setAttribute('height', y + height);
  all.setAttribute('viewBox', `0 0 ${all.getAttribute('width')} ${y + height}`);
  return all;
}

// table makes one with a header.
export function table(caption, heads, rows) {
  const head = el('thead', {}, el('tr', {}, ...heads.map((h) => el('th', {scope: 'col'}, h))));
  return el('table', {}, el('caption', {class: 'unseen'}, caption), head, el('tbody', {}, ...rows.map((r) => row(heads, r))));
}

// row makes one of a table; cells are text or elements.
export function row(heads, {attrs, cells}) {
  return el('tr', attrs, ...cells.map((c, i) => el('td', {'data-head': heads[i]}, typeof c === 'string' ? breakable(c) : c)));
}

// fill gives an element a child for each of a list. One that has the key of an item stays as it is: it is not drawn
// again. Keys are unique.
export function* fill(parent, list, keyOf, make) {
  const keys = list.map(keyOf), wanted = new Set(keys), kept = new Map();
  for (const child of [...parent.childNodes]) {
    if (wanted.has(child.key)) kept.set(child.key, child);
    else child.remove();
  }
  let at = parent.firstElementChild;
  for (const [i, key] of keys.entries()) {
    const child = kept.get(key) ?? Object.assign(make(list[i]), {key});
    if (child === at) {
      at = at.nextElementSibling;
      continue;
    }
    parent.insertBefore(child, at);
    yield;
  }
}

const slice = 8; // milliseconds after which others have the thread

// gently does work that yields between its parts, and lets the browser take keys and draw where they
// took long. It reports whether all was done: after a pause, on says whether it goes on.
export async function gently(parts, on) {
  let since = performance.now();
  for (const _ of parts) {
    if (performance.now() - since < slice) continue;
    await (globalThis.scheduler?.yield?.() ?? new Promise((r) => setTimeout(r)));
    if (!on()) return false;
    since = performance.now();
  }
  return true;
}

// breakable is a text whose names that are wider than a line break behind
// underscores.
export function breakable(text) {
  if (!text.includes('_')) return text;
  const parts = (word) => word.split(/(?<=_)/).flatMap((part, i) => i ? [el('wbr'), part] : [part]);
  return el('span', {}, ...text.split(/(\s+)/).map((word) => word.includes('_') ? el('span', {class: 'word'}, ...parts(word)) : word));
}

// sentence is a message that begins with a word with a capital; names stay as they are.
export function sentence(text) {
  return text.replace(/^(?!ptxabi)[a-z]+ /, (word) => word[0].toUpperCase() + word.slice(1));
}

export function plural(n, word) {
  return `${n} ${word}${n === 1 ? '' : 's'}`;
}

// range is targets in a row in few words.
export function range(targets) {
  if (targets.length < 3) return targets.join(' and ');
  return `${targets[0]} … ${targets.at(-1)} (${targets.length} targets)`;
}

export function swatch(colour) {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  svg.setAttribute('class', 'ptxabi-picture swatch');
  svg.setAttribute('aria-hidden', 'true');
  const g = document.createElementNS(ns, 'g');
  g.setAttribute('class', colour ?? 'none');
  const rect = document.createElementNS(ns, 'rect');
  for (const [k, v] of Object.entries({x: 1, y: 1, width: 10, height: 10})) rect.setAttribute(k, v);
  g.append(rect);
  svg.append(g);
  return svg;
}
