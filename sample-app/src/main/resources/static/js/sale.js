import { showWaits } from './waits.js';
import { byId, create, onClick, post, say, setEnabled } from './page.js';

const BUYERS = 200;

const millis = (value) => `${Math.round(value)} ms`;

const FIELDS = [
  ['stock', 'In stock', (result) => result.stock],
  ['sold', 'Sold', (result) => result.sold],
  ['oversold', 'Oversold', (result) => result.oversold],
  ['failed', 'Failed', (result) => result.failed],
  ['took', 'Took', (result) => millis(result.tookMs)],
  ['p50', 'Waited, median', (result) => result.locked ? millis(result.waitedMs.p50) : '–'],
  ['p99', 'Waited, 99\u00a0%', (result) => result.locked ? millis(result.waitedMs.p99) : '–'],
];

const buttons = { unlocked: byId('run-unlocked'), locked: byId('run-locked') };

/** Make buttons and the table of results work. */
export function setUpSale() {
  byId('results').tBodies[0].append(...FIELDS.map(([field, label]) => create('tr', [
    create('th', label, { scope: 'row' }),
    ...Object.keys(buttons).map((run) => create('td', '–', { 'data-run': run, 'data-field': field })),
  ])));
  onClick(buttons.unlocked, () => run(false));
  onClick(buttons.locked, () => run(true));
}

async function run(locked) {
  enable(false);
  // So that the same verdict again is news
  say(byId('verdict'), '');
  const result = await post(`api/sale/run?buyers=${BUYERS}&locked=${locked}`);
  enable(true);
  if (result) {
    show(result);
  }
}

function enable(enabled) {
  Object.values(buttons).forEach((button) => setEnabled(button, enabled));
}

function show(result) {
  const run = result.locked ? 'locked' : 'unlocked';
  FIELDS.forEach(([field, , format]) => {
    const cell = document.querySelector(`#results [data-run="${run}"][data-field="${field}"]`);
    say(cell, String(format(result)), field === 'oversold' ? (result.oversold ? 'bad' : 'good') : '');
  });
  say(byId('verdict'), verdict(result), result.oversold || result.failed ? 'bad' : 'good');
  if (result.locked) {
    showWaits(result);
  }
}

function verdict({ locked, sold, stock, oversold, failed }) {
  const how = locked ? 'With' : 'Without';
  const surplus = oversold ? `${oversold} more than there were` : 'not one too many';
  return `${how} the lock ${sold} of ${stock} lamps were sold: ${surplus}.${failed ? ` ${failed} buyers failed.` : ''}`;
}

/** Show how a rush is getting on, whoever has started it. */
export function showProgress({ locked, buyers, done, over }) {
  const progress = byId('progress');
  progress.max = buyers;
  progress.value = done;
  const how = locked ? 'with' : 'without';
  byId('progress-label').textContent = over ? `The rush ${how} the lock is over`
    : `${done} of ${buyers} buyers are done, ${how} the lock`;
}
