/**
 * Maximum nesting depth of values, more than any session content has. Deeper values could overflow the stack of
 * recursive code.
 */
export const maxNesting = 200;

/**
 * Returns true if lists and objects are nested deeper than the limit. Not recursive, so it cannot overflow the stack
 * itself.
 */
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
