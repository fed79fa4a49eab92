// The panes: their sizes beside each other, and the bar that switches between them
// where there is room for one.

const $ = (id) => document.getElementById(id);

// split makes a bar between panes move the border: by the pointer, by arrows, Home
// and End, and back to where it was by a double click. What it sets is the custom
// property, in percent of the panes' room.
function split(bar, property, horizontal, normal) {
  const main = $('main');
  let now = normal;
  const set = (percent) => {
    now = Math.min(80, Math.max(20, percent));
    main.style.setProperty(property, `${now}%`);
    bar.setAttribute('aria-valuenow', Math.round(now));
  };
  const at = (e) => {
    const box = main.getBoundingClientRect();
    return horizontal ? (e.clientX - box.left) / box.width * 100 : (e.clientY - box.top) / box.height * 100;
  };
  bar.addEventListener('pointerdown', (e) => {
    e.preventDefault();
    bar.focus();
    bar.setPointerCapture(e.pointerId);
    bar.onpointermove = (m) => set(at(m));
  });
  bar.addEventListener('lostpointercapture', () => { bar.onpointermove = null; });
  bar.addEventListener('dblclick', () => set(normal));
  bar.addEventListener('keydown', (e) => {
    const to = {[horizontal ? 'ArrowLeft' : 'ArrowUp']: now - 2, [horizontal ? 'ArrowRight' : 'ArrowDown']: now + 2, Home: 20, End: 80}[e.key];
    if (to === undefined) return;
    e.preventDefault();
    set(to);
  });
  set(normal);
}

// show brings a pane into sight where only one is.
export function show(pane) {
  document.body.dataset.pane = pane;
  for (const b of $('panes').querySelectorAll('button')) b.setAttribute('aria-pressed', String(b.dataset.pane === pane));
}

export function panes() {
  split($('split-columns'), '--left', true, innerWidth > 1360 ? 50 : 46);
  split($('split-rows'), '--top', false, 55);
  $('more').addEventListener('click', () => $('more').setAttribute('aria-expanded', String(document.body.classList.toggle('more'))));
  for (const b of $('panes').querySelectorAll('button')) b.addEventListener('click', () => show(b.dataset.pane));
  show('result');
}
