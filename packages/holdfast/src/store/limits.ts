/** The longest page of any read; a caller that wants more asks again. */
const maxPage = 10_000;

/** A page's limit comes from this program, so a bad one is a bug and throws. */
export function checkLimit(limit: number): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= maxPage) return limit;
  throw new RangeError(`limit must be a whole number from 1 to ${maxPage}, not ${limit}`);
}

export function checkTtl(ttl: number): number {
  if (Number.isSafeInteger(ttl) && ttl >= 1 && ttl <= 86_400_000) return ttl;
  throw new RangeError(`ttl must be a whole number of milliseconds up to a day, not ${ttl}`);
}
