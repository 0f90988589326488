import type {
  Actor,
  AskAnswer,
  AskResolution,
  Attachment,
  Call,
  ContextUse,
  Delivery,
  Hold,
  Outcome,
  Receipt,
  ToolStatus,
  Usage,
  WireEvent,
} from "@holdfast/sdk";

// A session's log in the form that people read. It is built from events only, so two readers of the
// same log see the same conversation.

/** The loaded part of a session, built from its events. Entries are replaced, never mutated. */
export interface Conversation {
  /** Entries in log order. */
  readonly entries: Entry[];
  /** Index into `entries`, by entry id. */
  readonly places: Map<string, number>;
  readonly prompts: Map<string, PromptView>;
  readonly runs: Map<string, RunView>;
  readonly asks: Map<string, AskView>;
  /** Id of the entry that contains a call, by call id. */
  readonly calls: Map<string, string>;
  /** Name of each exclusive operation, such as `revert`, by work id. */
  readonly works: Map<string, string>;
}

export type Entry = PromptEntry | StepEntry | AskEntry | NoticeEntry;

/**
 * A prompt. The conversation shows it at the place where a run started with it or took it in. A prompt that no run used
 * is shown at the place where it ended.
 */
export interface PromptEntry {
  readonly kind: "prompt";
  readonly id: string;
  readonly prompt: PromptView;
}

export interface PromptView {
  readonly promptId: string;
  readonly acceptSeq: number | null;
  readonly acceptedAt: number;
  /** Text of the prompt. Null until loaded, if the prompt was accepted before the loaded part of the log. */
  readonly text: string | null;
  /** Seq of the event with the whole text, if the text here is cut. */
  readonly cutAt: number | null;
  readonly attachments: readonly Attachment[];
  /** Agent, model and command that the sender named. */
  readonly agent: string | null;
  readonly model: string | null;
  readonly command: string | null;
  readonly delivery: Delivery;
  readonly actor: Actor | null;
  readonly reply: boolean;
  readonly revision: number;
  /** Id of the run that the prompt will join at the run's next step. */
  readonly steers: string | null;
  /** The background child session whose outcome this prompt reports. */
  readonly resultOf: { readonly sessionId: string; readonly outcome: Outcome } | null;
  readonly runId: string | null;
  /** Whether the prompt joined a run that another prompt had started. */
  readonly isTakenIn: boolean;
  readonly enteredAt: number | null;
  readonly outcome: Outcome | null;
  readonly settledAt: number | null;
  /** Seq of the event that settled the prompt. A fork that includes the answer copies the log up to this event. */
  readonly settleSeq: number | null;
}

/** One answer of the model and the calls that it requested. */
export interface StepEntry {
  readonly kind: "step";
  readonly id: string;
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  readonly openedAt: number;
  readonly answeredAt: number | null;
  readonly text: string;
  readonly reasoning: string | null;
  readonly model: string | null;
  /** Whether the answer is a summary that replaces the conversation before it. */
  readonly isSummary: boolean;
  readonly isInterrupted: boolean;
  readonly cutAt: number | null;
  readonly usage: Usage | null;
  /** Tokens in the context of a hosted agent, and its size, if the agent has reported them. */
  readonly context?: ContextUse;
  readonly calls: readonly CallView[];
}

/** `cancelled`: the run was stopped before the call started. */
export type CallStatus = "waiting" | "running" | ToolStatus | "cancelled";

export interface CallView {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly status: CallStatus;
  /** Description of the action that the call plans. */
  readonly intent: string | null;
  readonly output: string;
  readonly extra: unknown;
  /** Files and images that the call has shown to the model. */
  readonly files: readonly Attachment[];
  readonly cutAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Seq of the event that ended the call; null if the call comes from another session's log (a fork or an import). */
  readonly endSeq: number | null;
  readonly askId: string | null;
  readonly child: ChildView | null;
}

export interface ChildView {
  readonly sessionId: string;
  readonly promptId: string;
  readonly background: boolean;
  readonly outcome: Outcome | null;
}

/** An ask that does not belong to a tool call. */
export interface AskEntry {
  readonly kind: "ask";
  readonly id: string;
  readonly askId: string;
}

export interface AskView {
  readonly askId: string;
  readonly runId: string;
  readonly callId: string | null;
  readonly question: string;
  readonly extra: unknown;
  readonly openedAt: number;
  readonly expiresAt: number | null;
  readonly closed: {
    readonly resolution: AskResolution;
    readonly actor: Actor;
    readonly at: number;
    readonly answer: AskAnswer | null;
  } | null;
}

export interface RunView {
  readonly runId: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly attempt: number;
  readonly isStopping: boolean;
  readonly promptIds: readonly string[];
  /** The model that gave the latest answer. */
  readonly model: string | null;
  /** Whether the run has used tools, so that it may have changed files. */
  readonly hasCalls: boolean;
  readonly outcome: Outcome | null;
  readonly usage: Usage | null;
}

export interface NoticeEntry {
  readonly kind: "notice";
  readonly id: string;
  readonly at: number;
  readonly actor: Actor;
  readonly notice: Notice;
}

export type Notice =
  | { readonly type: "cancelled"; readonly receipt: Receipt }
  | {
      readonly type: "runEnded";
      readonly runId: string;
      readonly outcome: Outcome;
      readonly text: string | null;
    }
  /** Text that the result of a run adds to its last answer, such as a note that the answer was cut off. */
  | { readonly type: "added"; readonly runId: string; readonly text: string }
  /** `without`: names of resources that were not ready when the run started. */
  | { readonly type: "lacking"; readonly runId: string; readonly without: readonly string[] }
  | {
      readonly type: "resumed";
      readonly runId: string;
      readonly attempt: number;
      readonly without: readonly string[];
    }
  | { readonly type: "suspended"; readonly runId: string }
  | { readonly type: "held"; readonly hold: Hold }
  | { readonly type: "released"; readonly cause: ReleaseCause }
  | { readonly type: "workEnded"; readonly name: string; readonly cause: WorkCause }
  | { readonly type: "forked"; readonly from: string | null }
  | { readonly type: "deleted" };

type ReleaseCause = Extract<WireEvent, { type: "hold.released" }>["cause"];
type WorkCause = Extract<WireEvent, { type: "work.ended" }>["cause"];

export function emptyConversation(): Conversation {
  return {
    entries: [],
    places: new Map(),
    prompts: new Map(),
    runs: new Map(),
    asks: new Map(),
    calls: new Map(),
    works: new Map(),
  };
}

export function stepId(runId: string, step: number): string {
  return `step:${runId}:${step}`;
}

export function promptEntryId(promptId: string): string {
  return `prompt:${promptId}`;
}

/** Replaces the entry with the same id, or appends the entry. */
export function putEntry(conversation: Conversation, entry: Entry): void {
  const place = conversation.places.get(entry.id);
  if (place !== undefined) {
    conversation.entries[place] = entry;
    return;
  }
  conversation.places.set(entry.id, conversation.entries.length);
  conversation.entries.push(entry);
}

export function removeEntry({ entries, places }: Conversation, id: string): void {
  const place = places.get(id);
  if (place === undefined) return;
  entries.splice(place, 1);
  places.clear();
  for (const [index, entry] of entries.entries()) places.set(entry.id, index);
}

export function entryOf(conversation: Conversation, id: string): Entry | null {
  const place = conversation.places.get(id);
  return place === undefined ? null : (conversation.entries[place] ?? null);
}

export function stepOf(conversation: Conversation, id: string): StepEntry | null {
  const entry = entryOf(conversation, id);
  return entry?.kind === "step" ? entry : null;
}

/** A requested call that has not started. */
export function newCall(call: Pick<Call, "callId" | "name"> & { input: unknown }): CallView {
  return {
    callId: call.callId,
    name: call.name,
    input: call.input,
    status: "waiting",
    intent: null,
    output: "",
    extra: null,
    files: [],
    cutAt: null,
    startedAt: null,
    endedAt: null,
    endSeq: null,
    askId: null,
    child: null,
  };
}

export function changeCall(
  conversation: Conversation,
  callId: string,
  change: (call: CallView) => CallView,
): void {
  const step = stepOf(conversation, conversation.calls.get(callId) ?? "");
  if (step === null) return;
  const calls = step.calls.map((call) => (call.callId === callId ? change(call) : call));
  putEntry(conversation, { ...step, calls });
}
