import { z } from "zod";
import { actorSchema } from "./actor.ts";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { pageQuery, pageSchema } from "./page.ts";
import { directorySchema, idSchema, timeSchema } from "./scalars.ts";

// A refresh or close of generations, which never takes anything away from a run (M1).

export const pinningRunSchema = component(
  "PinningRun",
  z.object({ directory: z.string(), sessionId: z.string(), runId: z.string() }),
);

export const maintenanceProblemSchema = component(
  "MaintenanceProblem",
  z.object({ directory: z.string(), message: z.string() }),
);

const kind = z
  .enum(["refresh", "close"])
  .describe("refresh: the next run uses what is configured now; close: free what is open");
const mode = z
  .enum(["maintenance", "force"])
  .describe("maintenance waits for runs; force cancels those that it would wait for");

/** What every route answers that changes config, providers or MCP servers (M2). */
export const maintenanceAnswerSchema = component(
  "MaintenanceAnswer",
  z.object({
    status: z
      .enum(["completed", "deferred", "failed"])
      .describe(
        "deferred: new runs have the new state, what they replace waits for the runs that use it; failed: the state before is still in use",
      ),
    actionId: z.string(),
    affectedDirectories: z.array(z.string()),
    waitingFor: z.array(pinningRunSchema),
    problems: z.array(maintenanceProblemSchema),
  }),
);
export type MaintenanceAnswer = Wire<typeof maintenanceAnswerSchema>;

export const maintenanceStatusSchema = z.enum(["requested", "deferred", "completed", "failed"]);

export const maintenanceSchema = component(
  "MaintenanceAction",
  z.object({
    actionId: z.string(),
    kind,
    directories: z.array(z.string()).nullable().describe("null: all"),
    mode,
    cause: z.enum(["request", "config", "provider", "mcp"]).describe("what made it necessary"),
    revoke: z.array(z.string()).describe("providers that no request may use any more"),
    actor: actorSchema,
    requestedAt: timeSchema,
    forced: z
      .object({ actor: actorSchema, at: timeSchema })
      .nullable()
      .describe("who asked for force after the request"),
    status: maintenanceStatusSchema,
    endedAt: timeSchema.nullable(),
    affectedDirectories: z.array(z.string()),
    waitingFor: z.array(pinningRunSchema),
    problems: z.array(maintenanceProblemSchema),
    nodes: z
      .array(
        z.object({
          nodeId: z.string(),
          status: z
            .enum(["pending", "deferred", "done", "failed", "lost"])
            .describe("lost: the process is gone, and with it all that it had open"),
        }),
      )
      .describe("how far each process is that was alive at the request"),
  }),
);
export type MaintenanceAction = Wire<typeof maintenanceSchema>;

export const maintenancePageSchema = pageSchema("MaintenancePage", maintenanceSchema);

export const maintenanceQuery = {
  status: maintenanceStatusSchema.optional().describe("only those; all if left out"),
  directory: directorySchema.optional().describe("only those that are about this directory"),
  ...pageQuery,
};

export const maintenanceBody = component(
  "MaintenanceInput",
  z.strictObject({
    kind,
    directories: z
      .array(directorySchema)
      .min(1)
      .max(100)
      .nullable()
      .describe("null: all that are open"),
    mode: mode.optional(),
    actionId: idSchema
      .optional()
      .describe("chosen by the sender: sending it again is sending it once"),
  }),
);
export type MaintenanceInput = Wire<typeof maintenanceBody>;

export const modeBody = { mode: mode.optional() };

/** `event: maintenance` in the stream of all sessions; it has no id. */
export const maintenanceEventSchema = component(
  "MaintenanceEvent",
  z.object({
    told: z
      .enum([
        "maintenance.requested",
        "maintenance.deferred",
        "maintenance.completed",
        "maintenance.failed",
      ])
      .describe("what has happened; actions that are open come first when a reader connects"),
    action: maintenanceSchema,
  }),
);
export type MaintenanceEvent = Wire<typeof maintenanceEventSchema>;
