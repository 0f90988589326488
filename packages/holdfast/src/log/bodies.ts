import type {
  IntentBody,
  PromptBody,
  ToolBody,
  TranscriptBody,
  TranscriptMessage,
} from "../agent/message.ts";
import type { LaneEvent } from "../kernel/event.ts";

/** A body that an event names; some kinds of bodies name others. */
export interface NamedBody {
  readonly hash: string;
  readonly kind: "prompt" | "intent" | "result" | "transcript" | "plain";
}

/** Every body that an event names, at any depth. */
export function bodiesNamedBy(event: LaneEvent): NamedBody[] {
  return hashesIn(event).map(({ hash, key }) => ({ hash, kind: kindOf(event, key) }));
}

/** The bodies that a body names: files of prompts and results, old contents of files, results of runs. */
export function bodiesNamedIn({ kind }: NamedBody, content: Uint8Array): NamedBody[] {
  if (kind === "plain") return [];
  const text = new TextDecoder().decode(content);
  switch (kind) {
    case "prompt": {
      const { attachments = [] }: PromptBody = JSON.parse(text);
      return attachments.map(({ hash }) => plain(hash));
    }
    case "intent": {
      const { files }: IntentBody = JSON.parse(text);
      return files.flatMap(({ before }) => (before === null ? [] : [plain(before)]));
    }
    case "result": {
      const { files = [] }: ToolBody = JSON.parse(text);
      return files.map(({ hash }) => plain(hash));
    }
    case "transcript": {
      const transcript: TranscriptBody = JSON.parse(text);
      if ("messages" in transcript) return transcript.messages.flatMap(namedInMessage);
      return transcript.pages.map(({ hash }) => ({ hash, kind: "transcript" }));
    }
  }
}

export function namedInMessage(message: TranscriptMessage): NamedBody[] {
  if (message.role === "assistant") return [];
  if (message.role === "tool") return (message.files ?? []).map(({ hash }) => plain(hash));
  const { attachments, outcome, resultOf } = message;
  const results = [outcome?.result, resultOf?.outcome.result].filter(
    (hash) => typeof hash === "string",
  );
  return [...attachments.map(({ hash }) => plain(hash)), ...results.map(plain)];
}

function kindOf(event: LaneEvent, key: string): NamedBody["kind"] {
  if (key === "transcript") return "transcript";
  if (key !== "body") return "plain";
  if (event.type === "tool.started") return "intent";
  if (event.type === "tool.ended") return "result";
  // What a child's outcome brings back is its result's body.
  const isResult = event.type === "prompt.accepted" && event.resultOf !== null;
  if (isResult) return "plain";
  return event.type === "prompt.accepted" || event.type === "prompt.edited" ? "prompt" : "plain";
}

function hashesIn(event: LaneEvent): { hash: string; key: string }[] {
  const found: { hash: string; key: string }[] = [];
  const look = (value: unknown, key: string): void => {
    const names = key === "body" || key === "result" || key === "transcript";
    if (typeof value === "string" && names) found.push({ hash: value, key });
    else if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) look(part, name);
    }
  };
  look(event, "");
  return found;
}

function plain(hash: string): NamedBody {
  return { hash, kind: "plain" };
}
