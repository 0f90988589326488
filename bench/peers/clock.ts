/** Milliseconds on a clock that all processes of a machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** Prompts with these words get an answer of 2,000 tokens; all others one of three. */
export const longWords = "at length";
