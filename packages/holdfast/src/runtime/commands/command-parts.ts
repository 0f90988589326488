import { isUtf8 } from "node:buffer";
import { setImmediate as nextRound } from "node:timers/promises";
import { copyWithoutBreaks } from "../../agent/redact.ts";
import type { CommandReference } from "../../agent/message.ts";
import type { Caps } from "../../kernel/cap.ts";
import type { AcceptLimits } from "../../kernel/command.ts";
import type { Actor } from "../../kernel/event.ts";
import type { LaneState } from "../../kernel/state.ts";
import type { Done } from "../../kernel/transaction.ts";
import type { CommandInput, Store, StoreRequest } from "../../store/store.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import type { LaneHub } from "../../log/lane-hub.ts";

/** What the runtime's commands are made of. */
export interface CommandParts {
  readonly store: Store;
  readonly lanes: LaneHub;
  readonly limits: () => AcceptLimits;
  readonly caps: () => Caps | null;
  readonly newId: (kind: string) => string;
  /** Takes configured keys out of a text that people send. */
  readonly redact: (text: string) => string;
  /** The keys that `redact` takes out, for work that is done in another thread. */
  readonly secrets: () => readonly string[];
  /** Where what clients send is kept until it is read. */
  readonly spoolFolder: string;
  /** The text that a command stands for in a directory; null where there are no commands at all. */
  readonly expand: ExpandCommand | null;
  /** Refuses what would have to be changed to take a key out of it. */
  readonly expectNoKey: (field: string, value: string) => void;
  /** Carries a command out; a refusal is thrown as CommandRefused. */
  readonly send: (request: StoreRequest) => Promise<Done>;
}

export type ExpandCommand = (
  command: CommandReference & { readonly directory: string },
) => Promise<ExpandedCommand>;

export type ExpandedCommand =
  | {
      readonly status: "expanded";
      readonly text: string;
      /** Where the sender names none. */
      readonly agent: string | null;
      readonly model: string | null;
      /** The program's own: nothing but its arguments can go with it. */
      readonly builtIn: boolean;
    }
  | { readonly status: "failed"; readonly message: string };

/** On each command: who does it. Left out, it is a program in this process. */
export interface ByActor {
  readonly actor?: Actor | undefined;
}

export const nobody: Actor = { kind: "client", id: "local" };

export function commandParts(
  options: Omit<CommandParts, "expectNoKey" | "send"> & { execute: Store["execute"] },
): CommandParts {
  const { execute, ...parts } = options;
  const { redact } = parts;
  const expectNoKey: CommandParts["expectNoKey"] = (field, value) => {
    if (redact(value) !== value) throw keyIn(field);
  };
  return {
    ...parts,
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

/** Carries a command out; a refusal is thrown as CommandRefused. */
export async function send(store: Pick<Store, "execute">, request: StoreRequest): Promise<Done> {
  const answer = await store.execute(request);
  if (answer.status === "refused") throw new CommandRefused(answer.refusal);
  return answer;
}

/** Carries a command out, and answers the lane after it. */
export async function stateOf(parts: CommandParts, command: CommandInput): Promise<LaneState> {
  const { state } = await parts.send({ command });
  return state;
}

/** What a command stores under its sender's own words, and cannot change. */
const named = ["sessionId", "promptId", "cancelId", "holdId", "workId", "directory"] as const;

function fieldOf(command: CommandInput, field: (typeof named)[number]): string | null {
  const value: unknown = Object.hasOwn(command, field) ? Reflect.get(command, field) : null;
  return typeof value === "string" ? value : null;
}

/** Why a command with a key is refused: what is stored under its sender's own words cannot be masked. */
export function keyIn(field: string): CommandRefused {
  const message = `${field} holds a configured key; send it without`;
  return new CommandRefused({ code: "invalid", field, message });
}

export function holdsKey(redact: (text: string) => string, value: Uint8Array): boolean {
  for (const text of windowsOf(value)) if (redact(text) !== text) return true;
  return false;
}

/** Same as above, with pauses for other work. */
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
/** Longer than any form of a key. */
const overlap = 256 * 1024;

/**
 * The bytes as texts that overlap, without line breaks: as UTF-8, and with one character a byte if they
 * are no UTF-8.
 */
function* windowsOf(value: Uint8Array): Generator<string> {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const encodings = isUtf8(bytes) ? (["utf8"] as const) : (["utf8", "latin1"] as const);
  // One for all windows: memory outside of the heap is given back late.
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
