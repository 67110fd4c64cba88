import { byId, create, setShare } from './page.js';

const SECOND_MS = 1000;

/** Show how many buyers waited for how long: a table that looks like a histogram. */
export function showWaits({ widthMs, counts }) {
  const seconds = widthMs * counts.length >= SECOND_MS;
  const most = Math.max(...counts);
  byId('waits-unit').textContent = `Buyers by waiting time (up to, in ${seconds ? 's' : 'ms'})`;
  byId('waits-table').tBodies[0].replaceChildren(...counts.map((count, index) => {
    const limitMs = (index + 1) * widthMs;
    const cell = create('td', String(count), { role: 'cell' });
    setShare(cell, count / most);
    const head = create('th', String(seconds ? limitMs / SECOND_MS : limitMs), { role: 'rowheader', scope: 'row' });
    return create('tr', [head, cell], { role: 'row' });
  }));
  byId('waits-none').hidden = true;
  byId('waits-table').hidden = false;
  byId('waits-unit').hidden = false;
}
