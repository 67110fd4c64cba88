import { showWaits } from './waits.js';
import { byId, momentOf, onClick, post, say, setEnabled, setShare } from './page.js';

const BUYERS = 200;

/** What is known of both runs: whether this page has asked for it, how it is getting on, what came of the latest. */
const runs = { unlocked: {}, locked: {} };

const NOTHING = '–';

const NOT_RUN = `Not run yet. Press the button to send ${BUYERS} buyers to the shop.`;

const OFF = { asked: false, progress: undefined };

const nameOf = ({ locked }) => locked ? 'locked' : 'unlocked';

const isOn = ({ asked, progress }) => Boolean(asked || progress);

const millis = (value) => `${Math.round(value)} ms`;

/** Make the buttons work, and show that nothing is known of any run. */
export function setUpSale() {
  Object.keys(runs).forEach((name) => onClick(byId(`run-${name}`), () => run(name)));
  loseProgress();
}

async function run(name) {
  change(name, { asked: true });
  if (!await post(`api/sale/run?buyers=${BUYERS}&locked=${name === 'locked'}`)) {
    change(name, { asked: false });
  }
}

/** Show how a run is getting on, whoever has asked for it. */
export function showProgress(progress) {
  change(nameOf(progress), progress.over ? OFF : { progress });
}

/** Nothing is heard any more of how a run is getting on. */
export function loseProgress() {
  Object.keys(runs).forEach((name) => change(name, OFF));
}

/** Show what came of a run, now or before this page was opened. */
export function showResult(result) {
  change(nameOf(result), { result });
  if (result.locked) {
    showWaits(result.waits);
  }
}

function change(changed, news) {
  Object.assign(runs[changed], news);
  const busy = Object.values(runs).some(isOn);
  Object.entries(runs).forEach(([name, run]) => {
    showRun(name, run);
    setEnabled(byId(`run-${name}`), !busy);
  });
  say(byId('headline'), headline(runs.unlocked.result, runs.locked.result));
}

function showRun(name, run) {
  const result = run.progress ? undefined : run.result;
  showCounts(name, run.progress ?? run.result ?? {}, result);
  say(field(name, 'failed'), text(result?.failed), result?.failed ? 'bad' : '');
  say(field(name, 'took'), result ? millis(result.tookMs) : NOTHING);
  ['p50', 'p99'].forEach((part) => say(field(name, part), result ? waited(result, part) : NOTHING));
  say(field(name, 'note'), isOn(run) ? selling(run) : result ? verdict(result) : NOT_RUN);
}

function showCounts(name, { buyers, stock, bought, sold = bought }, over) {
  const oversold = Math.max(0, sold - stock);
  say(field(name, 'oversold'), text(oversold, '?'), oversold > 0 ? 'bad' : over ? 'good' : '');
  say(field(name, 'stock'), text(stock));
  say(field(name, 'sold'), text(sold));
  const scale = Math.max(buyers, sold);
  Object.entries({ sold: sold - oversold, over: oversold, mark: stock }).forEach(([part, count]) => {
    setShare(document.querySelector(`#${name} .${part}`), count / scale);
  });
}

function text(number, unknown = NOTHING) {
  return Number.isFinite(number) ? String(number) : unknown;
}

function waited({ locked, waitedMs }, percentile) {
  return locked ? millis(waitedMs[percentile]) : 'none';
}

function selling({ progress }) {
  return `The shop is selling to ${progress?.buyers ?? BUYERS} buyers, as fast as it can…`;
}

function verdict({ stock, sold, oversold, finished }) {
  return `${sold} of ${lamps(stock)} sold, ${oversold || 'none'} too many. Finished ${momentOf(new Date(finished))}.`;
}

function headline(unlocked, locked) {
  if (unlocked && locked) {
    return `Without the lock, the shop sold ${surplus(unlocked)}. With it, ${locked.oversold || 'none'}.`;
  }
  if (unlocked?.oversold) {
    return `Without the lock, the shop sold ${lamps(unlocked.oversold)} that it did not have.`;
  }
  return unlocked ? `Without the lock, the shop sold ${surplus(unlocked)}. Run it again.`
    : locked ? `With the lock, the shop sold ${locked.sold} of its ${lamps(locked.stock)}, ${locked.oversold || 'none'} too many.`
    : byId('headline').textContent;
}

function surplus({ oversold }) {
  return oversold ? `${lamps(oversold)} too many` : 'none too many, by luck';
}

function lamps(count) {
  return `${count} ${count === 1 ? 'lamp' : 'lamps'}`;
}

function field(name, part) {
  return document.querySelector(`#${name} [data-field="${part}"]`);
}
