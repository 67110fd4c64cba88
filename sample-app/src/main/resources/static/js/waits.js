import { byId, create } from './page.js';

let chart;

let result;

/** Show how long buyers waited, as a chart and as a table. */
export function showWaits(shown) {
  result = shown;
  byId('waits-none').hidden = true;
  byId('waits-table').tBodies[0].replaceChildren(...bars().map(([label, count]) => create('tr', [
    create('th', label, { scope: 'row' }),
    create('td', String(count)),
  ])));
  byId('waits').setAttribute('aria-label', `Histogram: half of ${result.buyers} buyers waited for at most `
    + `${Math.round(result.waitedMs.p50)} ms, 99 of 100 for at most ${Math.round(result.waitedMs.p99)} ms. `
    + 'The numbers are in the table below.');
  draw();
}

function bars() {
  const { widthMs, counts } = result.waits;
  return counts.map((count, index) => [`${index * widthMs}–${(index + 1) * widthMs}`, count]);
}

function draw() {
  // Without the library there is still the table
  if (!result || !globalThis.Chart) {
    return;
  }
  chart?.destroy();
  chart = new Chart(byId('waits'), {
    type: 'bar',
    data: {
      labels: bars().map(([label]) => label),
      datasets: [{ data: bars().map(([, count]) => count), backgroundColor: color('--bar') }],
    },
    options: {
      animation: matchMedia('(prefers-reduced-motion: reduce)').matches ? false : { duration: 300 },
      maintainAspectRatio: false,
      plugins: { legend: { display: false } },
      scales: { x: axis('Waited, ms', false), y: axis('Buyers', true) },
    },
  });
}

function axis(text, grid) {
  return {
    beginAtZero: true,
    title: { display: true, text, color: color('--soft') },
    ticks: { color: color('--soft'), precision: 0 },
    grid: { display: grid, color: color('--line') },
  };
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
