/** Does the work once for all calls between two frames; out of sight there are no frames. */
export function perFrame(work: () => void): () => void {
  let isWaiting = false;
  const run = (): void => {
    isWaiting = false;
    work();
  };
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    if (document.visibilityState === "visible") requestAnimationFrame(run);
    else setTimeout(run, 100);
  };
}
