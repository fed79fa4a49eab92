// Sets the theme before the page is drawn: the reader's choice, or the system's.
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const show = (choice) => {
    const theme = choice === 'light' || choice === 'dark' ? choice : dark.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme = theme;
  };
  const kept = () => {
    try { return localStorage.getItem('theme') ?? 'system'; } catch { return 'system'; }
  };
  show(kept());
  document.documentElement.dataset.linked = location.hash !== ''; // or what came with the page is shown at once
  dark.addEventListener('change', () => show(kept()));
  addEventListener('DOMContentLoaded', () => {
    const select = document.getElementById('theme');
    select.value = kept();
    select.addEventListener('change', () => {
      try { localStorage.setItem('theme', select.value); } catch { /* it holds until the page is left */ }
      show(select.value);
    });
  });
})();
