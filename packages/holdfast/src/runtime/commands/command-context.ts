import { isUtf8 } from "node:buffer";
import { setImmediate as nextRound } from "node:timers/promises";
import { copyWithoutBreaks } from "../../agent/redact.ts";
import type { CommandReference } from "../../agent/message.ts";
import type { ReasoningWish } from "../../agent/model/reasoning.ts";
import type { Caps } from "../../kernel/cap.ts";
import type { AcceptLimits } from "../../kernel/command.ts";
import type { Actor } from "../../kernel/event.ts";
import type { LaneState } from "../../kernel/state.ts";
import type { Done } from "../../kernel/transaction.ts";
import type { CommandInput, Store, StoreRequest } from "../../store/store.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import type { LaneHub } from "../../log/lane-hub.ts";

/** Data and functions that all commands of the runtime use. */
export interface CommandContext {
  readonly store: Store;
  readonly lanes: LaneHub;
  readonly limits: () => AcceptLimits;
  readonly caps: () => Caps | null;
  readonly newId: (kind: string) => string;
  /** Removes configured secret keys from a text that a person sends. */
  readonly redact: (text: string) => string;
  /** The secret keys that `redact` removes, for work in another thread. */
  readonly secrets: () => readonly string[];
  /** Directory for temporary files, which contain data from clients. */
  readonly spoolFolder: string;
  /** Expands a slash command to a text; null if this runtime has no slash commands. */
  readonly expand: ExpandCommand | null;
  /** Refuses the name of an agent that the directory does not have. */
  readonly expectAgent: (agent: string, directory: string) => Promise<void>;
  /**
   * Refuses a value that contains a configured secret key. Such values are stored as sent, so they cannot be redacted.
   */
  readonly expectNoKey: (field: string, value: string) => void;
  /** Executes a command; throws CommandRefused if it is refused. */
  readonly send: (request: StoreRequest) => Promise<Done>;
}

export type ExpandCommand = (
  command: CommandReference & {
    readonly directory: string;
    /** The agent that the sender named, if any. */
    readonly agent?: string | undefined;
    /** The agent of the session; null: the default agent of the directory. */
    readonly sessionAgent: string | null;
  },
) => Promise<ExpandedCommand>;

export type ExpandedCommand =
  | {
      readonly status: "expanded";
      readonly text: string;
      /** Agent to use if the sender names none. */
      readonly agent: string | null;
      readonly model: string | null;
      readonly wish: ReasoningWish;
      /** True if Holdfast itself defines the command. Such a command accepts only arguments. */
      readonly builtIn: boolean;
    }
  | { readonly status: "failed"; readonly message: string };

/** The actor of a command; omitted: a program in this process. */
export interface ByActor {
  readonly actor?: Actor | undefined;
}

export const nobody: Actor = { kind: "client", id: "local" };

export function commandContext(
  options: Omit<CommandContext, "expectNoKey" | "send"> & { execute: Store["execute"] },
): CommandContext {
  const { execute, ...context } = options;
  const { redact } = context;
  const expectNoKey: CommandContext["expectNoKey"] = (field, value) => {
    if (redact(value) !== value) throw keyIn(field);
  };
  return {
    ...context,
    expectNoKey,
    send: (request) => {
      for (const field of named) {
        const value = fieldOf(request.command, field);
        if (value !== null) expectNoKey(field, value);
      }
      return send({ execute }, request);
    },
  };
}

/** Executes a command; throws CommandRefused if it is refused. */
export async function send(store: Pick<Store, "execute">, request: StoreRequest): Promise<Done> {
  const answer = await store.execute(request);
  if (answer.status === "refused") throw new CommandRefused(answer.refusal);
  return answer;
}

/** Executes a command and returns the lane's state after it. */
export async function stateOf(context: CommandContext, command: CommandInput): Promise<LaneState> {
  const { state } = await context.send({ command });
  return state;
}

/** Fields that are stored exactly as sent and cannot be redacted. */
const named = [
  "sessionId",
  "promptId",
  "cancelId",
  "holdId",
  "workId",
  "directory",
  "agent",
] as const;

function fieldOf(command: CommandInput, field: (typeof named)[number]): string | null {
  const value: unknown = Object.hasOwn(command, field) ? Reflect.get(command, field) : null;
  return typeof value === "string" ? value : null;
}

/**
 * Builds the error for a field that contains a secret key. Such a command is refused: the field would be stored
 * unchanged, together with the key.
 */
export function keyIn(field: string, subject = field): CommandRefused {
  const message = `${subject} contains a configured key; send it without the key`;
  return new CommandRefused({ code: "invalid", field, message });
}

export function holdsKey(redact: (text: string) => string, value: Uint8Array): boolean {
  for (const text of windowsOf(value)) if (redact(text) !== text) return true;
  return false;
}

/** True if the bytes contain a secret key. Pauses while reading, so that other work can run. */
export async function holdsKeyInPieces(
  redact: (text: string) => string,
  value: Uint8Array,
): Promise<boolean> {
  for (const text of windowsOf(value)) {
    if (redact(text) !== text) return true;
    if (value.byteLength > windowLength) await nextRound();
  }
  return false;
}

const windowLength = 1024 * 1024;
/**
 * Number of bytes that two neighboring windows (pieces of the searched data) share. No encoded secret key is longer, so
 * each key is complete in at least one window.
 */
const overlap = 256 * 1024;

/**
 * Yields the bytes as overlapping texts without line breaks, decoded as UTF-8. If they are not valid UTF-8, yields them
 * again with one character per byte.
 */
function* windowsOf(value: Uint8Array): Generator<string> {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const encodings = isUtf8(bytes) ? (["utf8"] as const) : (["utf8", "latin1"] as const);
  // Use one buffer for all windows, because memory outside of the heap is freed late.
  const window = Buffer.allocUnsafe(Math.min(bytes.length, overlap + windowLength));
  for (const encoding of encodings) {
    let kept = 0;
    for (let start = 0; start < bytes.length; start += windowLength) {
      const piece = bytes.subarray(start, start + windowLength);
      const end = copyWithoutBreaks(piece, { to: window, at: kept });
      yield window.toString(encoding, 0, end);
      kept = Math.min(end, overlap);
      window.copyWithin(0, end - kept, end);
    }
  }
}
