import { fieldsOf } from "../../base/json-rpc.ts";
import type { ContextUse } from "./updates.ts";
import type { ToolStatus } from "../../kernel/event.ts";
import type { AssistantMessage, Message } from "../message.ts";
import { nothingChosen } from "./choose.ts";
import type { Chosen } from "./choose.ts";

/** The way in which a turn of the agent began. */
export type TurnMode =
  /** The prompt was sent for the first time. */
  | "prompt"
  /** The prompt was sent again, because the agent had not received it (H2). */
  | "resend"
  /** The agent was asked to continue an interrupted turn (H2). */
  | "continue";

/** A turn of a hosted agent, as recorded in the session's log. */
export interface PastTurn {
  readonly callId: string;
  readonly runId: string;
  readonly session: string;
  readonly mode: TurnMode;
  /** Ids of the prompts that were sent. */
  readonly prompts: readonly string[];
  readonly text: string;
  /** Null while the turn has no result. */
  readonly status: ToolStatus | null;
  /** The calls that the agent made, in order. */
  readonly calls: readonly PastCall[];
}

export interface PastCall {
  readonly name: string;
  readonly input: unknown;
  readonly status: ToolStatus | null;
}

/** Data that the adapter stores with each answer of a hosted agent. */
export interface HostedExtra {
  readonly kind: "hosted";
  /** Model name that people see with the answer. */
  readonly model: string;
  readonly reasoning: string;
  /** Use of the agent's context. Missing: the agent has not reported it in this turn. */
  readonly context?: ContextUse;
  readonly hosted: {
    readonly agent: string;
    readonly session: string;
    /** Total cost of the agent's session in dollars, up to this answer. */
    readonly cost: number;
    /**
     * Model and mode that people selected for the agent. Missing: nothing was selected, or an older release, which did
     * not store them, recorded the turn.
     */
    readonly chosen?: Chosen;
    readonly turn?: {
      readonly mode: TurnMode;
      readonly prompts: readonly string[];
      readonly text: string;
    };
  };
}

export interface Past {
  /** Id of the agent's own session, from its last answer in this session. Null: the agent has not answered yet. */
  readonly session: string | null;
  /** True if a fork or an import copied answers of this agent. The agent's own session belongs to the original (H3). */
  readonly isCopy: boolean;
  readonly turns: readonly PastTurn[];
  /** Total cost of the agent's own session until now. */
  readonly cost: number;
  /** Model and mode of the last turn. */
  readonly chosen: Chosen;
  /** Messages after the agent's last answer that the agent has not received, such as answers of other agents. */
  readonly missed: readonly Message[];
  /** The whole conversation. */
  readonly all: readonly Message[];
}

/** Reads the turns of one agent from the conversation. */
export function readPast(messages: readonly Message[], agent: string): Past {
  const results = new Map<string, ToolStatus>();
  for (const message of messages) {
    if (message.role === "tool") results.set(message.callId, message.status);
  }
  const turns: (PastTurn & { calls: PastCall[] })[] = [];
  let session: string | null = null;
  let cost = 0;
  let chosen = nothingChosen;
  let last = -1;
  let isCopy = false;
  for (const [index, message] of messages.entries()) {
    const own = message.role === "assistant" ? hostedOf(message) : null;
    if (message.role !== "assistant" || own === null || own.hosted.agent !== agent) continue;
    const { hosted } = own;
    if (message.copied === true) {
      isCopy = true;
      chosen = { ...(hosted.chosen ?? chosen), usualMode: null };
      continue;
    }
    session = hosted.session;
    cost = hosted.cost;
    chosen = hosted.chosen ?? chosen;
    last = index;
    const { runId, calls } = message;
    const [call] = calls;
    if (hosted.turn !== undefined && call !== undefined) {
      const status = results.get(call.callId) ?? null;
      const { callId } = call;
      turns.push({ callId, runId, session, status, ...hosted.turn, calls: [] });
    } else {
      for (const { callId, name, input } of calls) {
        turns.at(-1)?.calls.push({ name, input, status: results.get(callId) ?? null });
      }
    }
  }
  const sent = new Set(turns.flatMap(({ prompts }) => prompts));
  const missed = messages
    .slice(last + 1)
    .filter((message) => message.role !== "user" || !sent.has(message.promptId))
    .filter((message) => message.role !== "tool");
  return { session, isCopy, turns, cost, chosen, missed, all: messages };
}

function hostedOf({ extra }: AssistantMessage): HostedExtra | null {
  return isHostedAnswer(extra) ? extra : null;
}

/** Describes the input of a call in one line: its command, title or path. */
export function describeInput(input: unknown): string {
  const { title, command, path } = fieldsOf(input);
  const found = [command, title, path].find((value) => typeof value === "string" && value !== "");
  const words = typeof found === "string" ? found : JSON.stringify(input ?? "");
  return words.replaceAll(/\s+/g, " ").slice(0, 300);
}

/** True if a hosted agent gave this answer. */
export function isHostedAnswer(extra: unknown): extra is HostedExtra {
  const { kind, hosted } = fieldsOf(extra);
  return kind === "hosted" && typeof fieldsOf(hosted)["session"] === "string";
}
