import type { AskContent } from "@holdfast/sdk";
import { oneLine, printable } from "../terminal/printable.ts";
import { diffBlocks } from "./diff-blocks.ts";
import { fieldsOf } from "./json-rpc.ts";
import type { PermissionOption, ToolCall } from "./protocol.ts";
import { textContent } from "./tool-calls.ts";
import type { PermissionAsk, Reply } from "../terminal/question.ts";
import { permissionOf } from "../terminal/question.ts";

/** An ask as it is put to a person in an editor. */
export interface Put {
  readonly method: string;
  readonly params: object;
  /** Null where nobody has answered: the ask stays open. */
  readonly read: (answer: unknown) => Reply | null;
}

export interface PutOptions {
  /** What the editor knows the session by: asks of its children are put there too. */
  readonly sessionId: string;
  readonly directory: string;
  readonly toolCallId: string;
  /** It has a form to type words in. */
  readonly hasForms: boolean;
}

/** Out of an ask's content, which agents of all kinds write: nothing in it is taken for granted. */
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
  text: "Nobody has answered. Decide it yourself, or end and say what you need to know.",
};

const decide: Answer = {
  optionId: "decide",
  name: "Let the agent decide",
  kind: "reject_once",
  reply: undecided,
};

const elsewhere =
  "This editor has no place to type an answer in: `holdfast attach` and the web page do.";

function permissionAnswers({ remembers }: PermissionAsk): readonly Answer[] {
  if (remembers === null) return [once, no];
  const rule = oneLine(`${remembers.action} ${remembers.pattern}`, 100);
  const always = (["session", "project"] as const).map((remember): Answer => ({
    optionId: remember,
    name: `Always in this ${remember} (${rule})`,
    kind: "allow_always",
    reply: { verdict: "allow", remember },
  }));
  return [once, ...always, no];
}

/** All of what would happen, cut nowhere. */
function previewOf(
  { permission }: PermissionAsk,
  directory: string,
): Pick<ToolCall, "content" | "locations"> {
  const preview = printable(permission.preview);
  const blocks = permission.action === "change" ? diffBlocks(preview, directory) : null;
  return blocks ?? { content: [textContent(preview, "execute")] };
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
