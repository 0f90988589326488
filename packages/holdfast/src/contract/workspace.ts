import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { pinningRunSchema } from "./maintenance.ts";
import { mcpServerSchema } from "./mcp-server.ts";
import { directorySchema, queryFlag, queryNumber, timeSchema, wholeSchema } from "./scalars.ts";

/** A problem in a config, with its position. */
export const noticeSchema = component("Notice", () =>
  z.object({
    severity: z.enum(["error", "warning"]),
    file: z.string().nullable(),
    line: wholeSchema.nullable(),
    column: wholeSchema.nullable(),
    key: z.string().nullable().describe("config key, such as `mcp.files.command`"),
    message: z.string(),
  }),
);
export type Notice = Wire<typeof noticeSchema>;

/** A loaded version of a directory's config. It never changes. */
export const generationSchema = component("Generation", () =>
  z.object({
    generationId: z.string().describe("its number and the start of its digest"),
    number: wholeSchema,
    digest: z.string(),
    loadedAt: timeSchema,
    runs: z.array(pinningRunSchema).describe("runs that use it until they end"),
  }),
);
export type Generation = Wire<typeof generationSchema>;

const open = {
  directory: z.string(),
  generation: generationSchema
    .nullable()
    .describe("the generation for the next run; null if none is loaded or none can be"),
  retired: z.array(generationSchema).describe("earlier generations that runs still use"),
  notices: z.array(noticeSchema),
  problem: z
    .string()
    .nullable()
    .describe("why the last refresh failed; the previous generation stays in use"),
};

/** A directory that is open in this process. */
export const workspaceSummarySchema = component("WorkspaceSummary", () => z.object(open));
export type WorkspaceSummary = Wire<typeof workspaceSummarySchema>;

export const workspaceListSchema = component("WorkspaceList", () =>
  z.object({ items: z.array(workspaceSummarySchema) }),
);

const agentChoice = z.object({
  id: z.string().describe("value to send in a prompt"),
  name: z.string(),
  description: z.string(),
});

/** The agents, models, commands and MCP servers of a directory. */
export const workspaceSchema = component("Workspace", () =>
  z.object({
    ...open,
    model: z.string().nullable().describe("default model; null: there is none"),
    demo: z
      .boolean()
      .describe("true: the demo agent answers, because no provider was ever connected"),
    agent: z.string().nullable().describe("default agent"),
    agents: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        model: z.string().nullable().describe("null: the model of the directory"),
        tools: z.array(z.string()).nullable().describe("patterns of tool names; null: all tools"),
        isHosted: z
          .boolean()
          .describe("true: another program answers the prompts, with its own model and tools"),
        models: z
          .array(agentChoice)
          .describe("models that a hosted agent offers; empty before its first run"),
        modes: z
          .array(agentChoice)
          .describe("modes that a hosted agent offers, for `agentMode` of a prompt"),
        commands: z
          .array(z.object({ name: z.string(), description: z.string() }))
          .describe("commands of a hosted agent; a prompt whose text starts with /name uses one"),
      }),
    ),
    commands: z.array(
      z.object({
        name: z.string().describe("name for `command` of a prompt; people type /name"),
        description: z.string(),
        source: z.string().describe("the file or MCP server that it comes from"),
      }),
    ),
    tools: z.array(z.string()),
    mcp: z.array(mcpServerSchema),
  }),
);
export type Workspace = Wire<typeof workspaceSchema>;

/** Files of a directory, to autocomplete a file name. */
export const fileListSchema = component("FileList", () =>
  z.object({
    items: z.array(z.string()).describe("paths relative to the directory, with / between folders"),
    isComplete: z.boolean().describe("false: there are more files, or the search took too long"),
  }),
);
export type FileList = Wire<typeof fileListSchema>;

/** Directories on the server's machine, from which a person selects a project. */
export const folderListSchema = component("FolderList", () =>
  z.object({
    directory: z.string().describe("real path of the listed folder"),
    parent: z.string().nullable().describe("the folder above; null if this token may not use it"),
    isRepository: z.boolean().describe("true: the listed folder is a git repository"),
    places: z
      .array(z.string())
      .describe(
        "where to begin: the folder in which the server was started and its user's home, or the directories of the token",
      ),
    items: z.array(
      z.object({
        name: z.string(),
        path: z.string().describe("real path"),
        isRepository: z.boolean(),
      }),
    ),
    isComplete: z.boolean().describe("false: there are more folders, or the search took too long"),
  }),
);
export type FolderList = Wire<typeof folderListSchema>;

export const folderQuery = {
  directory: directorySchema.optional().describe("folder to list; default: the first place"),
  repositories: queryFlag
    .optional()
    .describe("true: list the git repositories below the folder, at most 4 levels down, instead"),
};

export const fileQuery = {
  directory: directorySchema,
  search: z
    .string()
    .max(200)
    .optional()
    .describe("words that must all occur in the path, in any case"),
  limit: queryNumber(1, 1_000).optional().describe("how many at most; 200 if left out"),
};
