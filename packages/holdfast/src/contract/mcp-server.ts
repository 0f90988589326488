import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { modeBody } from "./maintenance.ts";
import { directorySchema, wholeSchema } from "./scalars.ts";

const offered = z.object({ name: z.string(), description: z.string() });

/** An MCP server of a directory, and what it offers to runs. */
export const mcpServerSchema = component(
  "McpServer",
  z.object({
    name: z.string(),
    transport: z.enum(["stdio", "http"]).nullable().describe("null if unknown"),
    status: z
      .enum(["connecting", "connected", "reconnecting", "failed"])
      .describe(
        "connecting: not started yet, its tools are available to the first run after it has started; failed: it could not be started, none of its tools is available",
      ),
    problem: z.string().nullable().describe("latest problem"),
    server: z.string().nullable().describe("name and version that the server reports"),
    tools: z.array(offered).describe("named as the model sees them"),
    prompts: z.array(offered).describe("prompts that can be used as commands"),
    resources: wholeSchema.describe("number of resources that it lists"),
    stderr: z.string().describe("latest stderr output of a server that runs as a process"),
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

export const loginBody = component("LoginInput", z.strictObject({ directory: directorySchema }));

export const mcpLoginSchema = component(
  "McpLogin",
  z.object({
    authorizationUrl: z
      .string()
      .nullable()
      .describe("address that a person opens to sign in; null: already signed in"),
    redirectUrl: z
      .string()
      .describe("loopback address of the server's machine that the browser is sent to at the end"),
  }),
);
export type McpLogin = Wire<typeof mcpLoginSchema>;

export const finishLoginBody = component(
  "FinishLoginInput",
  z.strictObject({
    directory: directorySchema,
    callbackUrl: z
      .string()
      .max(16_000)
      .optional()
      .describe("address that the browser was sent to, if the browser is on another machine"),
  }),
);

export const mcpLoginStateSchema = component(
  "McpLoginState",
  z.object({
    status: z.enum(["signedIn", "waiting", "failed"]),
    problem: z.string().nullable(),
  }),
);
export type McpLoginState = Wire<typeof mcpLoginStateSchema>;
