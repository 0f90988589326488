import { z } from "zod";
import { component } from "./component.ts";
import type { Wire } from "./component.ts";
import { modeBody } from "./maintenance.ts";
import { directorySchema, wholeSchema } from "./scalars.ts";

const offered = z.object({ name: z.string(), description: z.string() });

/** An MCP server of a directory, with the tools, prompts and resources that it offers. */
export const mcpServerSchema = component("McpServer", () =>
  z.object({
    name: z.string(),
    transport: z.enum(["stdio", "http"]).nullable().describe("null if unknown"),
    status: z
      .enum(["connecting", "connected", "reconnecting", "failed"])
      .describe(
        "connecting: not started yet, its tools are available to the first run after it has started; failed: it could not be started, none of its tools is available",
      ),
    problem: z.string().nullable().describe("latest problem"),
    file: z
      .string()
      .nullable()
      .describe("config file that contains the server; null: an editor has passed it"),
    line: wholeSchema.nullable(),
    needsSignIn: z.boolean().describe("true: a person must sign in at the server"),
    server: z.string().nullable().describe("name and version that the server reports"),
    tools: z.array(offered).describe("named as the model sees them"),
    prompts: z.array(offered).describe("prompts that can be used as commands"),
    resources: wholeSchema.describe("number of resources that it lists"),
    stderr: z.string().describe("latest stderr output of a server that runs as a process"),
  }),
);
export type McpServer = Wire<typeof mcpServerSchema>;

export const mcpListSchema = component("McpServerList", () =>
  z.object({ items: z.array(mcpServerSchema) }),
);

export const directoryQuery = { directory: directorySchema };

export const restartBody = component("RestartInput", () =>
  z.strictObject({ directory: directorySchema, ...modeBody }),
);

export const loginBody = component("LoginInput", () =>
  z.strictObject({ directory: directorySchema }),
);

export const mcpLoginSchema = component("McpLogin", () =>
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

export const finishLoginBody = component("FinishLoginInput", () =>
  z.strictObject({
    directory: directorySchema,
    callbackUrl: z
      .string()
      .max(16_000)
      .optional()
      .describe("address that the browser was sent to, if the browser is on another machine"),
  }),
);

export const mcpLoginStateSchema = component("McpLoginState", () =>
  z.object({
    status: z.enum(["signedIn", "waiting", "failed"]),
    problem: z.string().nullable(),
  }),
);
export type McpLoginState = Wire<typeof mcpLoginStateSchema>;

const word = z.string().max(10_000);

export const editorServersBody = component("EditorServersInput", () =>
  z.strictObject({
    directory: directorySchema,
    client: z.string().min(1).max(100).describe("name of the editor"),
    servers: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(200),
          command: word.min(1).describe("program to start"),
          args: z.array(word).max(200),
          env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), word),
        }),
      )
      .max(50),
    consents: z
      .array(z.string().max(200))
      .max(50)
      .describe("digests of servers to which a person has consented in this directory"),
  }),
);
export type EditorServersInput = Wire<typeof editorServersBody>;

export const editorServerListSchema = component("EditorServerList", () =>
  z.object({
    items: z.array(
      z.object({
        name: z.string().describe("name of the server in Holdfast"),
        command: z.array(z.string()).describe("program and arguments"),
        digest: z.string().describe("digest of the name, the command and the variables"),
        status: z
          .enum(["used", "needsConsent"])
          .describe("needsConsent: not started until a person consents"),
        variables: z
          .array(z.string())
          .describe("names of the variables, with the values of those that can load other code"),
      }),
    ),
  }),
);
export type EditorServerList = Wire<typeof editorServerListSchema>;
