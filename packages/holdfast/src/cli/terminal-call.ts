import { Option } from "commander";

/** Options of `holdfast` without a command, which opens the terminal client. */
export interface TerminalCall {
  readonly isContinued: boolean;
  readonly isPlain: boolean;
  /** Null: the agent named in HOLDFAST_AGENT, or else the directory's default agent. */
  readonly agent: string | null;
  /** Null: the model named in HOLDFAST_MODEL, or else the directory's default model. */
  readonly model: string | null;
}

export const plainOption = "--screen-reader";

/**
 * Options that only the help and the completion of `holdfast` need. Commander must not know them: it would accept them
 * before a command too, and take them from commands that have their own.
 */
export const terminalOptions: readonly Option[] = [
  new Option("-c, --continue", "Without a command: continue the newest conversation"),
  new Option("-m, --model <name>", "Without a command: choose the model, as provider/name"),
  new Option("-a, --agent <name>", "Without a command: choose the agent"),
];

/** Reads a command line without a command: `holdfast` alone, or only with options of the terminal client. Otherwise null. */
export function terminalCall(words: readonly string[]): TerminalCall | null {
  const named = new Map<string, string | null>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const at = word.startsWith("--") ? word.indexOf("=") : -1;
    const flag = at === -1 ? word : word.slice(0, at);
    if (word === plainOption) {
      named.set(plainOption, null);
      continue;
    }
    const option = terminalOptions.find(({ short, long }) => [short, long].includes(flag));
    if (option === undefined) return null;
    if (!option.required) {
      if (at !== -1) return null;
      named.set(option.name(), null);
      continue;
    }
    if (at === -1) index += 1;
    const value = at === -1 ? (words[index] ?? "") : word.slice(at + 1);
    if (!/^[^-]/.test(value)) return null;
    named.set(option.name(), value);
  }
  return {
    isContinued: named.has("continue"),
    isPlain: named.has(plainOption),
    agent: named.get("agent") ?? null,
    model: named.get("model") ?? null,
  };
}
