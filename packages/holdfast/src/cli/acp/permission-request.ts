import type { AskContent } from "@holdfast/sdk";
import { oneLine, printable } from "../terminal/printable.ts";
import { diffBlocks } from "./diff-blocks.ts";
import { fieldsOf } from "../../base/json-rpc.ts";
import type { PermissionOption, ToolCall } from "./protocol.ts";
import { textContent } from "./tool-calls.ts";
import type { PermissionAsk, Reply } from "../terminal/question.ts";
import { omittedNote, permissionOf } from "../terminal/question.ts";

/** A permission request or question in the form of the editor's protocol. */
export interface Put {
  readonly method: string;
  readonly params: object;
  /** Reads the editor's answer. Null if the person did not answer: the ask stays open. */
  readonly read: (answer: unknown) => Reply | null;
}

export interface PutOptions {
  /** Id of the session that the editor has opened. Asks of its child sessions are shown there too. */
  readonly sessionId: string;
  readonly directory: string;
  readonly toolCallId: string;
  /** True if the editor can show a form with a text field. */
  readonly hasForms: boolean;
}

/**
 * Converts an ask to a request for the editor. Any agent can write the content of an ask, so nothing in it is trusted.
 */
export function putAsk(content: AskContent | null, options: PutOptions): Put {
  const { question = "", extra = null } = content ?? {};
  const permission = permissionOf(extra);
  const title = oneLine(question, 300);
  if (permission !== null) {
    const call = { title, ...previewOf(permission, options.directory) };
    return withOptions(call, permissionAnswers(permission), options);
  }
  const { kind, choices: offered } = fieldsOf(extra);
  const choices = (Array.isArray(offered) ? offered : []).map((choice) => String(choice));
  if (kind !== "question") return withOptions({ title }, [once, no], options);
  if (choices.length === 0 && options.hasForms) return withForm(question, options);
  const words = `${question}\n\n${choices.length === 0 ? elsewhere : ""}`.trimEnd();
  const answers = choices.map((choice, index): Answer => {
    const name = oneLine(choice, 200);
    const option = { optionId: `choice-${index + 1}`, name, kind: "allow_once" } as const;
    return { ...option, reply: { verdict: "allow", text: choice } };
  });
  const call = { title, content: [textContent(printable(words), "other")] };
  return withOptions(call, [...answers, decide], options);
}

type Answer = PermissionOption & { readonly reply: Reply };

const once: Answer = {
  optionId: "once",
  name: "Allow once",
  kind: "allow_once",
  reply: { verdict: "allow" },
};

const no: Answer = {
  optionId: "no",
  name: "Reject",
  kind: "reject_once",
  reply: { verdict: "deny" },
};

const undecided: Reply = {
  verdict: "deny",
  text: "Nobody has answered. Decide yourself, or stop and say what you need to know.",
};

const decide: Answer = {
  optionId: "decide",
  name: "Let the agent decide",
  kind: "reject_once",
  reply: undecided,
};

const elsewhere =
  "This editor has no text field for an answer. Use `holdfast attach` or the web page.";

function permissionAnswers({ remembers }: PermissionAsk): readonly Answer[] {
  if (remembers === null) return [once, no];
  const rule = oneLine(remembers, 100);
  const always = (["session", "project"] as const).map((remember): Answer => ({
    optionId: remember,
    name: `Always in this ${remember} (${rule})`,
    kind: "allow_always",
    reply: { verdict: "allow", remember },
  }));
  return [once, ...always, no];
}

/** The preview of the action. A cut diff is sent as text, because an editor would show it as the whole change. */
function previewOf(
  { permission }: PermissionAsk,
  directory: string,
): Pick<ToolCall, "content" | "locations"> {
  const preview = printable(permission.preview);
  const note = omittedNote(permission);
  const isWhole = permission.action === "change" && note === null;
  const blocks = isWhole ? diffBlocks(preview, directory) : null;
  const text = note === null ? preview : `${preview}\n${note}`;
  return blocks ?? { content: [textContent(text, "execute")] };
}

function withOptions(
  call: Omit<ToolCall, "toolCallId">,
  answers: readonly Answer[],
  { sessionId, toolCallId }: PutOptions,
): Put {
  const options = answers.map(({ optionId, name, kind }): PermissionOption => {
    return { optionId, name, kind };
  });
  return {
    method: "session/request_permission",
    params: { sessionId, toolCall: { toolCallId, status: "pending", ...call }, options },
    read: (answer) => {
      const { outcome, optionId } = fieldsOf(fieldsOf(answer)["outcome"]);
      if (outcome !== "selected") return null;
      return answers.find((option) => option.optionId === optionId)?.reply ?? null;
    },
  };
}

function withForm(question: string, { sessionId, toolCallId }: PutOptions): Put {
  const requestedSchema = {
    type: "object",
    properties: { answer: { type: "string", title: "Answer" } },
    required: ["answer"],
  };
  return {
    method: "elicitation/create",
    params: { mode: "form", sessionId, toolCallId, message: printable(question), requestedSchema },
    read: (answer) => {
      const { action, content } = fieldsOf(answer);
      if (action === "decline") return undecided;
      const { answer: text } = fieldsOf(content);
      return action === "accept" && typeof text === "string" ? { verdict: "allow", text } : null;
    },
  };
}
