import { z } from "zod";
import { component } from "./component.ts";
import { idSchema, wholeSchema } from "./scalars.ts";
import type { Wire } from "./component.ts";

const coveredChild = z.object({ sessionId: z.string(), promptId: z.string() });

/** Response to a cancel: exactly the prompts that the cancel applied to, and the state of each (C4). */
export const receiptSchema = component("Receipt", () =>
  z.object({
    cancelId: z.string(),
    mark: wholeSchema.nullable().describe("highest acceptSeq that the cancel covers"),
    covered: z.array(
      z.object({
        promptId: z.string(),
        acceptSeq: wholeSchema,
        was: z.enum(["queued", "steering", "running", "takenIn"]),
        runId: z.string().nullable(),
      }),
    ),
    work: z.array(z.string()).describe("ids of exclusive work that the cancel ended"),
    children: z
      .array(coveredChild)
      .describe("live descendants that the covered run waits for, at any depth"),
    background: z
      .array(coveredChild)
      .describe("all other live descendants; always listed, covered only with `tree`"),
    tree: z.boolean(),
  }),
);
export type Receipt = Wire<typeof receiptSchema>;

const cancelId = idSchema
  .optional()
  .describe("id chosen by the sender; a repeated request returns the same receipt");

export const cancelBody = component("CancelInput", () =>
  z.strictObject({
    cancelId,
    upTo: wholeSchema
      .nullable()
      .optional()
      .describe("an acceptSeq: prompts accepted after it are not cancelled"),
    tree: z.boolean().optional().describe("also cancel every descendant, at any depth"),
  }),
);

export const clearBody = component("ClearInput", () => z.strictObject({ cancelId }));

export const withdrawQuery = { cancelId };
