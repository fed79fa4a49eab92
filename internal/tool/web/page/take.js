// What can be taken away: pictures as SVG with their style and as PNG, the listing
// as text, bytes and code by the clipboard.

let style; // of pictures, once it was asked for

// standalone is a picture as a document of its own, light on any page.
async function standalone(svg) {
  style ??= fetch('picture.css').then((r) => { if (!r.ok) throw new Error(r.statusText); return r.text(); });
  const out = svg.cloneNode(true);
  for (const e of out.querySelectorAll('.hot, .moved, .byte')) e.classList.remove('hot', 'moved', 'byte');
  const rules = document.createElementNS(svg.namespaceURI, 'style');
  rules.textContent = (await style).split('\n').filter((rule) => !rule.includes('data-theme')).join('\n').replace('@media screen{\n}\n', '');
  out.querySelector('desc').after(rules);
  return new XMLSerializer().serializeToString(out);
}

// save has the browser keep a file.
function save(blob, name) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}

// fileName is a name for files, whatever the source calls things.
export function fileName(...parts) {
  return ['ptxabi', ...parts].map((p) => p.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 60)).filter(Boolean).join('-');
}

export async function saveSVG(svg, name) {
  save(new Blob([await standalone(svg)], {type: 'image/svg+xml'}), `${name}.svg`);
}

// savePNG draws at twice the size, for screens that have so many points.
export async function savePNG(svg, name) {
  const [width, height] = [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height];
  const scale = Math.min(2, 16000 / height, 16000 / width); // what canvases take
  const image = new Image();
  const url = URL.createObjectURL(new Blob([await standalone(svg)], {type: 'image/svg+xml'}));
  try {
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise((done) => canvas.toBlob(done, 'image/png'));
    if (!png) throw new Error('the browser makes no PNG of this size');
    save(png, `${name}.png`);
  } finally {
    URL.revokeObjectURL(url);
  }
}

// copy puts a text on the clipboard, and says of what whether it was.
export async function copy(text, what) {
  const said = await navigator.clipboard.writeText(text).then(() => 'copied', () => 'not copied');
  document.getElementById('status').textContent = `${what} ${said}`;
}

export function saveText(text, name) {
  save(new Blob([text], {type: 'text/plain'}), `${name}.txt`);
}
