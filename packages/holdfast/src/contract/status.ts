import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { budgetSchema, usageSchema } from "./outcome.ts";
import { timeSchema, wholeSchema } from "./scalars.ts";

export const healthSchema = component("Health", () =>
  z.object({
    status: z.literal("ok"),
    name: z.literal("holdfast"),
    version: z.string(),
    proof: z
      .string()
      .nullable()
      .describe("proves that the server knows the owner's token, without revealing the token"),
  }),
);

export const healthQuery = {
  nonce: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/)
    .optional()
    .describe("random text from the client; the input for `proof`"),
};

export const readinessSchema = component("Readiness", () =>
  z.object({ status: z.literal("ready") }),
);

export const statusSchema = component("Status", () =>
  z.object({
    version: z.string(),
    nodeId: z.string().nullable().describe("null if this process has no lease"),
    startedAt: timeSchema,
    state: z.enum(["ready", "draining"]),
    drainingUntil: timeSchema
      .nullable()
      .describe("when active runs are handed over; null unless the server is shutting down"),
    running: z
      .array(z.object({ sessionId: z.string(), runId: z.string() }))
      .describe("runs that this process executes"),
    waiting: wholeSchema.describe("lanes that wait for a free place"),
    absent: z
      .array(z.object({ directory: z.string(), waiting: wholeSchema }))
      .describe("directories of waiting lanes that do not exist on this node"),
    sandbox: z
      .object({
        name: z.string().nullable().describe("null: commands run without a sandbox"),
        problem: z.string().nullable().describe("why there is no sandbox; null if there is one"),
      })
      .describe("sandbox for the commands that agents run on this node"),
    caps: z
      .array(
        z.object({
          cap: z.enum(["day", "month"]),
          spent: usageSchema,
          limit: budgetSchema,
          resetsAt: timeSchema,
        }),
      )
      .describe(
        "spending limits of all sessions for a day or month (UTC); empty unless configured",
      ),
  }),
);
export type Status = Wire<typeof statusSchema>;

export const nodeSchema = component("Node", () =>
  z.object({
    nodeId: z.string(),
    self: z.boolean().describe("true: the node that responds"),
    expiresAt: timeSchema.describe("when its lease ends unless it is renewed"),
    host: z.string().nullable().describe("name of its machine; null if unknown"),
    pid: wholeSchema.nullable(),
    version: z.string().nullable(),
    startedAt: timeSchema.nullable(),
    maxRuns: wholeSchema.nullable().describe("number of runs that it executes at a time"),
    lanes: z.array(z.string()).describe("sessions whose lanes it owns"),
    absent: z
      .array(z.string())
      .describe("directories of waiting lanes that do not exist on this node"),
  }),
);
export type Node = Wire<typeof nodeSchema>;

export const nodeListSchema = component("NodeList", () =>
  z.object({
    items: z.array(nodeSchema),
    abandoned: z
      .array(z.string())
      .describe("sessions whose lanes are owned by a node that is gone"),
    nowhere: z.array(z.string()).describe("directories of waiting lanes that exist on no node"),
  }),
);

export const stopBody = component("StopInput", () =>
  z.strictObject({
    deadline: z
      .int()
      .min(0)
      .max(3_600_000)
      .optional()
      .describe("milliseconds that active runs get before they are handed over"),
    ifIdle: z
      .boolean()
      .optional()
      .describe("true: refuse with `busy` if a run is active or a prompt is ready to start"),
  }),
);

export const stopSchema = component("Stopping", () =>
  z.object({ status: z.literal("draining"), deadline: wholeSchema }),
);
