/** Readers see no difference beyond some thirty changes in a second. */
const shortest = 30;
/** The page is free for other things in the rest of the time. */
const shareOfTime = 1 / 3;
const outOfSight = 100;

/**
 * Does the work once for all calls between two frames, in every second frame, and in fewer where a
 * frame with it takes long: a slow machine shows an answer in larger pieces, and stays responsive.
 */
export function perFrame(work: () => void): () => void {
  let isWaiting = false;
  let notBefore = 0;
  const run = (): void => {
    const begun = performance.now();
    isWaiting = false;
    notBefore = begun + shortest;
    work();
    // What was begun within a frame is over when the frame is painted.
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
