import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { actorSchema, timeSchema } from "./scalars.ts";

/**
 * An exclusive operation on a session, such as an undo. It waits in the queue, and no run is active while it executes
 * (M8).
 */
export const workSchema = component("Work", () =>
  z.object({
    sessionId: z.string(),
    workId: z.string(),
    name: z.string(),
    actor: actorSchema,
    status: z.enum(["queued", "running", "stopping", "ended"]),
    cause: z
      .enum(["done", "cancelled", "enforced", "takeover", "deleted"])
      .nullable()
      .describe("why it ended; only `done` means that all of it was done"),
    input: z.unknown(),
    result: z
      .discriminatedUnion("status", [
        z.object({ status: z.literal("completed"), value: z.unknown() }),
        z.object({ status: z.literal("failed"), code: z.string(), message: z.string() }),
      ])
      .nullable()
      .describe("message at its end"),
    queuedAt: timeSchema,
    startedAt: timeSchema.nullable(),
    endedAt: timeSchema.nullable(),
  }),
);
export type Work = Wire<typeof workSchema>;
