import { byId, create, onClick, post, say, setEnabled, timeOf } from './page.js';

const STATES = {
  NONE: 'This instance does not hold the lock.',
  WAITING: 'This instance waits for the lock.',
  HELD: 'This instance holds the lock.',
};

/** Make the buttons work. */
export function setUpHold() {
  showHold({ state: 'NONE' });
  onClick(byId('hold'), () => post('api/hold?seconds=30'));
  onClick(byId('force-release'), () => post('api/hold/force-release'));
}

/** Show whether this instance holds the lock. */
export function showHold({ state }) {
  say(byId('hold-state'), STATES[state]);
  setEnabled(byId('hold'), state === 'NONE');
  setEnabled(byId('force-release'), state === 'HELD');
}

/** Show that this instance has lost a lock. */
export function showLoss({ thread, token, reason }) {
  byId('losses').prepend(create('li', [
    create('b', timeOf(new Date()), { class: 'bad' }),
    ` ${reason}. Thread ${thread}, token ${token}.`,
  ]));
  byId('losses-none').hidden = true;
}
