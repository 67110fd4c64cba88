import { byId, create, say, timeOf } from './page.js';

const COUNTDOWN_MS = 100;

const MOST_SHOWN = 3;

const COLUMNS = ['Key', 'Mode', 'Owner', 'Since', 'Lease left', 'Token', 'Waiting'];

let shown = { instance: '', locks: [], at: 0 };

/** Show the locks of all instances. */
export function showLocks({ instance, locks, error }) {
  shown = { instance, locks: locks ?? [], at: performance.now() };
  byId('instance').textContent = instance;
  say(byId('locks-state'), error ?? '', error ? 'bad' : '');
  byId('locks-none').hidden = shown.locks.length > 0 || Boolean(error);
  updateRows();
}

/** Say by the look of the table that it is not up to date. */
export function markStale(stale) {
  byId('locks').toggleAttribute('data-stale', stale);
}

/** Rows stay as they are but for their texts, so that whoever reads one keeps their place. */
function updateRows() {
  const body = byId('locks').tBodies[0];
  const rows = new Map([...body.rows].map((row) => [row.dataset.key, row]));
  shown.locks.forEach((lock, index) => {
    const row = rows.get(lock.key) ?? newRow(lock.key);
    rows.delete(lock.key);
    fill(row, lock);
    if (body.rows[index] !== row) {
      body.insertBefore(row, body.rows[index] ?? null);
    }
  });
  rows.forEach((row) => row.remove());
}

function newRow(key) {
  const row = create('tr', COLUMNS.map((label) => create('td', '', { role: 'cell', 'data-label': label })), { role: 'row' });
  row.dataset.key = key;
  return row;
}

function fill(row, lock) {
  const texts = [lock.key, mode(lock), owners(lock), since(lock), leaseLeft(lock), lock.token ?? '–', waiters(lock)];
  texts.forEach((text, index) => setText(row.cells[index], String(text)));
}

function setText(cell, text) {
  if (cell.textContent !== text) {
    cell.textContent = text;
  }
}

function mode(lock) {
  return `${(lock.mode ?? '–').toLowerCase()}${lock.holdCount > 1 ? ` ×${lock.holdCount}` : ''}${lock.kept ? ', kept' : ''}`;
}

function owners(lock) {
  return lock.error ? `cannot be told: ${lock.error}`
    : list(lock.sharers?.map((sharer) => sharer.owner) ?? [lock.owner], describe);
}

/** Not all of very many are told, but how many there are. */
function waiters({ waiters: told, waiterCount }) {
  return told.length === 0 ? 'nobody' : `${Math.max(told.length, waiterCount ?? 0)}: ${list(told, describeShortly)}`;
}

function list(all, describeOne) {
  return all.slice(0, MOST_SHOWN).map(describeOne).join(', ') + (all.length > MOST_SHOWN ? ', …' : '');
}

/** Return who an owner is, in as few words as are known. */
function describe(owner) {
  return owner ? `${thread(owner)} of ${process(owner)}${isHere(owner) ? ' (this one)' : ''}` : 'nobody';
}

function describeShortly(waiter) {
  return isHere(waiter) ? thread(waiter) : `${thread(waiter)} of ${process(waiter)}`;
}

function thread({ id, thread: name }) {
  return name ?? `thread ${id.slice(id.indexOf(':') + 1)}`;
}

function process({ id, application, host, pid }) {
  return application ? `${application}, pid ${pid} on ${host}` : `instance ${id.slice(0, 8)}`;
}

function isHere({ id }) {
  return id.startsWith(`${shown.instance}:`);
}

function since(lock) {
  return lock.since ? timeOf(new Date(lock.since)) : '–';
}

function leaseLeft(lock) {
  if (lock.remainingLease === null || lock.remainingLease === undefined) {
    return '–';
  }
  const left = Math.max(0, lock.remainingLease - (performance.now() - shown.at));
  return `${(left / 1000).toFixed(1)} s`;
}

setInterval(() => {
  const { rows } = byId('locks').tBodies[0];
  shown.locks.forEach((lock, index) => rows[index] && setText(rows[index].cells[4], leaseLeft(lock)));
}, COUNTDOWN_MS);
