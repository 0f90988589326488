import { Refused } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { fieldsOf } from "./json-rpc.ts";
import type { Peer } from "./json-rpc.ts";
import { putAsk } from "./permission-request.ts";
import type { PutOptions } from "./permission-request.ts";
import { textBlock } from "./protocol.ts";
import type { SessionUpdate } from "./protocol.ts";
import type { EventOf } from "./tool-calls.ts";

/** Puts asks to the person in the editor. Whoever answers first, there or elsewhere, has answered. */
export interface AskDesk {
  opened(ask: EventOf<"ask.opened">): void;
  /** It was answered or is not needed any more: the editor need not show it. */
  closed(ask: EventOf<"ask.closed">): void;
}

export function createAskDesk(options: {
  holdfast: Holdfast;
  peer: Peer;
  /** The one that the editor has opened. */
  sessionId: string;
  directory: string;
  hasForms: boolean;
  say: (update: SessionUpdate) => void;
  /** What the editor knows a call of the session by. */
  idOf: (callId: string) => string | null;
  onError: (error: unknown) => void;
}): AskDesk {
  const { holdfast, peer, say, idOf, onError } = options;
  const open = new Map<string, { controller: AbortController; ownCall: string | null }>();
  const put = async (ask: EventOf<"ask.opened">, putting: PutOptions, signal: AbortSignal) => {
    const { method, params, read } = putAsk(ask.content, putting);
    const answer = await peer.request(method, params, signal).catch(() => {
      if (!signal.aborted) mute(ask);
      return null;
    });
    const reply = answer === null || signal.aborted ? null : read(answer);
    // Dismissed, or the editor cancels the prompt: that is told in its own way.
    if (reply !== null) await holdfast.session(ask.sessionId).answer(ask.askId, reply);
  };
  /** An editor that can't be asked: people are told where they can answer. */
  const mute = ({ content, sessionId }: EventOf<"ask.opened">): void => {
    const advice = `\`holdfast attach ${sessionId}\` and the web page take it`;
    const text = `\n\n*This waits for an answer: ${content?.question ?? ""} ${advice}.*\n\n`;
    say({ sessionUpdate: "agent_message_chunk", content: textBlock(text) });
  };
  return {
    opened: (ask) => {
      if (open.has(ask.askId)) return;
      const controller = new AbortController();
      const callId = ask.sessionId === options.sessionId ? callOf(ask) : null;
      const known = callId === null ? null : idOf(callId);
      const toolCallId = known ?? `ask/${ask.askId}`;
      open.set(ask.askId, { controller, ownCall: known === null ? toolCallId : null });
      put(ask, { ...options, toolCallId }, controller.signal).catch((error: unknown) => {
        // It was answered elsewhere, or its run was stopped, in the same moment.
        const isLate = error instanceof Refused && error.code === "askClosed";
        if (!isLate) onError(error);
      });
    },
    closed: ({ askId, resolution }) => {
      const ask = open.get(askId);
      open.delete(askId);
      ask?.controller.abort();
      if (ask === undefined || ask.ownCall === null) return;
      // Nothing else will say how this one went.
      const isYes = resolution.kind === "answered" && resolution.verdict === "allow";
      const status = isYes ? "completed" : "failed";
      say({ sessionUpdate: "tool_call_update", toolCallId: ask.ownCall, status });
    },
  };
}

/** The call that it is about; a question that is a call's whole work names it in its content. */
function callOf({ callId, content }: EventOf<"ask.opened">): string | null {
  const { callId: asking } = fieldsOf(content?.extra);
  return callId ?? (typeof asking === "string" ? asking : null);
}
