import { fieldsOf } from "../../base/json-rpc.ts";
import { AgentFailure } from "../agent.ts";
import type { AgentContext } from "../agent.ts";
import type { Message, UserMessage } from "../message.ts";
import type { ForeignSession } from "./foreign-session.ts";
import type { Past, PastCall, PastTurn, TurnMode } from "./past-turns.ts";
import { continuationOf, transcriptOf } from "./prompt-blocks.ts";
import { replayHolds } from "./replay.ts";

/** The content of the next turn. */
export interface TurnPlan {
  readonly mode: TurnMode;
  /** Prompts whose text and attachments the turn sends. */
  readonly prompts: readonly UserMessage[];
  readonly introduction: string;
  /** Message for people about the agent's session; null: none. */
  readonly note: string | null;
}

interface Known {
  readonly past: Past;
  /** The earlier turns of this run. */
  readonly own: readonly PastTurn[];
  /** Prompts of the run that were not sent yet. */
  readonly waiting: readonly UserMessage[];
  readonly context: Pick<AgentContext, "prompts">;
  readonly session: Pick<ForeignSession, "id" | "replay">;
}

/** Decides which prompts and texts the next turn sends (H2). */
export function planTurn(known: Known): TurnPlan {
  const { past, own, waiting, context, session } = known;
  const last = own.at(-1);
  if (last === undefined || last.status === "completed") return planPrompt(known);
  const ended = own.findLastIndex(({ status }) => status === "completed") + 1;
  const [answered, lost] = [own.slice(0, ended), own.slice(ended)];
  const prompts = context.prompts.filter(({ promptId }) => !wasSent(answered, promptId));
  const replay = session.replay();
  const holdsPrompt = replay !== null && replayHolds(replay, past.turns);
  const acted = lost.some(({ calls }) => calls.length > 0);
  if (!acted && !holdsPrompt) {
    if (lost.length > 1) {
      throw new AgentFailure(
        "interrupted",
        "The prompt was sent twice, and the agent lost it both times.",
      );
    }
    return { mode: "resend", prompts, introduction: "", note: null };
  }
  const calls = own.flatMap((turn) => turn.calls);
  const uncertain = new Set(calls.filter(isUncertain).map(promptOf));
  const sent = prompts.filter((prompt) => !waiting.includes(prompt));
  const textsOf = (isWanted: (promptId: string) => boolean): string[] =>
    sent.flatMap(({ promptId, text }) => (text !== "" && isWanted(promptId) ? [text] : []));
  const introduction = continuationOf(calls, {
    request: textsOf((promptId) => !uncertain.has(promptId)).join("\n"),
    uncertainSteers: textsOf((promptId) => uncertain.has(promptId)),
  });
  return { mode: "continue", prompts: waiting, introduction, note: null };
}

/** Plans a turn that sends prompts for the first time. A new session of the agent starts with the transcript (H3). */
function planPrompt({ past, waiting, context, session }: Known): TurnPlan {
  const ids = new Set(context.prompts.map(({ promptId }) => promptId));
  const isEarlier = (message: Message): boolean =>
    message.role !== "user" || !ids.has(message.promptId);
  const isNew = session.id !== past.session;
  const wasLost = isNew && past.session !== null;
  const messages = wasLost ? past.all : past.missed;
  return {
    mode: "prompt",
    prompts: waiting,
    introduction: transcriptOf(messages.filter(isEarlier)),
    note: noteOf({ wasLost, isCopied: isNew && past.isCopy }),
  };
}

function noteOf({ wasLost, isCopied }: { wasLost: boolean; isCopied: boolean }): string | null {
  if (wasLost) return "The agent lost its session, so a new one starts with the transcript.";
  if (isCopied) {
    return "This conversation is a copy, so a new session of the agent starts with the transcript.";
  }
  return null;
}

/**
 * True if a prompt was sent to the agent: with a turn, or during a turn as a steered prompt that the agent has accepted
 * or whose answer is unknown (H6).
 */
export function wasSent(turns: readonly PastTurn[], promptId: string): boolean {
  return turns.some(
    ({ prompts, calls }) =>
      prompts.includes(promptId) ||
      calls.some((call) => (isUncertain(call) || isAccepted(call)) && promptOf(call) === promptId),
  );
}

function isUncertain({ name, status }: PastCall): boolean {
  return name === "steer" && status === "inDoubt";
}

function isAccepted({ name, status }: PastCall): boolean {
  return name === "steer" && status === "completed";
}

function promptOf({ input }: PastCall): string | null {
  const { promptId } = fieldsOf(input);
  return typeof promptId === "string" ? promptId : null;
}
