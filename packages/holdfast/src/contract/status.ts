import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { timeSchema, wholeSchema } from "./scalars.ts";

export const healthSchema = component(
  "Health",
  z.object({
    status: z.literal("ok"),
    name: z.literal("holdfast"),
    version: z.string(),
    proof: z
      .string()
      .nullable()
      .describe("shows that the server knows the owner's token, without telling it"),
  }),
);

export const healthQuery = {
  nonce: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .optional()
    .describe("made up by the client: `proof` is made from it"),
};

export const readinessSchema = component("Readiness", z.object({ status: z.literal("ready") }));

export const statusSchema = component(
  "Status",
  z.object({
    version: z.string(),
    nodeId: z.string().nullable().describe("null while this process has no lease"),
    startedAt: timeSchema,
    state: z.enum(["ready", "draining"]),
    running: z
      .array(z.object({ sessionId: z.string(), runId: z.string() }))
      .describe("runs that this process executes"),
    waiting: wholeSchema.describe("lanes that wait for a place"),
  }),
);
export type Status = Wire<typeof statusSchema>;

export const stopBody = component(
  "StopInput",
  z.strictObject({
    deadline: z
      .int()
      .min(0)
      .max(3_600_000)
      .optional()
      .describe("milliseconds that active runs get before they are handed over"),
  }),
);

export const stopSchema = component(
  "Stopping",
  z.object({ status: z.literal("draining"), deadline: wholeSchema }),
);
