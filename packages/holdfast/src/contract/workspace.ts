import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { pinningRunSchema } from "./maintenance.ts";
import { mcpServerSchema } from "./mcp-server.ts";
import { timeSchema, wholeSchema } from "./scalars.ts";

/** Where something in a config is not as it should be. */
export const noticeSchema = component(
  "Notice",
  z.object({
    severity: z.enum(["error", "warning"]),
    file: z.string().nullable(),
    line: wholeSchema.nullable(),
    column: wholeSchema.nullable(),
    key: z.string().nullable().describe("such as `mcp.files.command`"),
    message: z.string(),
  }),
);
export type Notice = Wire<typeof noticeSchema>;

/** One loaded state of a directory; it never changes. */
export const generationSchema = component(
  "Generation",
  z.object({
    generationId: z.string().describe("its number and the beginning of its digest"),
    number: wholeSchema,
    digest: z.string(),
    loadedAt: timeSchema,
    runs: z.array(pinningRunSchema).describe("those that use it, to their end"),
  }),
);
export type Generation = Wire<typeof generationSchema>;

const open = {
  directory: z.string(),
  generation: generationSchema
    .nullable()
    .describe("what the next run uses; null when nothing is loaded, or nothing can be"),
  retired: z.array(generationSchema).describe("earlier ones that runs still use"),
  notices: z.array(noticeSchema),
  problem: z
    .string()
    .nullable()
    .describe("why the last refresh failed: what was in use before it still is"),
};

/** A directory with something open in this process. */
export const workspaceSummarySchema = component("WorkspaceSummary", z.object(open));
export type WorkspaceSummary = Wire<typeof workspaceSummarySchema>;

export const workspaceListSchema = component(
  "WorkspaceList",
  z.object({ items: z.array(workspaceSummarySchema) }),
);

/** What runs in a directory have to work with. */
export const workspaceSchema = component(
  "Workspace",
  z.object({
    ...open,
    model: z.string().nullable().describe("of runs that name none; null: the demo agent works"),
    agent: z.string().nullable().describe("of prompts that name none"),
    agents: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        model: z.string().nullable().describe("null: the directory's"),
        tools: z.array(z.string()).nullable().describe("patterns of tools' names; null: all"),
      }),
    ),
    commands: z.array(
      z.object({
        name: z.string().describe("a prompt names it in `command`, people write /name"),
        description: z.string(),
        source: z.string().describe("the file, or the MCP server, that it comes from"),
      }),
    ),
    tools: z.array(z.string()),
    mcp: z.array(mcpServerSchema),
  }),
);
export type Workspace = Wire<typeof workspaceSchema>;
