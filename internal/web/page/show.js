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

// table makes one with a header; cells are text or elements.
export function table(caption, heads, rows) {
  const cell = (c, i) => el('td', {'data-head': heads[i]}, typeof c === 'string' ? breakable(c) : c);
  const body = el('tbody', {}, ...rows.map((r) => {
    const tr = el('tr', r.attrs ?? {}, ...r.cells.map(cell));
    return tr;
  }));
  const head = el('thead', {}, el('tr', {}, ...heads.map((h) => el('th', {scope: 'col'}, h))));
  return el('table', {}, el('caption', {class: 'unseen'}, caption), head, body);
}

// breakable is a text whose names that are wider than a line break behind
// underscores.
export function breakable(text) {
  if (!text.includes('_')) return text;
  const parts = (word) => word.split(/(?<=_)/).flatMap((part, i) => i ? [el('wbr'), part] : [part]);
  return el('span', {}, ...text.split(/(\s+)/).map((word) => word.includes('_') ? el('span', {class: 'word'}, ...parts(word)) : word));
}

export function plural(n, word) {
  return `${n} ${word}${n === 1 ? '' : 's'}`;
}

// range is targets in a row in few words.
export function range(targets) {
  if (targets.length < 3) return targets.join(', ');
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
