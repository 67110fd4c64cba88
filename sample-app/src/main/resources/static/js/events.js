/** The server has something to say four times a second. When it says nothing for so long, it is not there. */
const SILENCE_MS = 5000;

const RETRY_MS = 1000;

/**
 * Listen to what the server says, and try again for as long as it does not answer.
 *
 * @param showState told 'open' and 'lost'
 * @param handlers what to do with each kind of event
 */
export function connect(showState, handlers) {
  const source = new EventSource('api/events');
  let silence;

  function giveUp() {
    clearTimeout(silence);
    source.close();
    showState('lost');
    setTimeout(() => connect(showState, handlers), RETRY_MS);
  }

  function heard() {
    clearTimeout(silence);
    silence = setTimeout(giveUp, SILENCE_MS);
    showState('open');
  }

  Object.entries(handlers).forEach(([name, handle]) => source.addEventListener(name, (event) => {
    heard();
    handle(JSON.parse(event.data));
  }));
  source.addEventListener('error', giveUp);
  silence = setTimeout(giveUp, SILENCE_MS);
}
