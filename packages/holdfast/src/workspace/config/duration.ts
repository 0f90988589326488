const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** 24 days, because timers of Node fire at once if their time is longer than 24.8 days. */
export const longestDuration = 24 * units.d;

/** Converts a validated duration such as `30s` to milliseconds. */
export function milliseconds(duration: string): number;
export function milliseconds(duration: string | undefined): number | undefined;
export function milliseconds(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const [, amount = "0", unit] = /^([\d.]+)(ms|s|m|h|d)$/.exec(duration) ?? [];
  return Math.round(Number(amount) * units[isUnit(unit) ? unit : "ms"]);
}

/** Converts whole seconds in milliseconds to a duration such as `30s`. */
export function durationText(time: number): string {
  return time % units.m === 0 ? `${time / units.m}m` : `${time / units.s}s`;
}

function isUnit(text: string | undefined): text is keyof typeof units {
  return text !== undefined && Object.hasOwn(units, text);
}
