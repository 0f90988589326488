/** How long a target has to be at rest until what it has not answered counts as unanswered. */
const restMs = 5_000;

/** Told again and again whether a target is at rest, it says whether that has lasted long enough. */
export function createRest(): (isAtRest: boolean) => boolean {
  let since: number | null = null;
  return (isAtRest) => {
    if (!isAtRest) since = null;
    else since ??= performance.now();
    return since !== null && performance.now() - since > restMs;
  };
}
