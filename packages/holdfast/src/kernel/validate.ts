import type { Directories } from "./directories.ts";
import type { SessionOrigin } from "./event.ts";
import { invalid } from "./refusal.ts";
import type { Refused } from "./refusal.ts";
import { sessionModes } from "./state.ts";
import type { Budget, SessionMode, Usage } from "./state.ts";

const idPattern = /^[A-Za-z0-9._:@+=~-]{1,200}$/;

/** Largest accepted values. A larger number is refused as a probable mistake. */
export const bounds = {
  queue: 100_000,
  work: 100,
  holds: 100,
  directories: 100,
  bytes: 1 << 30,
  steps: 100_000,
  duration: 30 * 24 * 3_600_000,
  calls: 1_000,
  /** Maximum number of live prompts in one tree, not counting the prompt at its top. */
  descendants: 256,
} as const;

/** Returns the first refusal among the checks, or null if all pass. */
export function firstRefusal(...checks: readonly (Refused | null)[]): Refused | null {
  return checks.find((check) => check !== null) ?? null;
}

export function checkId(field: string, value: string): Refused | null {
  if (typeof value === "string" && idPattern.test(value)) return null;
  return invalid(
    field,
    `${field} must be 1 to 200 characters from letters, digits and . _ : @ + = ~ -`,
  );
}

/** Prefixes of ids that only the runtime creates (P3). */
const reservedPrefixes = [
  "result:",
  "interrupt:",
  "force:",
  "failure:",
  "recovery:",
  "budget:",
  "cap:",
] as const;

/** Checks the id that a sender chose for something new. Ids with a reserved prefix are refused. */
export function checkChosenId(field: string, value: string): Refused | null {
  const refusal = checkId(field, value);
  if (refusal !== null) return refusal;
  const prefix = reservedPrefixes.find((candidate) => value.startsWith(candidate));
  if (prefix === undefined) return null;
  return invalid(
    field,
    `${field} must not begin with ${prefix}, which is reserved for the runtime; choose another id`,
  );
}

export function checkOptionalId(field: string, value: string | null): Refused | null {
  return value === null ? null : checkId(field, value);
}

export function checkText(field: string, value: string): Refused | null {
  if (typeof value === "string" && value.length > 0 && value.length <= 4096) return null;
  return invalid(field, `${field} must be text of 1 to 4096 characters`);
}

/** One line of text: no control or line-breaking characters, no lone surrogates. */
const linePattern = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u;

/** Checks a short text that people read, such as a title or the name of an agent. */
export function checkLine(field: string, value: string): Refused | null {
  if (typeof value === "string" && linePattern.test(value) && value.trim() !== "") return null;
  return invalid(
    field,
    `${field} must be one line of 1 to 200 characters, not only spaces and without control characters`,
  );
}

export function checkAgent(agent: string | null): Refused | null {
  return agent === null ? null : checkLine("agent", agent);
}

export function checkMode(mode: SessionMode): Refused | null {
  if (sessionModes.includes(mode)) return null;
  return invalid("mode", `mode must be one of ${sessionModes.join(", ")}`);
}

export function checkOrigin(origin: SessionOrigin | null): Refused | null {
  if (origin === null) return null;
  const transcript = checkText("origin.transcript", origin.transcript);
  if (origin.kind === "import") return transcript;
  return firstRefusal(
    transcript,
    checkId("origin.sessionId", origin.sessionId),
    checkWhole("origin.seq", origin.seq, { least: 1, most: Number.MAX_SAFE_INTEGER }),
  );
}

/** Checks that the value is an integer from `least` to `most`. */
export function checkWhole(
  field: string,
  value: number,
  range: { least: number; most: number },
): Refused | null {
  if (Number.isSafeInteger(value) && value >= range.least && value <= range.most) return null;
  return invalid(field, `${field} must be a whole number from ${range.least} to ${range.most}`);
}

export function checkDuration(field: string, value: number | null): Refused | null {
  return value === null ? null : checkWhole(field, value, { least: 0, most: bounds.duration });
}

export function checkTime(field: string, value: number | null): Refused | null {
  if (value === null) return null;
  return checkWhole(field, value, { least: 0, most: Number.MAX_SAFE_INTEGER });
}

export function checkBudget(budget: Budget | null): Refused | null {
  if (budget === null) return null;
  return firstRefusal(
    checkAmount("budget.tokens", budget.tokens),
    checkAmount("budget.cost", budget.cost),
  );
}

export function checkDirectories(directories: Directories | undefined): Refused | null {
  if (directories === undefined || directories === null) return null;
  if (!Array.isArray(directories) || directories.length > bounds.directories) {
    const message = `"directories" must be a list of at most ${bounds.directories} entries`;
    return invalid("directories", message);
  }
  return firstRefusal(...directories.map((directory) => checkText("directories", directory)));
}

export function checkUsage(usage: Usage): Refused | null {
  return firstRefusal(
    checkAmount("usage.inputTokens", usage.inputTokens),
    checkAmount("usage.outputTokens", usage.outputTokens),
    checkAmount("usage.cost", usage.cost),
  );
}

function checkAmount(field: string, value: number | null): Refused | null {
  if (value === null || (Number.isFinite(value) && value >= 0)) return null;
  return invalid(field, `${field} must be zero or a positive number`);
}
