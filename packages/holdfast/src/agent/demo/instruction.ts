import type { FailureReason } from "../../kernel/state.ts";
import { parseCall } from "./call-instruction.ts";
import { duration, splitInstructions, unwrap } from "./syntax.ts";

/** One step of the demo agent. docs/DEMO.md describes the syntax. */
export type Instruction =
  | { readonly type: "say"; readonly text: string; readonly every: number }
  | { readonly type: "think"; readonly text: string }
  | { readonly type: "wait"; readonly milliseconds: number }
  | { readonly type: "use"; readonly tokens: number; readonly cost: number }
  | { readonly type: "calls"; readonly calls: readonly string[] }
  | {
      readonly type: "fail";
      readonly once: boolean;
      readonly reason: FailureReason;
      readonly retryIn: number | null;
    }
  | { readonly type: "stall" }
  /** Ignores the stop signal for this many milliseconds. Null: forever. */
  | { readonly type: "stubborn"; readonly milliseconds: number | null }
  | { readonly type: "block"; readonly milliseconds: number }
  | { readonly type: "flood"; readonly count: number }
  | { readonly type: "crash"; readonly once: boolean }
  /**
   * Stops this run without recording an end, like a crash. `silence`: milliseconds until another attempt may resume it.
   */
  | { readonly type: "crashRun"; readonly silence: number }
  | { readonly type: "help" };

/** Parses a prompt into steps. A text without instructions is echoed. */
export function parseScript(text: string): readonly Instruction[] {
  const parts = splitInstructions(text);
  const parsed = parts.map(parseInstruction);
  if (parsed.every((steps) => steps === null)) return [{ type: "say", text, every: 0 }];
  return parsed.flatMap((steps, index) => steps ?? [echo(parts[index] ?? "")]);
}

/** Delay in milliseconds between two words. The key is the last part of the instruction, as in `say hello slowly`. */
const paces: ReadonlyMap<string, number> = new Map([
  [" slowly", 60],
  [" very slowly", 180],
]);
const usualSilence = "3s";
/** Maximum number of parallel calls, because all their results are in memory together. */
const maxParallel = 32;

const failures: readonly FailureReason[] = [
  "agentError",
  "badKey",
  "noQuota",
  "brokenWorkspace",
  "providerError",
  "modelGone",
  "contextTooLong",
  "contentFilter",
  "stalled",
  "loop",
];

/** Syntax of an instruction. `read` returns null if the arguments are not valid. */
interface Form {
  readonly pattern: RegExp;
  readonly read: (words: readonly string[]) => readonly Instruction[] | null;
}

const forms: readonly Form[] = [
  {
    pattern: /^say (.+?)( slowly| very slowly)?$/s,
    read: ([text = "", pace = ""]) => [{ type: "say", text, every: paces.get(pace) ?? 0 }],
  },
  {
    pattern: /^words (\d{1,5})(?: every (\S+))?$/,
    read: ([count, every = "0ms"]) =>
      timed(every, (milliseconds) => ({
        type: "say",
        text: numbered("word-", Number(count)).join(" "),
        every: milliseconds,
      })),
  },
  {
    pattern: /^steps (\d{1,5})$/,
    read: ([count]) => numbered("step ", Number(count)).map((text) => echo(`${text} of ${count}`)),
  },
  { pattern: /^think (.+)$/s, read: ([text = ""]) => [{ type: "think", text }] },
  {
    pattern: /^wait (\S+)$/,
    read: ([time = ""]) => timed(time, (milliseconds) => ({ type: "wait", milliseconds })),
  },
  {
    pattern: /^tokens (\d{1,12})$/,
    read: ([tokens]) => [{ type: "use", tokens: Number(tokens), cost: 0 }],
  },
  {
    pattern: /^cost (\d{1,9}(?:\.\d{1,9})?)$/,
    read: ([cost]) => [{ type: "use", tokens: 0, cost: Number(cost) }],
  },
  {
    pattern: /^fail(?: (\w+))?(?: for (\S+))?$/,
    read: ([word = "agentError", time]) => readFailure(word, time),
  },
  { pattern: /^stall$/, read: () => [{ type: "stall" }] },
  { pattern: /^stubborn$/, read: () => [{ type: "stubborn", milliseconds: null }] },
  {
    pattern: /^stubborn (\S+)$/,
    read: ([time = ""]) => timed(time, (milliseconds) => ({ type: "stubborn", milliseconds })),
  },
  {
    pattern: /^block (\S+)$/,
    read: ([time = ""]) => timed(time, (milliseconds) => ({ type: "block", milliseconds })),
  },
  {
    pattern: /^flood (\d{1,7})$/,
    read: ([count]) => [{ type: "flood", count: Number(count) }],
  },
  {
    pattern: /^crash( once)?$/,
    read: ([once = ""]) => [{ type: "crash", once: once !== "" }],
  },
  {
    pattern: /^crash run(?: for (\S+))?$/,
    read: ([time = usualSilence]) => timed(time, (silence) => ({ type: "crashRun", silence })),
  },
  { pattern: /^help$/, read: () => [{ type: "help" }] },
  { pattern: /^parallel (\{.*\})$/s, read: ([block = ""]) => readParallel(block) },
];

function parseInstruction(text: string): readonly Instruction[] | null {
  if (parseCall(text) !== null) return [{ type: "calls", calls: [text] }];
  for (const { pattern, read } of forms) {
    const match = pattern.exec(text);
    if (match !== null) return read(match.slice(1));
  }
  return null;
}

function readParallel(block: string): readonly Instruction[] | null {
  const calls = splitInstructions(unwrap(block));
  const isCount = calls.length > 0 && calls.length <= maxParallel;
  const known = isCount && calls.every((call) => parseCall(call) !== null);
  return known ? [{ type: "calls", calls }] : null;
}

function readFailure(word: string, time: string | undefined): readonly Instruction[] | null {
  const once = word === "once";
  const wanted = once ? "agenterror" : word.toLowerCase();
  const reason = failures.find((candidate) => candidate.toLowerCase() === wanted);
  const retryIn = time === undefined ? null : duration(time);
  if (reason === undefined || (time !== undefined && retryIn === null)) return null;
  return [{ type: "fail", once, reason, retryIn }];
}

function timed(
  time: string,
  make: (milliseconds: number) => Instruction,
): readonly Instruction[] | null {
  const milliseconds = duration(time);
  return milliseconds === null ? null : [make(milliseconds)];
}

function numbered(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${word}${index + 1}`);
}

function echo(text: string): Instruction {
  return { type: "say", text, every: 0 };
}
