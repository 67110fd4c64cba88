import { byId, create, say, timeOf } from './page.js';

const COUNTDOWN_MS = 100;

const MOST_SHOWN = 3;


const COLUMNS = ['Lock', 'Holder', 'Lease', 'Token', 'Waiting'];

const LEASE = COLUMNS.indexOf('Lease');

let shown = { instance: '', locks: [], at: 0 };

/** Show the locks of all instances. */
export function showLocks({ instance, locks, error }) {
  shown = { instance, locks: locks ?? [], at: performance.now() };
  say(byId('instance'), shortName(instance));
  byId('instance').title = instance;
  say(byId('locks-state'), error ?? '', error ? 'bad' : '');
  byId('locks').hidden = shown.locks.length === 0;
  byId('locks-none').hidden = shown.locks.length > 0 || Boolean(error);
  updateRows();
}

/** Say by the look of the table that it is not up to date. */
export function markStale(stale) {
  byId('locks').toggleAttribute('data-stale', stale);
}

/** Rows stay as they are but for what has changed in them, so that whoever reads one keeps their place. */
function updateRows() {
  const body = byId('locks').tBodies[0];
  const rows = new Map([...body.rows].map((row) => [row.dataset.key, row]));
  shown.locks.forEach((lock, index) => {
    const row = rows.get(lock.key) ?? newRow(lock.key);
    rows.delete(lock.key);
    [name, holder, lease, token, waiting].forEach((lines, column) => fill(row.cells[column], lines(lock)));
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

/** Put lines into a cell, each an element with a text: what matters (b), and what there is to say of it (span). */
function fill(cell, lines) {
  if (cell.children.length !== lines.length || lines.some(([tag], index) => cell.children[index].localName !== tag)) {
    cell.replaceChildren(...lines.map(([tag]) => create(tag)));
  }
  lines.forEach(([, text, title], index) => {
    say(cell.children[index], text);
    if (title) {
      cell.children[index].title = title;
    }
  });
}

function name({ key, error, mode, holdCount, kept }) {
  const remarks = [!error && (mode ?? 'free').toLowerCase(), holdCount > 1 && `held ${holdCount} times`, kept && 'kept'];
  return [['b', key], ['span', remarks.filter(Boolean).join(', ')]];
}

function holder({ error, owner, sharers, sharerCount }) {
  if (error) {
    return [['span', `cannot be told: ${error}`]];
  }
  const owners = sharers?.map((sharer) => sharer.owner) ?? (owner ? [owner] : []);
  const more = Math.max(owners.length, sharerCount ?? 0) - MOST_SHOWN;
  return owners.length === 0 ? [['span', 'nobody']]
    : [...owners.slice(0, MOST_SHOWN).flatMap(who), ...(more > 0 ? [['span', `and ${more} more`]] : [])];
}

/** Return who an owner is, as people know it: thread, application, host and process, then the id. */
function who(owner) {
  const { id, instance, application, host, pid } = owner;
  return [
    ['b', threadOf(owner)],
    ['span', application ? `${application} on ${host}, process ${pid}` : 'unknown application'],
    ['span', id.replace(instance, shortName(instance)) + (isHere(owner) ? ' (this instance)' : ''), id],
  ];
}

function threadOf({ thread, threadId }) {
  return thread ?? (threadId ? `thread ${threadId}` : 'handle');
}

function lease(lock) {
  return [['b', leaseLeft(lock)], ...(lock.since ? [['span', `since ${timeOf(new Date(lock.since))}`]] : [])];
}

function leaseLeft({ remainingLease }) {
  if (remainingLease === null || remainingLease === undefined) {
    return '–';
  }
  return `${(Math.max(0, remainingLease - (performance.now() - shown.at)) / 1000).toFixed(1)} s left`;
}

function token(lock) {
  return [['span', String(lock.token ?? '–')]];
}

/** Not all of very many are told, but how many there are. */
function waiting({ waiters, waiterCount }) {
  if (waiters.length === 0) {
    return [['span', 'nobody']];
  }
  const next = isHere(waiters[0]) ? 'this instance' : waiters[0].application ?? 'unknown application';
  return [['b', String(Math.max(waiters.length, waiterCount ?? 0))],
    ['span', `next: ${threadOf(waiters[0])}, ${next}`]];
}

function isHere({ instance }) {
  return instance === shown.instance;
}

/** The random part of an identity is enough to tell instances from each other. */
function shortName(instance) {
  return instance.split('/').pop();
}

setInterval(() => {
  const { rows } = byId('locks').tBodies[0];
  shown.locks.forEach((lock, index) => rows[index] && say(rows[index].cells[LEASE].children[0], leaseLeft(lock)));
}, COUNTDOWN_MS);
