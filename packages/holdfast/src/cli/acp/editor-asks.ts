import { Refused } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { noticeWords } from "@holdfast/model/notice-words.ts";
import { fieldsOf } from "../../base/json-rpc.ts";
import type { Peer } from "../../base/json-rpc.ts";
import { putAsk } from "./permission-request.ts";
import type { PutOptions } from "./permission-request.ts";
import { textBlock } from "./protocol.ts";
import type { SessionUpdate } from "./protocol.ts";
import type { EventOf } from "./tool-calls.ts";
import { shortId } from "../ids.ts";

/**
 * Shows asks to the person in the editor. The first answer counts, whether it comes from the editor or from another
 * client.
 */
export interface EditorAsks {
  /** Does nothing if the editor already shows the ask. */
  opened(ask: OpenAsk): void;
  /** Removes an ask from the editor, because it was answered or is no longer needed. */
  closed(ask: EventOf<"ask.closed">): void;
  /** Removes all asks of a session from the editor, except those in the list. */
  keepOnly(sessionId: string, open: readonly OpenAsk[]): void;
}

export type OpenAsk = Pick<EventOf<"ask.opened">, "sessionId" | "askId" | "callId" | "content">;

interface ShownAsk {
  readonly sessionId: string;
  readonly controller: AbortController;
  /** Id of the tool call that the editor shows only for this ask; null if the ask belongs to a call of the session. */
  readonly ownCall: string | null;
}

export function createEditorAsks(options: {
  holdfast: Holdfast;
  peer: Peer;
  /** The session that the editor has opened. */
  sessionId: string;
  directory: string;
  hasForms: boolean;
  say: (update: SessionUpdate) => void;
  /** Returns the editor's id for a call of the session. */
  idOf: (callId: string) => string | null;
  onError: (error: unknown) => void;
}): EditorAsks {
  const { holdfast, peer, say, idOf, onError } = options;
  const shown = new Map<string, ShownAsk>();
  const put = async (ask: OpenAsk, putting: PutOptions, signal: AbortSignal) => {
    const { method, params, read } = putAsk(ask.content, putting);
    const answer = await peer.request(method, params, signal).catch(() => {
      if (!signal.aborted) askElsewhere(ask);
      return null;
    });
    const reply = answer === null || signal.aborted ? null : read(answer);
    // Send no answer if the person dismissed the ask or cancelled the prompt. A cancel is handled separately.
    if (reply !== null) await holdfast.session(ask.sessionId).answer(ask.askId, reply);
  };
  /** Tells the person where to answer an ask that the editor cannot show. */
  const askElsewhere = ({ content, sessionId }: OpenAsk): void => {
    const advice = `\`holdfast attach ${shortId(sessionId)}\` or the web page can answer it`;
    const text = `\n\n*${noticeWords.en.needsYou}: ${content?.question ?? ""} ${advice}.*\n\n`;
    say({ sessionUpdate: "agent_message_chunk", content: textBlock(text) });
  };
  const remove = (askId: string, status: "completed" | "failed"): void => {
    const ask = shown.get(askId);
    shown.delete(askId);
    ask?.controller.abort();
    if (ask === undefined || ask.ownCall === null) return;
    // The editor shows this question as a separate tool call. Only this message tells the editor how that tool call
    // ended.
    say({ sessionUpdate: "tool_call_update", toolCallId: ask.ownCall, status });
  };
  return {
    opened: (ask) => {
      if (shown.has(ask.askId)) return;
      const { sessionId } = ask;
      const controller = new AbortController();
      const callId = sessionId === options.sessionId ? callOf(ask) : null;
      const known = callId === null ? null : idOf(callId);
      const toolCallId = known ?? `ask/${ask.askId}`;
      const ownCall = known === null ? toolCallId : null;
      shown.set(ask.askId, { sessionId, controller, ownCall });
      put(ask, { ...options, toolCallId }, controller.signal).catch((error: unknown) => {
        // Another client answered the ask at the same moment, or its run was stopped.
        const isLate = error instanceof Refused && error.code === "askClosed";
        if (!isLate) onError(error);
      });
    },
    closed: ({ askId, resolution }) => {
      const isYes = resolution.kind === "answered" && resolution.verdict === "allow";
      remove(askId, isYes ? "completed" : "failed");
    },
    keepOnly: (sessionId, open) => {
      const ids = new Set(open.map(({ askId }) => askId));
      for (const [askId, ask] of shown) {
        if (ask.sessionId === sessionId && !ids.has(askId)) remove(askId, "failed");
      }
    },
  };
}

/** Returns the id of the call that the ask is about. A question tool names its own call in the content. */
function callOf({ callId, content }: OpenAsk): string | null {
  const { callId: asking } = fieldsOf(content?.extra);
  return callId ?? (typeof asking === "string" ? asking : null);
}
