import { z } from "zod";

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const longest = 30 * 24 * units.h;

/** A time with its unit: a bare number would be taken for seconds by some, for milliseconds by others. */
export const durationSchema = z
  .string({ error: 'must be a time with its unit, such as "500ms", "30s", "5m" or "2h"' })
  .regex(/^\d{1,10}(?:\.\d{1,3})?(?:ms|s|m|h)$/, {
    error: 'must be a time with its unit, such as "500ms", "30s", "5m" or "2h"',
  })
  .refine((value) => milliseconds(value) <= longest, { error: "must be 720h or less" })
  .refine((value) => milliseconds(value) >= 1, { error: "must be 1ms or more" });

/** Of what fits the schema. */
export function milliseconds(duration: string): number;
export function milliseconds(duration: string | undefined): number | undefined;
export function milliseconds(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const [, amount = "0", unit] = /^([\d.]+)(ms|s|m|h)$/.exec(duration) ?? [];
  return Math.round(Number(amount) * units[isUnit(unit) ? unit : "ms"]);
}

function isUnit(text: string | undefined): text is keyof typeof units {
  return text !== undefined && Object.hasOwn(units, text);
}
