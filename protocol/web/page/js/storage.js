/** What this browser keeps, as JSON; where storage is forbidden it holds until the page is closed. */

/** @typedef {"localStorage" | "sessionStorage"} StoreName between visits, or until the tab is closed */

/**
 * @param {string} key
 * @param {StoreName} [store]
 * @returns {any} null for nothing, and for what cannot be read
 */
export function recall(key, store = "localStorage") {
  try {
    return JSON.parse(globalThis[store].getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {any} value
 * @param {StoreName} [store]
 */
export function keep(key, value, store = "localStorage") {
  try {
    globalThis[store].setItem(key, JSON.stringify(value));
  } catch {
    // Forbidden or full: it is forgotten.
  }
}
