/** Returns milliseconds of a clock that all processes of a machine share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** Prompts with this text get an answer of 2,000 tokens; all other prompts get three tokens. */
export const longWords = "at length";
