import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { modeBody } from "./maintenance.ts";
import { directorySchema, wholeSchema } from "./scalars.ts";

const offered = z.object({ name: z.string(), description: z.string() });

/** An MCP server of a directory, and what it offers to runs there. */
export const mcpServerSchema = component(
  "McpServer",
  z.object({
    name: z.string(),
    transport: z.enum(["stdio", "http"]).nullable().describe("null while it is not known"),
    status: z
      .enum(["connecting", "connected", "reconnecting", "failed"])
      .describe(
        "connecting: it has not started yet, and its tools come with the first run after it has; " +
          "failed: it could not be started, and none of its tools is there",
      ),
    problem: z.string().nullable().describe("what went wrong last"),
    server: z.string().nullable().describe("what it says that it is, with its version"),
    tools: z.array(offered).describe("under the names that the model sees"),
    prompts: z.array(offered).describe("usable as commands"),
    resources: wholeSchema.describe("how many it lists"),
    stderr: z.string().describe("the last that a server in a process of its own has printed"),
  }),
);
export type McpServer = Wire<typeof mcpServerSchema>;

export const mcpListSchema = component(
  "McpServerList",
  z.object({ items: z.array(mcpServerSchema) }),
);

export const directoryQuery = { directory: directorySchema };

export const restartBody = component(
  "RestartInput",
  z.strictObject({ directory: directorySchema, ...modeBody }),
);
