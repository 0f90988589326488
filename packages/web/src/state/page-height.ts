/**
 * Shrinks the page if an on-screen keyboard covers it, because some browsers do not resize the page. Does nothing if
 * the page is zoomed.
 */
export function followPageHeight(): void {
  const { visualViewport } = window;
  if (visualViewport === null) return;
  const root = document.documentElement;
  const adapt = (): void => {
    const { height, scale } = visualViewport;
    const isCovered = scale === 1 && window.innerHeight - height > 80;
    if (isCovered) root.style.setProperty("--page-height", `${height}px`);
    else root.style.removeProperty("--page-height");
    // Undo the browser's scrolling, which brought the focused field into view.
    if (isCovered) window.scrollTo(0, 0);
  };
  visualViewport.addEventListener("resize", adapt);
}
