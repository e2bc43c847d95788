/** The page: navigation by the hash, one view at a time, the sockets that views share. */

import { announce, button, h } from "./dom.js";
import "./preferences.js";
import { ConnectionLost, LineSocket, ServerError, TableSocket } from "./socket.js";
import { fill, text } from "./text.js";

/**
 * @typedef {object} Context what a view is given
 * @property {LineSocket} line
 * @property {TableSocket} tables
 *
 * @typedef {{close?: () => void}} View
 * @typedef {{open: (main: HTMLElement, parts: string[], context: Context) => View | Promise<View | void> | void}} ViewModule
 */

/** @type {Record<string, {load: () => Promise<ViewModule>, title?: string}>} */
const VIEWS = {
  play: { load: () => import("./play/new_game.js"), title: text.app.play },
  t: { load: () => import("./play/table_view.js") },
  analyse: { load: () => import("./analyse/view.js"), title: text.app.analyse },
  progress: { load: () => import("./progress/view.js"), title: text.app.progress },
  help: { load: () => import("./help.js"), title: text.app.help },
};

/** @type {Context} */
const context = { line: new LineSocket(), tables: new TableSocket() };
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const banner = /** @type {HTMLElement} */ (document.getElementById("banner"));
/** @type {View | void} */
let view;
let visit = 0;
/** @type {unknown} why the view could not be opened: it is tried again once the line is back; null where it was opened */
let failure = null;

function drawNavigation(/** @type {string} */ current) {
  const links = Object.entries(VIEWS).filter(([, { title }]) => title).map(([name, { title }]) =>
    h("a", { href: `#/${name}`, "aria-current": name === current && "page" }, title));
  document.getElementById("navigation")?.replaceChildren(...links);
}

/**
 * A part of the hash as it is meant; one that is no address stays as it is.
 *
 * @param {string} part
 */
function decodePart(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Open the view that the hash names, `#/NAME/PART/…`; without one, the game's. */
async function openView() {
  const [name, ...parts] = location.hash.replace(/^#\/?/, "").split("/").map(decodePart);
  const key = name || "play";
  const entry = Object.hasOwn(VIEWS, key) ? VIEWS[key] : undefined;
  const number = ++visit;
  failure = null;
  view?.close?.();
  view = undefined;
  drawNavigation(key === "t" ? "play" : key);
  document.title = entry?.title ? `${entry.title} · gammond` : "gammond";
  if (!entry) {
    main.replaceChildren(h("p", { class: "panel" }, text.app.noPage));
    return showTop();
  }
  /** @type {ViewModule | undefined} */
  let module;
  try {
    module = await entry.load();
    if (number !== visit) return;
    main.replaceChildren();
    const opened = await module.open(main, parts, context);
    if (number === visit) view = opened;
    else opened?.close?.();
    requestAnimationFrame(() => performance.mark("view-shown"));
  } catch (error) {
    if (number !== visit) return;
    failure = error;
    const reason = error instanceof Error ? error.message : String(error);
    main.replaceChildren(h("div", { class: "panel" }, h("p", { class: "failure", role: "alert" }, fill(text.app.pageFailed, { reason })),
      button(text.app.tryAgain, retry)));
    if (module && !isOfServer(error)) reportError(error);
  }
  if (number === visit) showTop();
}

/** @param {unknown} error */
function isOfServer(error) {
  return error instanceof ServerError || error instanceof ConnectionLost;
}

/** Open the view again that could not be opened. Browsers ask for a script once only: without it the page is loaded anew. */
async function retry() {
  if (!failure) return;
  const answer = isOfServer(failure) ? null : await fetch(location.pathname, { cache: "no-store" }).catch(() => null);
  if (answer?.ok) location.reload();
  else openView();
}

/** Show a page from its top, with the focus on it, unless it has set the focus itself. */
function showTop() {
  if (visit === 1) return; // the page has just been loaded: the browser knows better
  scrollTo(0, 0);
  if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
}

/** Say that a connection is lost while one of the sockets that are in use is closed. */
function watchConnections() {
  const lost = () => {
    banner.textContent = text.app.lost;
    banner.hidden = false;
  };
  const found = () => {
    if (banner.hidden || [context.line, context.tables].some((socket) => socket.wanted && !socket.isOpen)) return;
    banner.hidden = true;
    announce(text.app.back);
    retry();
  };
  for (const socket of [context.line, context.tables]) {
    socket.addEventListener("close", lost);
    socket.addEventListener("open", found);
  }
}

document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
watchConnections();
addEventListener("hashchange", openView);
addEventListener("online", retry);
openView();
