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

/** Create an element with a text or other elements in it. */
export function create(tag, content = '', attributes = {}) {
  const element = document.createElement(tag);
  element.append(...[content].flat());
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
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

/** Ask the server to do something; return what it says, or nothing after trouble that was shown. */
export async function post(path) {
  const trouble = byId('trouble');
  say(trouble, '');
  try {
    const response = await fetch(path, { method: 'POST' });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(reason(response, text));
    }
    return text ? JSON.parse(text) : {};
  }
  catch (error) {
    say(trouble, error instanceof TypeError ? 'The server does not answer.' : error.message);
    return undefined;
  }
}

function reason(response, text) {
  try {
    return JSON.parse(text).detail;
  }
  catch {
    return `The server answered ${response.status}.`;
  }
}
