import type { Attachment } from "../../contract/attachment.ts";
import type { WireEvent } from "../../contract/event.ts";
import type { LaneEvent } from "../../kernel/event.ts";
import { budgetQuestion } from "../../runtime/views/budget-question.ts";
import { readBody } from "../../log/read-body.ts";
import type { BodyReader } from "../../log/read-body.ts";
import { inherited } from "../../log/transcript.ts";
import { answerContent } from "./answer.ts";

/** Longer texts are cut where events are streamed, so that one event cannot fill a reader's buffer. */
const maxText = 64 * 1024;

/** An event as clients get it: with the body that it names, whole or with its long texts cut. */
export async function wireEvent(
  bodies: BodyReader,
  event: LaneEvent,
  options: { whole?: boolean } = {},
): Promise<WireEvent> {
  const whole = (await contentOf(bodies, event)) ?? null;
  const cut = { isCut: false };
  const content = options.whole === true ? whole : shorten(whole, cut);
  const fields: WireFields = withoutLimit(event);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- contentOf says which goes with which
  return { ...fields, content, truncated: cut.isCut } as WireEvent;
}

/** The directories of one token are nothing for the holders of others. */
function withoutLimit(event: LaneEvent): LaneEvent {
  if (!("directories" in event)) return event;
  const { directories: _, ...rest } = event;
  return rest;
}

/** What a call has shown the model besides its output, or all that a fork or an import has brought along. */
export async function filesOf(
  bodies: BodyReader,
  event: LaneEvent,
): Promise<readonly Attachment[]> {
  if (event.type === "tool.ended") {
    const content = await readBody<{ files?: readonly Attachment[] }>(bodies, event.body);
    return content?.files ?? [];
  }
  if (event.type !== "session.created") return [];
  return (await inherited(bodies, event)).flatMap((message) => {
    if (message.role === "user") return message.attachments;
    return message.role === "tool" ? (message.files ?? []) : [];
  });
}

type WireFields = WireEvent extends infer Case
  ? Case extends WireEvent
    ? Omit<Case, "content" | "truncated">
    : never
  : never;

/** The body that an event names, in the shape that the contract gives it; undefined for unknown kinds. */
function contentOf(bodies: BodyReader, event: LaneEvent): Promise<unknown> | null | undefined {
  switch (event.type) {
    case "prompt.accepted":
    case "prompt.edited":
      return promptContent(bodies, event.body);
    case "prompt.settled":
    case "run.ended":
    case "child.settled":
      return readBody(bodies, event.outcome.result);
    case "step.answered":
      return answerContent(bodies, event.body);
    case "tool.started":
    case "tool.ended":
    case "work.queued":
    case "work.ended":
      return readBody(bodies, event.body);
    case "ask.opened":
      return event.budget === undefined
        ? readBody(bodies, event.body)
        : Promise.resolve(budgetQuestion(event.budget));
    case "ask.closed":
      return event.resolution.kind === "answered" ? askAnswer(bodies, event.resolution.body) : null;
    case "session.created":
    case "session.renamed":
    case "session.archived":
    case "session.deleted":
    case "prompt.moved":
    case "prompt.takenIn":
    case "prompt.returned":
    case "prompt.tombstoned":
    case "prompt.unwanted":
    case "branch.ended":
    case "run.started":
    case "run.resumed":
    case "run.suspended":
    case "run.handedOver":
    case "run.stopping":
    case "run.closing":
    case "run.waiting":
    case "run.woken":
    case "step.opened":
    case "child.linked":
    case "cancel.committed":
    case "hold.placed":
    case "hold.released":
    case "work.started":
    case "work.stopping":
      return null;
  }
}

async function promptContent(bodies: BodyReader, hash: string | null): Promise<object | null> {
  const body = await readBody<{ attachments?: readonly unknown[] }>(bodies, hash);
  return body === null ? null : { ...body, attachments: body.attachments ?? [] };
}

async function askAnswer(bodies: BodyReader, hash: string | null): Promise<object | null> {
  const body = await readBody<{ text?: string; remember?: string }>(bodies, hash);
  return body === null ? null : { text: body.text ?? null, remember: body.remember ?? null };
}

/** The same value with its long texts cut, at a place where no character is split. */
function shorten(value: unknown, cut: { isCut: boolean }): unknown {
  if (typeof value === "string") {
    if (value.length <= maxText) return value;
    cut.isCut = true;
    return value.slice(0, maxText).replace(/[\uD800-\uDBFF]$/, "");
  }
  if (Array.isArray(value)) return value.map((item) => shorten(item, cut));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item, cut)]));
}
