import { connect } from './events.js';
import { showHold, showLoss, setUpHold } from './hold.js';
import { showLocks, markStale } from './locks.js';
import { setUpSale, showProgress } from './sale.js';
import { byId, say, setUpTrouble } from './page.js';

const CONNECTION = {
  connecting: 'Connecting…',
  open: 'Connected: what you see is live',
  lost: 'The server does not answer. Trying again…',
};

function showConnection(state) {
  const connection = byId('connection');
  connection.dataset.state = state;
  say(connection, CONNECTION[state]);
  markStale(state === 'lost');
}

setUpTrouble();
setUpSale();
setUpHold();
connect(showConnection, { locks: showLocks, rush: showProgress, hold: showHold, lost: showLoss });
