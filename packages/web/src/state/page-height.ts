/**
 * Some browsers lay their keyboard over the page without telling it: then the page ends where the
 * keyboard begins. Somebody who has zoomed in sees a part of the page on purpose.
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
    // The browser has moved the page up to show the field that is written in.
    if (isCovered) window.scrollTo(0, 0);
  };
  visualViewport.addEventListener("resize", adapt);
}
