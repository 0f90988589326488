import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { pageQuery, pageSchema } from "./page.ts";
import { actorSchema, directorySchema, idSchema, timeSchema } from "./scalars.ts";

// Maintenance reloads or closes directories. Active runs keep the config version that they started with (M1).

export const pinningRunSchema = component("PinningRun", () =>
  z.object({ directory: z.string(), sessionId: z.string(), runId: z.string() }),
);

export const maintenanceProblemSchema = component("MaintenanceProblem", () =>
  z.object({ directory: z.string(), message: z.string() }),
);

const kind = z
  .enum(["refresh", "close"])
  .describe("refresh: the next run uses the current config; close: release open resources");
const mode = z
  .enum(["maintenance", "force"])
  .describe("maintenance: wait for runs; force: cancel the runs that it would wait for");

/** Response of every route that changes config, providers or MCP servers (M2). */
export const maintenanceAnswerSchema = component("MaintenanceAnswer", () =>
  z.object({
    status: z
      .enum(["completed", "deferred", "failed"])
      .describe(
        "deferred: new runs use the new state, and the old state stays until the runs that use it end; failed: the previous state stays in use",
      ),
    actionId: z.string(),
    affectedDirectories: z.array(z.string()),
    waitingFor: z.array(pinningRunSchema),
    problems: z.array(maintenanceProblemSchema),
  }),
);
export type MaintenanceAnswer = Wire<typeof maintenanceAnswerSchema>;

export const maintenanceStatusSchema = z.enum(["requested", "deferred", "completed", "failed"]);

export const maintenanceSchema = component("MaintenanceAction", () =>
  z.object({
    actionId: z.string(),
    kind,
    directories: z.array(z.string()).nullable().describe("null: all directories"),
    mode,
    cause: z.enum(["request", "config", "provider", "mcp"]).describe("cause of the action"),
    revoke: z.array(z.string()).describe("providers that no request may use any more"),
    actor: actorSchema,
    requestedAt: timeSchema,
    forced: z
      .object({ actor: actorSchema, at: timeSchema })
      .nullable()
      .describe("actor that requested force later"),
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
            .describe("lost: the process is gone, with everything that it had open"),
        }),
      )
      .describe("progress of each process that was alive at the request"),
  }),
);
export type MaintenanceAction = Wire<typeof maintenanceSchema>;

export const maintenancePageSchema = pageSchema("MaintenancePage", maintenanceSchema);

export const maintenanceQuery = {
  status: maintenanceStatusSchema
    .optional()
    .describe("only actions with this status; default: all"),
  directory: directorySchema.optional().describe("only actions that affect this directory"),
  ...pageQuery,
};

export const maintenanceBody = component("MaintenanceInput", () =>
  z.strictObject({
    kind,
    directories: z
      .array(directorySchema)
      .min(1)
      .max(100)
      .nullable()
      .describe("null: all open directories"),
    mode: mode.optional(),
    actionId: idSchema
      .optional()
      .describe("id chosen by the sender; repeated requests with the same id count once"),
  }),
);
export type MaintenanceInput = Wire<typeof maintenanceBody>;

export const modeBody = { mode: mode.optional() };

/** `event: maintenance` in the event stream of all sessions. It has no id. */
export const maintenanceEventSchema = component("MaintenanceEvent", () =>
  z.object({
    told: z
      .enum([
        "maintenance.requested",
        "maintenance.deferred",
        "maintenance.completed",
        "maintenance.failed",
      ])
      .describe("kind of change; open actions are sent first when a reader connects"),
    action: maintenanceSchema,
  }),
);
export type MaintenanceEvent = Wire<typeof maintenanceEventSchema>;
