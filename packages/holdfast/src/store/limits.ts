/** Maximum number of items in a page; callers read more pages if they need more. */
const maxPage = 10_000;

/** Throws if the limit of a page is invalid: limits come from our own code, so a bad value is a bug. */
export function checkLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= maxPage) return limit;
  throw new RangeError(`limit must be a whole number from 1 to ${maxPage}, not ${limit}`);
}

export function checkTtl(ttl: number): number {
  if (Number.isSafeInteger(ttl) && ttl >= 1 && ttl <= 86_400_000) return ttl;
  throw new RangeError(`ttl must be a whole number of milliseconds up to a day, not ${ttl}`);
}
