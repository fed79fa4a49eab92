// The state of the page as a fragment, which browsers do not send anywhere:
// JSON, deflated, in base64 for URLs.

export async function pack(state) {
  const stream = new Blob([JSON.stringify(Object.fromEntries(Object.entries(state).filter(([, v]) => v !== '')))]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = '';
  for (const b of bytes) text += String.fromCharCode(b);
  return '#1' + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const fields = ['text', 'lang', 'target', 'against', 'producer', 'only', 'call', 'step'];

// bytes is how long a text is in UTF-8.
export function bytes(text) {
  return /[^\0-\x7f]/.test(text) ? new TextEncoder().encode(text).length : text.length;
}

// reason is what a worker failed of.
export function reason(e, otherwise) {
  return (e.message ?? '').replace(/^Uncaught (\w*Error: )?/, '') || otherwise;
}

// unpack returns the state, or null for a fragment that is none, or whose text has
// more bytes than maxText.
export async function unpack(fragment, maxText) {
  const longest = 2 * maxText + 4096; // as JSON has it, its line ends escaped
  if (!fragment.startsWith('#1')) return null;
  try {
    const text = atob(fragment.slice(2).replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(text, (c) => c.charCodeAt(0));
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    const parts = [];
    let size = 0;
    for (;;) {
      const {done, value} = await reader.read();
      if (done) break;
      if ((size += value.length) > longest) throw new Error('too long');
      parts.push(value);
    }
    const state = JSON.parse(await new Blob(parts).text());
    if (typeof state?.text !== 'string' || bytes(state.text) > maxText) return null;
    return Object.fromEntries(fields.map((f) => [f, typeof state[f] === 'string' ? state[f] : '']));
  } catch {
    return null;
  }
}
