import { z } from "zod";
import { askAnswerSchema, askResolutionSchema } from "./ask.ts";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import {
  answerContent,
  askContent,
  intentContent,
  promptContent,
  resultContent,
  toolContent,
} from "./event-content.ts";
import { holdSchema } from "./hold.ts";
import { toolStatusSchema } from "./message.ts";
import { budgetSchema, outcomeSchema, usageSchema } from "./outcome.ts";
import { deliverySchema, parentLinkSchema, resultOfSchema } from "./prompt.ts";
import { receiptSchema } from "./receipt.ts";
import { actorSchema, timeSchema, wholeSchema } from "./scalars.ts";
import { sessionModeSchema, sessionParentSchema } from "./session.ts";

const id = z.string();
const bodyHash = z.string().describe("hash of a stored body; `content` contains the body");
const writer = { fence: wholeSchema, attempt: wholeSchema };

const without = z
  .array(z.string())
  .optional()
  .describe(
    "resources of the directory that were missing, such as an MCP server that has not started yet",
  );

const asks = z.literal("ask").optional().describe("default: a spent budget fails the tree");
const accountId = z.string().describe("account of a prompt's or session's budget");

const budgetAsk = z.object({
  accountId,
  spent: usageSchema,
  limit: budgetSchema,
  raise: budgetSchema.describe("amount that is added to the limit if the answer names none"),
});

const runLimits = z.object({
  maxSteps: wholeSchema,
  stopGrace: wholeSchema,
  budget: budgetSchema.nullable(),
  onBudget: asks,
  askTime: wholeSchema
    .optional()
    .describe("milliseconds that an ask for a higher limit stays open"),
});

const tries = z
  .object({ total: wholeSchema, sinceStep: wholeSchema })
  .optional()
  .describe("attempts so far: in total, and since the last step; missing in old events");

const answeredCall = z.object({
  callId: id,
  name: z.string(),
  repeatable: z.boolean(),
  seen: z.literal(true).optional().describe("a hosted agent executes the call"),
});

const origin = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("fork"), sessionId: id, seq: wholeSchema, transcript: bodyHash }),
  z.object({ kind: z.literal("import"), transcript: bodyHash }),
]);

/** Builds the schema of one event type from its fields and the schema of its content. */
function event<Type extends string, Fields extends z.ZodRawShape, Content extends z.ZodType>(
  type: Type,
  fields: Fields,
  content: Content,
) {
  return z.object({
    sessionId: id,
    seq: wholeSchema,
    at: timeSchema,
    actor: actorSchema,
    version: z.literal(1),
    type: z.literal(type),
    ...fields,
    content,
    truncated: z
      .boolean()
      .describe("true: a text in `content` was cut; get the whole text at …/events/{seq}"),
  });
}

const noContent = z.null();

/** An immutable fact in a session's log, with its content (T2). */
export const eventSchema = component("WireEvent", () =>
  z.discriminatedUnion("type", [
    event(
      "session.created",
      {
        contentHash: z.string(),
        directory: z.string(),
        parent: sessionParentSchema.nullable(),
        budget: budgetSchema.nullable(),
        onBudget: asks,
        agent: z.string().optional(),
        origin: origin.nullable(),
      },
      noContent,
    ),
    event("session.renamed", { title: z.string(), auto: z.boolean() }, noContent),
    event("session.archived", { archived: z.boolean() }, noContent),
    event("session.modeSet", { mode: sessionModeSchema }, noContent),
    event("session.agentSet", { agent: z.string().nullable() }, noContent),
    event("session.deleted", { keepsTree: z.literal(true).optional() }, noContent),
    event(
      "prompt.accepted",
      {
        promptId: id,
        contentHash: z.string(),
        body: bodyHash.nullable(),
        delivery: deliverySchema,
        binding: z.object({ runId: id, expected: z.boolean() }).nullable(),
        reply: z.boolean(),
        expiresAt: timeSchema.nullable(),
        maxRunTime: wholeSchema.nullable(),
        budget: budgetSchema.nullable(),
        onBudget: asks,
        accounts: z.array(accountId).optional().describe("budgets that the run is charged to"),
        parent: parentLinkSchema.nullable(),
        resultOf: resultOfSchema.nullable(),
      },
      promptContent.nullable(),
    ),
    event(
      "prompt.edited",
      { promptId: id, revision: wholeSchema, body: bodyHash },
      promptContent.nullable(),
    ),
    event("prompt.moved", { promptId: id, before: id.nullable(), unbound: z.boolean() }, noContent),
    event("prompt.takenIn", { promptId: id, runId: id.nullable() }, noContent),
    event("prompt.returned", { promptId: id, runId: id }, noContent),
    event("prompt.settled", { promptId: id, outcome: outcomeSchema }, resultContent.nullable()),
    event("prompt.tombstoned", { promptId: id, outcome: outcomeSchema }, noContent),
    event("prompt.unwanted", { promptId: id }, noContent),
    event(
      "run.started",
      {
        runId: id,
        promptId: id,
        owner: id,
        generation: z.string().nullable(),
        without,
        limits: runLimits,
        deadline: timeSchema.nullable(),
        ...writer,
      },
      noContent,
    ),
    event(
      "run.resumed",
      {
        runId: id,
        owner: id,
        generation: z.string().nullable(),
        without,
        formerGeneration: z.string().nullable(),
        tries,
        ...writer,
      },
      noContent,
    ),
    event("run.suspended", { runId: id, cutOffAt: timeSchema, ...writer }, noContent),
    event("run.handedOver", { runId: id, tries, ...writer }, noContent),
    event(
      "run.stopping",
      {
        runId: id,
        outcome: outcomeSchema,
        mark: wholeSchema.nullable(),
        deadline: timeSchema,
      },
      noContent,
    ),
    event(
      "run.closing",
      { runId: id, attempt: wholeSchema, outcome: outcomeSchema, mark: wholeSchema.nullable() },
      noContent,
    ),
    event(
      "run.ended",
      { runId: id, attempt: wholeSchema, outcome: outcomeSchema, usage: usageSchema },
      resultContent.nullable(),
    ),
    event(
      "step.opened",
      {
        runId: id,
        step: wholeSchema,
        within: id.optional().describe("active call whose hosted agent reports this step"),
        ...writer,
      },
      noContent,
    ),
    event(
      "step.answered",
      {
        runId: id,
        step: wholeSchema,
        body: bodyHash,
        calls: z.array(answeredCall),
        usage: usageSchema,
        interrupted: z.boolean(),
        ...writer,
      },
      answerContent.nullable(),
    ),
    event(
      "tool.started",
      { runId: id, callId: id, body: bodyHash.nullable(), ...writer },
      intentContent.nullable(),
    ),
    event(
      "tool.ended",
      { runId: id, callId: id, status: toolStatusSchema, body: bodyHash.nullable(), ...writer },
      toolContent.nullable(),
    ),
    event(
      "ask.opened",
      {
        runId: id,
        askId: id,
        callId: id.nullable(),
        within: id.optional().describe("active call that needs the answer to continue"),
        body: bodyHash.nullable(),
        expiresAt: timeSchema.nullable(),
        budget: budgetAsk.optional().describe("for an ask for a higher limit"),
        ...writer,
      },
      askContent.nullable(),
    ),
    event("run.waiting", { runId: id, accountId }, noContent),
    event("run.woken", { runId: id, accountId }, noContent),
    event(
      "ask.closed",
      { runId: id, askId: id, resolution: askResolutionSchema },
      askAnswerSchema.nullable(),
    ),
    event(
      "child.linked",
      {
        runId: id,
        childSessionId: id,
        childPromptId: id,
        background: z.boolean(),
        callId: id.nullable(),
        origin: id.optional(),
        acceptSeq: wholeSchema.optional(),
        ...writer,
      },
      noContent,
    ),
    event(
      "child.settled",
      {
        childSessionId: id,
        childPromptId: id,
        outcome: outcomeSchema,
        usage: usageSchema,
        branch: z.literal(true).optional(),
      },
      resultContent.nullable(),
    ),
    event("branch.ended", { childSessionId: id, childPromptId: id }, noContent),
    event("cancel.committed", { receipt: receiptSchema, promptId: id.nullable() }, noContent),
    event("hold.placed", { hold: holdSchema }, noContent),
    event(
      "hold.released",
      {
        holdId: id,
        cause: z.enum(["person", "refresh", "retryTime", "newPrompt", "runEnded", "deleted"]),
        resumesRun: z
          .boolean()
          .optional()
          .describe("whether the release lets the paused run resume; missing in old events"),
      },
      noContent,
    ),
    event(
      "work.queued",
      { workId: id, name: z.string(), body: bodyHash.nullable() },
      z.unknown().describe("the requested work"),
    ),
    event(
      "work.started",
      { workId: id, owner: id, fence: wholeSchema, stopGrace: wholeSchema },
      noContent,
    ),
    event("work.stopping", { workId: id, deadline: timeSchema }, noContent),
    event(
      "work.ended",
      {
        workId: id,
        cause: z.enum(["done", "cancelled", "enforced", "takeover", "deleted"]),
        body: bodyHash.nullable(),
      },
      z.unknown().describe("the result of the work"),
    ),
  ]),
);
export type WireEvent = Wire<typeof eventSchema>;
