/** The page: navigation by the hash, one view at a time, the sockets that views share. */

import { announce, h } from "./dom.js";
import "./preferences.js";
import { LineSocket, TableSocket } from "./socket.js";
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

function drawNavigation(/** @type {string} */ current) {
  const links = Object.entries(VIEWS).filter(([, { title }]) => title).map(([name, { title }]) =>
    h("a", { href: `#/${name}`, "aria-current": name === current && "page" }, title));
  document.getElementById("navigation")?.replaceChildren(...links);
}

/** Open the view that the hash names, `#/NAME/PART/…`; without one, the game's. */
async function openView() {
  const [name, ...parts] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const key = name || "play";
  const number = ++visit;
  view?.close?.();
  view = undefined;
  drawNavigation(key === "t" ? "play" : key);
  document.title = VIEWS[key]?.title ? `${VIEWS[key].title} · gammond` : "gammond";
  if (!VIEWS[key]) {
    main.replaceChildren(h("p", { class: "panel" }, text.app.noPage));
    return;
  }
  try {
    const module = await VIEWS[key].load();
    if (number !== visit) return;
    main.replaceChildren();
    const opened = await module.open(main, parts, context);
    if (number === visit) view = opened;
    else opened?.close?.();
    requestAnimationFrame(() => performance.mark("view-shown"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    main.replaceChildren(h("p", { class: "panel failure" }, fill(text.app.pageFailed, { reason })));
    throw error;
  }
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
openView();
