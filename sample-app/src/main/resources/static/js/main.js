import { connect } from './events.js';
import { showHold, showLoss, setUpHold } from './hold.js';
import { showLocks, markStale } from './locks.js';
import { loseProgress, setUpSale, showProgress, showResult } from './sale.js';
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
  if (state === 'lost') {
    loseProgress();
  }
}

setUpTrouble();
setUpSale();
setUpHold();
connect(showConnection, {
  locks: showLocks,
  rush: showProgress,
  result: showResult,
  hold: showHold,
  lost: showLoss,
});
