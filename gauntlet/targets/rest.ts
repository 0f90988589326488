/** Milliseconds that a target must be idle before a prompt counts as unanswered. */
const restMs = 5_000;

/**
 * Returns a function that takes the current idle state and returns whether it has lasted long
 * enough.
 */
export function createRest(): (isAtRest: boolean) => boolean {
  let since: number | null = null;
  return (isAtRest) => {
    if (!isAtRest) since = null;
    else since ??= performance.now();
    return since !== null && performance.now() - since > restMs;
  };
}
