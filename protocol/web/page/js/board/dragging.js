// A piece of a board that follows the pointer until it is released.

const DRAG_PX = 6;

/**
 * Follow the pointer with a piece. A press that hardly moves is no drag.
 *
 * @param {SVGSVGElement} svg the board
 * @param {PointerEvent} start
 * @param {SVGElement} piece
 * @param {{lift: () => void, drop: (position: DOMPoint | null) => void}} actions `lift` when the drag begins, `drop` where
 *   it ends, in the units of the board; null where it is broken off
 */
export function followPointer(svg, start, piece, { lift, drop }) {
  const matrix = svg.getScreenCTM()?.inverse();
  if (!matrix) return;
  const place = (/** @type {PointerEvent} */ event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
  let isDragged = false;
  let frame = 0;
  let last = start;
  const paint = () => {
    frame = 0;
    const { x, y } = place(last);
    piece.style.transform = `translate(${x}px, ${y}px) scale(1.08)`;
  };
  const move = (/** @type {PointerEvent} */ event) => {
    last = event;
    if (!isDragged) {
      if (Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < DRAG_PX) return;
      isDragged = true;
      piece.classList.add("held");
      lift();
    }
    frame ||= requestAnimationFrame(paint);
  };
  const end = (/** @type {PointerEvent} */ event) => {
    svg.removeEventListener("pointermove", move);
    svg.removeEventListener("pointerup", end);
    svg.removeEventListener("pointercancel", end);
    cancelAnimationFrame(frame);
    piece.classList.remove("held");
    if (isDragged) drop(event.type === "pointercancel" ? null : place(event));
  };
  svg.setPointerCapture(start.pointerId);
  svg.addEventListener("pointermove", move);
  svg.addEventListener("pointerup", end);
  svg.addEventListener("pointercancel", end);
}
