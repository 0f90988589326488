/** Minimum time between two updates, in milliseconds. People see no difference at a higher rate. */
const shortest = 30;
/** Maximum share of time spent on updates. The rest keeps the page responsive. */
const shareOfTime = 1 / 3;
const outOfSight = 100;

/**
 * Returns a function that runs `work` once for all calls since the last update. Updates come at
 * most 30 times per second, and less often if they take long, so that a slow machine stays
 * responsive.
 */
export function perFrame(work: () => void): () => void {
  let isWaiting = false;
  let notBefore = 0;
  const run = (): void => {
    const begun = performance.now();
    isWaiting = false;
    notBefore = begun + shortest;
    work();
    // A timeout that is set within a frame runs after the frame is painted.
    setTimeout(() => {
      notBefore = begun + Math.max(shortest, (performance.now() - begun) / shareOfTime);
    });
  };
  const inFrame = (): void => void requestAnimationFrame(run);
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    const pause = notBefore - performance.now();
    if (document.visibilityState !== "visible") setTimeout(run, outOfSight);
    else if (pause > 0) setTimeout(inFrame, pause);
    else inFrame();
  };
}
