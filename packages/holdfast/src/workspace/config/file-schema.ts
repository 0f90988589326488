import { z } from "zod";
import { protocolNames } from "../../agent/model/protocol-names.ts";
import { efforts } from "../../agent/model/reasoning.ts";
import { longestDuration, milliseconds } from "./duration.ts";
import { nameAdvice, namePattern } from "./names.ts";

// The schema of config files. Editors show its descriptions to users.

const text = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((value) => !value.includes("\0"), { error: "must not contain a NUL character" });

const modelSchema = z
  .string()
  .max(300)
  .regex(/^[^\s/]+\/\S+$/, { error: 'must be "provider/model", such as "openai/gpt-5"' });

const nameSchema = z.string().regex(namePattern, { error: nameAdvice });

const durationAdvice = 'must be a duration with a unit, such as "500ms", "30s", "5m" or "2h"';
/** Requires a unit, because a bare number could mean seconds or milliseconds. */
const durationSchema = z
  .string({ error: durationAdvice })
  .regex(/^\d{1,10}(?:\.\d{1,3})?(?:ms|s|m|h)$/, { error: durationAdvice, abort: true })
  .refine((value) => milliseconds(value) <= longestDuration, {
    error: "must be 576h (24 days) or less",
  })
  .refine((value) => milliseconds(value) >= 1, { error: "must be 1ms or more" });

const ageAdvice = 'must be a number of hours or days, such as "36h" or "90d"';
const ageSchema = z.string({ error: ageAdvice }).regex(/^[1-9]\d{0,4}[hd]$/, { error: ageAdvice });

const quotaSchema = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Longest allowed grace period, so that a cancel takes effect in reasonable time. */
const longestGrace = 600_000;

const variableAdvice = "must be the name of an environment variable, such as DATABASE_URL";

const ruleSchema = z.strictObject({
  action: z
    .enum(["read", "change", "run", "network", "fetch", "send", "mcp", "*"])
    .describe("The kind of action, or * for all."),
  pattern: text(1_000).describe("A path, a command, a host or a server/tool, with wildcards."),
  effect: z.enum(["allow", "ask", "deny"]),
});

/** Limits the number of rules, because every tool call, and every file of a search, is checked against all rules. */
const rulesSchema = z
  .array(ruleSchema)
  .max(200)
  .describe("Rules that allow, ask for or deny actions.");

const reasoningFields = {
  effort: z
    .enum(efforts)
    .optional()
    .describe("Amount of reasoning. A level that the model does not have becomes the nearest one."),
  thinking: z
    .boolean()
    .optional()
    .describe("false: the model answers without thinking first, if it can."),
};

/** Fields that are also allowed in the front matter of an agent file. */
const agentFields = {
  description: text(500)
    .optional()
    .describe("One line for people, and for agents that can delegate tasks to it."),
  model: modelSchema.optional().describe("Model as provider/model. Default: the directory's."),
  ...reasoningFields,
  tools: z
    .array(text(200))
    .max(200)
    .optional()
    .describe("Names of tools that the agent may use, with wildcards. Default: all."),
  permissions: rulesSchema.optional(),
};

const acpSchema = z.strictObject({
  command: z
    .tuple([text(4_000)], text(20_000), {
      error: 'must be a list of words, such as ["my-agent", "--acp"]',
    })
    .optional()
    .describe("The program and its arguments. Default: the installed agent of this name."),
  env: z
    .record(text(200), z.string().max(20_000))
    .optional()
    .describe("Environment variables of the program; {env:NAME} and {file:path} are replaced."),
  sandbox: z
    .enum(["auto", "off", "required"])
    .optional()
    .describe(
      "auto: run the program in the sandbox if the sandbox works on this machine. off (default): never. required: do not start it without the sandbox.",
    ),
  folders: z
    .array(text(1_000))
    .max(50)
    .optional()
    .describe(
      "Paths in the home directory that the program may use in the sandbox, such as .my-agent. Default: the paths that Holdfast knows for this agent.",
    ),
});

const agentSchema = z.strictObject({
  ...agentFields,
  prompt: text(100_000).optional().describe("Added to the system prompt."),
  acp: acpSchema
    .optional()
    .describe("A program that speaks the Agent Client Protocol and answers the prompts itself."),
});

export const agentFrontMatter = z.strictObject(agentFields);

export const commandFrontMatter = z.strictObject({
  description: text(500).optional(),
  agent: nameSchema.optional(),
  model: modelSchema.optional(),
  ...reasoningFields,
});

/** Schema of entries by name. Their number is limited, because untrusted configs are read too. */
function named<Entry extends z.ZodType>(name: z.ZodString, entry: Entry) {
  return z.record(name, entry).refine((value) => Object.keys(value).length <= 200, {
    error: "must have at most 200 entries",
  });
}

const secretsSchema = named(text(200), z.string().max(20_000));

const commandExample = 'such as ["npx", "-y", "files"]';

const mcpSchema = z.strictObject({
  type: z
    .enum(["stdio", "http"])
    .optional()
    .describe("stdio: start a program. http: connect to a URL."),
  command: z
    .tuple([text(4_000)], text(20_000), { error: `must be a list of words, ${commandExample}` })
    .optional()
    .describe("stdio: the program and its arguments."),
  env: secretsSchema
    .optional()
    .describe(
      "stdio: environment variables of the program; {env:NAME} and {file:path} are replaced.",
    ),
  cwd: text(4_000).optional().describe("stdio: working directory. Default: the project."),
  url: text(4_000).optional().describe("http: URL of the server."),
  headers: secretsSchema
    .optional()
    .describe("http: headers of each request; {env:NAME} and {file:path} are replaced."),
  oauth: z
    .strictObject({
      clientId: text(1_000).optional().describe("Id of a client that you have registered."),
      clientSecret: text(4_000)
        .optional()
        .describe("Secret of that client; {env:NAME} and {file:path} are replaced."),
      scope: text(4_000).optional().describe("Rights to ask for, separated by spaces."),
      clientMetadataUrl: text(4_000)
        .optional()
        .describe("https address of a client metadata document, for servers that accept one."),
    })
    .optional()
    .describe("http: sign-in with `holdfast mcp login`. Default: the client registers itself."),
  enabled: z.boolean().optional().describe("false: do not use the server."),
  timeout: durationSchema.optional().describe("Timeout of a call, such as 30s."),
});

const priceSchema = z.number().min(0).max(1_000_000);

const modelFactsSchema = z.strictObject({
  context: z
    .int()
    .min(1_000)
    .max(1_000_000_000)
    .optional()
    .describe("Size of the context window in tokens."),
  output: z.int().min(1).max(1_000_000_000).optional().describe("Maximum tokens of an answer."),
  images: z.boolean().optional().describe("True if the model accepts images."),
  ...reasoningFields,
  price: z
    .strictObject({
      input: priceSchema,
      cachedInput: priceSchema.optional(),
      cacheWrite: priceSchema.optional(),
      output: priceSchema,
    })
    .optional()
    .describe("Dollars per million tokens."),
});

const providerSchema = z.strictObject({
  protocol: z
    .enum(protocolNames)
    .optional()
    .describe("API protocol or platform. compatible: the OpenAI chat completions API."),
  baseUrl: text(4_000).optional().describe("Base URL, such as http://localhost:8080/v1."),
  key: text(20_000).optional().describe("A reference: {env:NAME} or {file:path}."),
  headers: secretsSchema.optional().describe("Headers of each request."),
  defaultModel: text(300).optional().describe("Model to use if none is named."),
  models: named(text(300), modelFactsSchema).optional().describe("Properties of its models."),
});

const hookFields = {
  command: text(20_000).describe("Shell command. It gets JSON on stdin."),
  timeout: durationSchema.optional().describe("Timeout, such as 30s."),
};
const hooksSchema = z.array(z.strictObject(hookFields)).max(50);
const toolHooksSchema = z
  .array(
    z.strictObject({
      ...hookFields,
      match: text(200).optional().describe("Tool name with wildcards. Default: all tools."),
    }),
  )
  .max(50);

const budgetSchema = z.strictObject({
  tokens: z.int().min(1).optional(),
  cost: z.number().min(0).optional().describe("Dollars."),
});

export const fileSchema = z.strictObject({
  $schema: z.string().optional().describe("Location of this file's schema, for editors."),
  model: modelSchema.optional().describe("Default model of runs."),
  ...reasoningFields,
  smallModel: modelSchema.optional().describe("Model for titles. Default: the same model."),
  modelCatalogue: text(4_000)
    .optional()
    .describe(
      "File with newer facts about models: models.json of a newer release. Only your own config can set it.",
    ),
  agent: nameSchema.optional().describe("Agent of prompts that name none."),
  agents: named(nameSchema, agentSchema).optional().describe("Agents by name."),
  permissions: rulesSchema.optional(),
  mcp: named(nameSchema, mcpSchema).optional().describe("MCP servers by name."),
  providers: named(nameSchema, providerSchema).optional().describe("Model providers by name."),
  limits: z
    .strictObject({
      maxSteps: z
        .int()
        .min(1)
        .max(100_000)
        .optional()
        .describe("Maximum number of model calls in one run."),
      stopGrace: durationSchema
        .refine((value) => milliseconds(value) <= longestGrace, { error: "must be 10m or less" })
        .optional()
        .describe("Grace period for a cancelled run to end by itself."),
      budget: budgetSchema.optional().describe("Budget of one run, including its child sessions."),
      onBudget: z
        .enum(["fail", "ask"])
        .optional()
        .describe("At the end of a budget: fail the run, or ask for more."),
      budgetAskTime: durationSchema
        .optional()
        .describe("Time until such a request expires. Default: never."),
      daily: budgetSchema
        .optional()
        .describe("Spending limit of all sessions per day (UTC). Only your own config can set it."),
      monthly: budgetSchema
        .optional()
        .describe(
          "Spending limit of all sessions per month (UTC). Only your own config can set it.",
        ),
      token: budgetSchema
        .optional()
        .describe("Spending limit of each API token per month. Only your own config can set it."),
      shellTimeout: durationSchema.optional().describe("Maximum duration of a command."),
      fetchTimeout: durationSchema.optional().describe("Timeout for fetching a page."),
    })
    .optional(),
  recovery: z
    .enum(["resume", "hold", "settle"])
    .optional()
    .describe(
      "What to do with a run after its process crashed: resume it, pause the session, or end the run.",
    ),
  retention: z
    .strictObject({
      archiveAfter: ageSchema
        .optional()
        .describe("Archive sessions after this time without activity. Default: never."),
      deleteArchivedAfter: ageSchema
        .optional()
        .describe("Delete archived sessions after this time. Default: never."),
      deleteUploadsAfter: ageSchema
        .optional()
        .describe("Delete uploads that no prompt uses after this time. Default: 24h."),
    })
    .optional()
    .describe("How long data is kept. Only your own config can set it."),
  quotas: z
    .strictObject({
      uploadBytes: quotaSchema.optional().describe("Bytes of uploads."),
      sessions: quotaSchema.optional().describe("New sessions, forks and imports."),
      logBytes: quotaSchema.optional().describe("Bytes of prompts and imports."),
    })
    .optional()
    .describe(
      "Limits per token without the role admin, per day. Only your own config can set them.",
    ),
  sandbox: z
    .strictObject({
      shell: z
        .enum(["auto", "off", "required"])
        .optional()
        .describe(
          "auto: use the sandbox if it works. off: never. required: run no command without it.",
        ),
      network: z
        .boolean()
        .optional()
        .describe("true: commands in the sandbox have network access without asking."),
      allowedPaths: z
        .array(text(4_000))
        .max(100)
        .optional()
        .describe("Folders outside of the project that tools may use."),
      privateAddresses: z
        .boolean()
        .optional()
        .describe("true: allow fetching pages of this machine and of private networks."),
      variables: z
        .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, { error: variableAdvice }))
        .max(100)
        .optional()
        .describe("Additional environment variables for commands and hooks."),
    })
    .optional(),
  hooks: z
    .strictObject({
      promptAccepted: hooksSchema.optional(),
      beforeTool: toolHooksSchema.optional(),
      afterTool: toolHooksSchema.optional(),
      settled: hooksSchema.optional(),
      notice: hooksSchema.optional(),
    })
    .optional()
    .describe("Shell commands to run at certain events."),
  instructions: z
    .array(text(4_000))
    .max(50)
    .optional()
    .describe("Instruction files for the model, in addition to AGENTS.md."),
  terminal: z
    .strictObject({
      screenReader: z
        .boolean()
        .optional()
        .describe("true: print plain lines for a screen reader, and redraw nothing."),
      theme: z
        .enum(["auto", "dark", "light", "plain"])
        .optional()
        .describe("Colours. auto: the 16 colours of the terminal. plain: no colours."),
    })
    .optional()
    .describe("Settings of the terminal client. Only your own config can set them."),
});

export type FileConfig = z.output<typeof fileSchema>;
export type AcpEntry = z.output<typeof acpSchema>;
export type AgentEntry = z.output<typeof agentSchema>;
export type CommandEntry = z.output<typeof commandFrontMatter> & {
  readonly text: string;
  readonly file: string;
};
export type McpEntry = z.output<typeof mcpSchema>;
export type ProviderEntry = z.output<typeof providerSchema>;
