/** Small makers of elements. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Make an element of HTML: `on…` functions are listeners, `class` and other attributes are set, booleans too.
 *
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/**
 * Make an element of SVG.
 *
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes
 */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") /** @type {any} */ (element)[name] = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
}

/**
 * @param {Element} element
 * @param {(Child | Child[])[]} children
 */
function append(element, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

/**
 * A button that does something.
 *
 * @param {Child} label
 * @param {(event: MouseEvent) => void} act
 * @param {Record<string, any>} [attributes]
 */
export function button(label, act, attributes = {}) {
  return h("button", { type: "button", onclick: act, ...attributes }, label);
}

/**
 * A form that does something when it is submitted.
 *
 * @param {Record<string, any>} attributes
 * @param {() => void} act
 * @param {...(Child | Child[])} children
 */
export function form(attributes, act, ...children) {
  const onsubmit = (/** @type {Event} */ event) => (event.preventDefault(), act());
  return h("form", { ...attributes, onsubmit }, ...children);
}

/**
 * A field with its label above it.
 *
 * @param {string} label
 * @param {HTMLElement} control
 */
export function labelled(label, control) {
  return h("label", { class: "field" }, label, control);
}

/**
 * A check box with its label behind it.
 *
 * @param {string} label
 * @param {HTMLInputElement} box
 */
export function checkField(label, box) {
  return h("label", { class: "check" }, box, label);
}

/**
 * A list to choose from.
 *
 * @param {[string, string][]} options value and label
 * @param {string} value
 * @param {Record<string, any>} [attributes]
 */
export function choice(options, value, attributes = {}) {
  const list = h("select", attributes, ...options.map(([key, label]) => h("option", { value: key }, label)));
  if (options.some(([key]) => key === value)) list.value = value;
  return list;
}

/**
 * A button whose first press asks whether it is meant, and whose second one does it; `reset` takes the question back.
 *
 * @param {{label: string, question: string, asked: string}} words its label, what it says when it asks, and what is announced then
 * @param {() => void} act
 * @param {Record<string, any>} [attributes]
 * @returns {{button: HTMLButtonElement, press: () => void, reset: () => void}}
 */
export function makeSureButton({ label, question, asked }, act, attributes = {}) {
  const name = attributes["aria-label"];
  const write = (/** @type {boolean} */ isAsking) => {
    asking.classList.toggle("sure", isAsking);
    asking.textContent = isAsking ? question : label;
    if (name) asking.setAttribute("aria-label", isAsking ? `${question} ${name}` : name);
  };
  const reset = () => write(false);
  const press = () => {
    const isSure = asking.classList.contains("sure");
    write(!isSure);
    if (isSure) act();
    else announce(asked);
  };
  const asking = button(label, press, { ...attributes, onblur: reset });
  return { button: asking, press, reset };
}

const DEAF_MS = 500;

/**
 * Let the buttons of a group be deaf for a moment, as they have just appeared: a second press was meant for what was
 * there before.
 *
 * @param {HTMLElement} group
 */
export function deafen(group) {
  if (group.hasAttribute("aria-disabled")) return;
  const stop = (/** @type {Event} */ event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  group.setAttribute("aria-disabled", "true");
  group.addEventListener("click", stop, { capture: true });
  setTimeout(() => {
    group.removeAttribute("aria-disabled");
    group.removeEventListener("click", stop, { capture: true });
  }, DEAF_MS);
}

const TOGETHER_MS = 700;
let announcedAt = -TOGETHER_MS;

/**
 * Say something to people who do not see the page; what comes at nearly the same time is said together.
 *
 * @param {string} words
 */
export function announce(words) {
  const live = document.getElementById("live");
  if (!live) return;
  const isSoon = performance.now() - announcedAt < TOGETHER_MS;
  announcedAt = performance.now();
  live.textContent = isSoon && live.textContent !== words ? `${live.textContent} ${words}` : words;
}
