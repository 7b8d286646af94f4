// SPDX-License-Identifier: Apache-2.0
// Filters and orders the operations; without it the page shows all, the worst first.
(() => {
  const form = document.querySelector('.filter');
  const list = document.querySelector('.entries');
  const entries = [...list.children];
  const texts = new Map(entries.map((entry) => [entry, entry.textContent.toLowerCase()]));
  const orders = {
    worst: (a, b) => a.dataset.rank - b.dataset.rank,
    name: (a, b) => a.dataset.name.localeCompare(b.dataset.name),
  };

  function show() {
    const { text, family, order } = form.elements;
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const entry of entries) {
      const found = words.every((word) => texts.get(entry).includes(word));
      entry.hidden = !found || (family.value !== '' && family.value !== entry.dataset.family);
    }
    list.append(...[...entries].sort(orders[order.value]));
    const count = entries.filter((entry) => !entry.hidden).length;
    form.querySelector('output').value = `${count} of ${entries.length} operations`;
  }

  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  show();
})();
