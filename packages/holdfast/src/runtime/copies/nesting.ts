/** No session's content is nested as deep; what is, would exhaust the stack of whoever walks it. */
export const maxNesting = 200;

/** Whether lists and objects stand in one another deeper than that; itself it needs no stack. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxNesting) return true;
    level = level.flatMap((part) =>
      typeof part === "object" && part !== null ? Object.values(part) : [],
    );
  }
  return false;
}
