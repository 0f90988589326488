/** Milliseconds that a target must be idle before a prompt counts as unanswered. */
const restMs = 5_000;

/**
 * Returns a function to call repeatedly with whether the target is idle now. The function returns true when the target
 * has been idle for `restMs` without a break.
 */
export function createRest(): (isAtRest: boolean) => boolean {
  let since: number | null = null;
  return (isAtRest) => {
    if (!isAtRest) since = null;
    else since ??= performance.now();
    return since !== null && performance.now() - since > restMs;
  };
}
