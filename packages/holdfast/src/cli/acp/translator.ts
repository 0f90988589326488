import { trackInFlight } from "@holdfast/sdk";
import type {
  DeltaItem,
  InFlight,
  Message,
  PromptContent,
  SnapshotItem,
  WireEvent,
} from "@holdfast/sdk";
import { textBlock } from "./protocol.ts";
import { createTerminals } from "./terminals.ts";
import type { SessionUpdate } from "./protocol.ts";
import { createToolCalls, planOf } from "./tool-calls.ts";
import type { EventOf, ToolCalls } from "./tool-calls.ts";

/** Translates each event of a session once, to updates for the editor. */
export interface Translator {
  /** Reports a message that the session got from a fork or an import; no event contains it. */
  origin(message: Message): void;
  take(item: WireEvent | DeltaItem | SnapshotItem): void;
  readonly calls: ToolCalls;
}

/**
 * Translates events to updates for the editor. Editors cannot remove text, so the shown text of a step is remembered
 * until the step is in the log. If the step restarts with the same text, only the continuation is shown; otherwise a
 * new message is started.
 */
export function createTranslator(options: {
  directory: string;
  /** True if the editor shows the output of commands as terminals. */
  hasTerminals: boolean;
  /** Returns the context window of a model in tokens. Null: unknown. */
  windowOf: (model: string) => number | null;
  say: (update: SessionUpdate) => void;
  /** True for prompts that the editor itself has sent and shows already. */
  isOwn: (promptId: string) => boolean;
}): Translator {
  const { isOwn } = options;
  let last: SessionUpdate["sessionUpdate"] | null = null;
  const say = (update: SessionUpdate): void => {
    last = update.sessionUpdate;
    options.say(update);
  };
  const { directory, hasTerminals } = options;
  const calls = createToolCalls(directory, hasTerminals ? createTerminals(directory) : null);
  const tracker = trackInFlight();
  const reportUsage = createUsageReport(options.windowOf);
  const prompts = new Map<string, PromptWords>();
  const message = (kind: "agent_message_chunk" | "agent_thought_chunk"): GrowingMessage =>
    createMessage((messageId, { text, goesOn }) => {
      // Some editors do not separate consecutive messages.
      const gap = !goesOn && last === kind ? "\n\n" : "";
      say({ sessionUpdate: kind, content: textBlock(gap + text), messageId });
    });
  const answers = message("agent_message_chunk");
  const thoughts = message("agent_thought_chunk");
  let isCut = false;

  const fresh = (): void => {
    answers.end();
    thoughts.end();
    isCut = false;
  };
  const show = (step: InFlight | null): void => {
    if (step === null || isCut) return;
    const key = `${step.runId}/${step.step}/${step.attempt}`;
    thoughts.show(key, step.reasoning);
    answers.show(key, step.text);
    for (const { callId, text } of step.calls) progress(callId, text);
  };
  const shownOutput = new Map<string, string>();
  const progress = (callId: string, output: string): void => {
    if (shownOutput.get(callId) === output) return;
    shownOutput.set(callId, output);
    const update = calls.progress(callId, output);
    if (update !== null) say({ sessionUpdate: "tool_call_update", ...update });
  };
  const answered = (event: Answered): void => {
    const { runId, step } = event;
    const { text = "", reasoning = null, summary = false, calls: asked = [] } = event.content ?? {};
    const key = `${runId}/${step}/${event.attempt}`;
    if (summary) thoughts.whole(key, "The conversation so far was summarised.");
    else {
      if (reasoning !== null) thoughts.finish(key, reasoning);
      answers.show(key, text);
    }
    fresh();
    for (const call of calls.asked({ runId, step, calls: asked })) {
      say({ sessionUpdate: "tool_call", ...call });
    }
  };
  const entered = (promptId: string): void => {
    const words = prompts.get(promptId);
    prompts.delete(promptId);
    if (words === undefined || isOwn(promptId)) return;
    fresh();
    const sessionUpdate = words.isResult ? "agent_thought_chunk" : "user_message_chunk";
    say({ sessionUpdate, content: textBlock(words.text), messageId: promptId });
  };
  const settled = ({ promptId, outcome, content }: EventOf<"prompt.settled">): void => {
    if (isOwn(promptId)) prompts.delete(promptId);
    if (isOwn(promptId) || outcome.status === "completed") return;
    entered(promptId);
    const why = [outcome.reason ?? "", content?.text ?? ""].filter((part) => part !== "");
    const words = why.length === 0 ? outcome.status : `${outcome.status}: ${why.join(", ")}`;
    answers.whole(promptId, `*${words}*`);
  };
  const event = (item: WireEvent): void => {
    if (item.type === "prompt.accepted" || item.type === "prompt.edited") {
      const isResult = item.type === "prompt.accepted" && item.resultOf !== null;
      prompts.set(item.promptId, { text: wordsOf(item.content), isResult });
    }
    if (item.type === "run.started") last = null;
    if (item.type === "run.started" || item.type === "prompt.takenIn") entered(item.promptId);
    if (item.type === "prompt.settled") settled(item);
    if (item.type === "step.answered") {
      answered(item);
      const usage = reportUsage(item);
      // A summary replaces the conversation, so the tokens of the request that made the summary are not the new context
      // size.
      if (usage !== null && item.content?.summary !== true) options.say(usage);
    }
    if (item.type === "run.ended") fresh();
    if (item.type === "tool.started") update(calls.started(item));
    if (item.type === "tool.ended") {
      shownOutput.delete(item.callId);
      update(calls.ended(item));
      const entries = planOf(item.content);
      if (entries !== null) say({ sessionUpdate: "plan", entries });
    }
    if (item.type === "session.renamed") {
      const updatedAt = new Date(item.at).toISOString();
      say({ sessionUpdate: "session_info_update", title: item.title, updatedAt });
    }
  };
  const update = (call: ReturnType<ToolCalls["started"]>): void => {
    if (call !== null) say({ sessionUpdate: "tool_call_update", ...call });
  };
  return {
    calls,
    origin: (message) => {
      if (message.role === "user") {
        const content = textBlock(wordsOf(message));
        say({ sessionUpdate: "user_message_chunk", content, messageId: message.promptId });
      } else if (message.role === "assistant") {
        answered({ ...message, attempt: 0, content: message });
      } else update(calls.ended({ ...message, content: message }));
    },
    take: (item) => {
      const current = tracker.take(item);
      if (item.type === "snapshot" || item.type === "delta") {
        // If the beginning of the text was cut off, wait for the event, which has the whole text.
        if (item.type === "snapshot") isCut = item.cut;
        show(current);
      } else event(item);
    },
  };
}

type Answered = Pick<EventOf<"step.answered">, "runId" | "step" | "attempt" | "content">;

interface PromptWords {
  readonly text: string;
  /** True for the result of a background child, which no person has typed. */
  readonly isResult: boolean;
}

function wordsOf(content: PromptContent | null): string {
  const { text = "", attachments = [], command } = content ?? {};
  const words = command === undefined ? text : `/${command.name} ${command.arguments}`.trimEnd();
  return [words, ...attachments.map(({ name }) => `[${name ?? "a file"}]`)].join("\n");
}

interface GrowingMessage {
  /** Shows the text so far. Only the new part is sent. */
  show(key: string, text: string): void;
  /** Shows the final text if it continues the shown text. Otherwise the shown text stays as it is. */
  finish(key: string, text: string): void;
  /** Shows a complete message. */
  whole(key: string, text: string): void;
  end(): void;
}

function createMessage(
  add: (key: string, piece: { text: string; goesOn: boolean }) => void,
): GrowingMessage {
  let shown = "";
  const message: GrowingMessage = {
    show: (key, text) => {
      if (shown.startsWith(text)) return;
      const goesOn = shown !== "" && text.startsWith(shown);
      add(key, { text: goesOn ? text.slice(shown.length) : text, goesOn });
      shown = text;
    },
    finish: (key, text) => {
      if (text.startsWith(shown)) message.show(key, text);
    },
    whole: (key, text) => {
      message.end();
      message.show(key, text);
      message.end();
    },
    end: () => {
      shown = "";
    },
  };
  return message;
}

/** Returns a function that reports the tokens in the model's context and the cost of the session after each answer. */
function createUsageReport(
  windowOf: (model: string) => number | null,
): (event: EventOf<"step.answered">) => SessionUpdate | null {
  let amount = 0;
  return ({ usage, content }) => {
    amount += usage.cost;
    const model = content?.model ?? null;
    // A hosted agent reports its context itself.
    const size = content?.context?.size ?? (model === null ? null : windowOf(model));
    const used = content?.context?.used ?? usage.inputTokens + usage.outputTokens;
    // The protocol requires both numbers, so report nothing if the context window is unknown or the provider counts
    // no tokens.
    if (size === null || used === 0) return null;
    const cost = amount > 0 ? { cost: { amount, currency: "USD" as const } } : {};
    return { sessionUpdate: "usage_update", used, size, ...cost };
  };
}
