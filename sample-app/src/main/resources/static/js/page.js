/** Return an element of the page. */
export function byId(id) {
  return document.getElementById(id);
}

/** Put a text where it is announced, once: the same text again would be read again. */
export function say(element, text, tone = '') {
  if (element.textContent !== text) {
    element.textContent = text;
  }
  element.classList.toggle('good', tone === 'good');
  element.classList.toggle('bad', tone === 'bad');
}

/** Return the time of day. */
export function timeOf(date) {
  return date.toLocaleTimeString(undefined, { timeStyle: 'medium', hourCycle: 'h23' });
}

/** Return the time of day, with the date if that is not today's. */
export function momentOf(date) {
  const day = date.toDateString() === new Date().toDateString() ? '' : `on ${date.toLocaleDateString()} `;
  return `${day}at ${timeOf(date)}`;
}

/** Create an element with a text or other elements in it. */
export function create(tag, content = '', attributes = {}) {
  const element = document.createElement(tag);
  element.append(...[content].flat());
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
}

/** Set how much of what there is room for a bar takes; as it was at first if that is not known. */
export function setShare(bar, share) {
  if (Number.isFinite(share)) {
    bar.style.setProperty('--share', share);
  }
  else {
    bar.style.removeProperty('--share');
  }
}

/** Switch a button off or on. It keeps the focus, which a disabled one would lose. */
export function setEnabled(button, enabled) {
  button.setAttribute('aria-disabled', String(!enabled));
}

/** Do something on a click, unless the button is switched off. */
export function onClick(button, action) {
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') {
      action();
    }
  });
}

let cause;

/** Show what went wrong, until it is dismissed or something else is done. */
function showTrouble(text) {
  cause = document.activeElement;
  say(byId('trouble'), text);
}

function dismissTrouble() {
  say(byId('trouble'), '');
  cause?.focus();
}

/** Let what went wrong be dismissed, with the focus back where it was. */
export function setUpTrouble() {
  byId('dismiss').addEventListener('click', dismissTrouble);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && byId('trouble').textContent) {
      dismissTrouble();
    }
  });
}

/** Ask the server to do something; return what it says, or nothing after trouble that was shown. */
export async function post(path) {
  say(byId('trouble'), '');
  try {
    const response = await fetch(path, { method: 'POST' });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(reason(response, text));
    }
    return text ? JSON.parse(text) : {};
  }
  catch (error) {
    showTrouble(error instanceof TypeError ? 'The server does not answer.' : error.message);
    return undefined;
  }
}

function reason(response, text) {
  return detail(text) || `The server answered ${response.status}.`;
}

function detail(text) {
  try {
    return JSON.parse(text).detail;
  }
  catch {
    return '';
  }
}
