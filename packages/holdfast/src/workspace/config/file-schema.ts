import { z } from "zod";
import { longestDuration, milliseconds } from "./duration.ts";
import { nameAdvice, namePattern } from "./names.ts";

// What a config file may say. Whatever has a description shows it in editors.

const text = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((value) => !value.includes("\0"), { error: "must not have a NUL character" });

const modelSchema = z
  .string()
  .max(300)
  .regex(/^[^\s/]+\/\S+$/, { error: 'must be "provider/model", such as "openai/gpt-5"' });

const nameSchema = z.string().regex(namePattern, { error: nameAdvice });

const durationAdvice = 'must be a time with its unit, such as "500ms", "30s", "5m" or "2h"';
/** A bare number would be taken for seconds by some, for milliseconds by others. */
const durationSchema = z
  .string({ error: durationAdvice })
  .regex(/^\d{1,10}(?:\.\d{1,3})?(?:ms|s|m|h)$/, { error: durationAdvice, abort: true })
  .refine((value) => milliseconds(value) <= longestDuration, { error: "must be 720h or less" })
  .refine((value) => milliseconds(value) >= 1, { error: "must be 1ms or more" });

const ageAdvice = 'must be a number of hours or days, such as "36h" or "90d"';
const ageSchema = z.string({ error: ageAdvice }).regex(/^[1-9]\d{0,4}[hd]$/, { error: ageAdvice });

const quotaSchema = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** A cancel that took longer would be none. */
const longestGrace = 600_000;

const variableAdvice = "must be the name of an environment variable, such as DATABASE_URL";

const ruleSchema = z.strictObject({
  action: z
    .enum(["read", "change", "run", "network", "fetch", "send", "mcp", "*"])
    .describe("What is to be done; * for anything."),
  pattern: text(1_000).describe("A path, a command, a host or a server/tool, with wildcards."),
  effect: z.enum(["allow", "ask", "deny"]),
});

/** Each call is held against all of them, each file of a search too. */
const rulesSchema = z
  .array(ruleSchema)
  .max(200)
  .describe("What may be done without asking, what is asked for, what never happens.");

/** Also the front matter of a file. */
const agentFields = {
  description: text(500)
    .optional()
    .describe("One line for people, and for agents that may call it."),
  model: modelSchema.optional().describe("As provider/model; else the directory's."),
  tools: z
    .array(text(200))
    .max(200)
    .optional()
    .describe("Names of tools that it may use, with wildcards; all if left out."),
  permissions: rulesSchema.optional(),
};

const agentSchema = z.strictObject({
  ...agentFields,
  prompt: text(100_000).optional().describe("Told to the model beside the usual."),
});

export const agentFrontMatter = z.strictObject(agentFields);

export const commandFrontMatter = z.strictObject({
  description: text(500).optional(),
  agent: nameSchema.optional(),
  model: modelSchema.optional(),
});

/** Entries by name, and not without end: they count before anybody has trusted them. */
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
    .describe("stdio: a program that is started. http: a server at an address."),
  command: z
    .tuple([text(4_000)], text(20_000), { error: `must be a list of words, ${commandExample}` })
    .optional()
    .describe("stdio: the program and its arguments."),
  env: secretsSchema
    .optional()
    .describe("stdio: variables of the program; {env:NAME} and {file:path} are replaced."),
  cwd: text(4_000).optional().describe("stdio: where it runs; else in the project."),
  url: text(4_000).optional().describe("http: the server's address."),
  headers: secretsSchema
    .optional()
    .describe("http: sent with each request; {env:NAME} and {file:path} are replaced."),
  enabled: z.boolean().optional().describe("false: the server is not used."),
  timeout: durationSchema.optional().describe("How long a call may take, such as 30s."),
});

const priceSchema = z.number().min(0).max(1_000_000);

const modelFactsSchema = z.strictObject({
  context: z.int().min(1_000).max(1_000_000_000).optional().describe("Tokens that fit in."),
  output: z.int().min(1).max(1_000_000_000).optional().describe("Tokens of the longest answer."),
  images: z.boolean().optional().describe("Whether it takes images."),
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
    .enum(["anthropic", "openai", "google", "compatible"])
    .optional()
    .describe("How it is talked to; compatible: like OpenAI's chat completions."),
  baseUrl: text(4_000).optional().describe("Its address, such as http://localhost:8080/v1."),
  key: text(20_000).optional().describe("A reference: {env:NAME} or {file:path}."),
  headers: secretsSchema.optional().describe("Sent with each request."),
  defaultModel: text(300).optional().describe("Used when nobody names a model."),
  models: named(text(300), modelFactsSchema).optional().describe("What its models can do."),
});

const hookFields = {
  command: text(20_000).describe("For the shell; it gets JSON on its standard input."),
  timeout: durationSchema.optional().describe("How long it may take, such as 30s."),
};
const hooksSchema = z.array(z.strictObject(hookFields)).max(50);
const toolHooksSchema = z
  .array(
    z.strictObject({
      ...hookFields,
      match: text(200).optional().describe("A tool's name, with wildcards; all if left out."),
    }),
  )
  .max(50);

const budgetSchema = z.strictObject({
  tokens: z.int().min(1).optional(),
  cost: z.number().min(0).optional().describe("Dollars."),
});

export const fileSchema = z.strictObject({
  $schema: z.string().optional().describe("Where this file's schema is, for editors."),
  model: modelSchema.optional().describe("What runs use when nobody names another."),
  smallModel: modelSchema.optional().describe("For titles; else the same model."),
  agent: nameSchema.optional().describe("The agent of prompts that name none."),
  agents: named(nameSchema, agentSchema).optional().describe("Agents by name."),
  permissions: rulesSchema.optional(),
  mcp: named(nameSchema, mcpSchema).optional().describe("MCP servers by name."),
  providers: named(nameSchema, providerSchema).optional().describe("Model providers by name."),
  limits: z
    .strictObject({
      maxSteps: z.int().min(1).max(100_000).optional().describe("Model calls of one run."),
      stopGrace: durationSchema
        .refine((value) => milliseconds(value) <= longestGrace, { error: "must be 10m or less" })
        .optional()
        .describe("What a cancelled run has to end by itself."),
      budget: budgetSchema.optional().describe("What one run may spend, with all that it starts."),
      onBudget: z
        .enum(["fail", "ask"])
        .optional()
        .describe("What a spent budget does: end the run, or ask people for more."),
      budgetAskTime: durationSchema
        .optional()
        .describe("How long such an ask stays open; for ever if left out."),
      daily: budgetSchema
        .optional()
        .describe("What all sessions may spend in a day (UTC). Only your own config can say it."),
      monthly: budgetSchema
        .optional()
        .describe("What all sessions may spend in a month (UTC). Only your own config can say it."),
      token: budgetSchema
        .optional()
        .describe("What each API token may spend in a month. Only your own config can say it."),
      shellTimeout: durationSchema.optional().describe("The longest that a command may take."),
      fetchTimeout: durationSchema.optional().describe("The longest that a page may take."),
    })
    .optional(),
  recovery: z
    .enum(["resume", "hold", "settle"])
    .optional()
    .describe("What becomes of a run whose process has ended."),
  retention: z
    .strictObject({
      archiveAfter: ageSchema
        .optional()
        .describe("Sessions that nothing happened in for so long are archived; else never."),
      deleteArchivedAfter: ageSchema
        .optional()
        .describe("Archived ones are deleted after so long; else never."),
      deleteUploadsAfter: ageSchema
        .optional()
        .describe("Uploads that no prompt has used are deleted after so long; 24h by default."),
    })
    .optional()
    .describe("How long things are kept. Only your own config can say it."),
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
        .describe("auto: where the machine has one. off: never. required: or no command at all."),
      network: z
        .boolean()
        .optional()
        .describe("Whether commands in the sandbox have the network without asking for it."),
      allowedPaths: z
        .array(text(4_000))
        .max(100)
        .optional()
        .describe("Folders outside of the project that may be used."),
      privateAddresses: z
        .boolean()
        .optional()
        .describe("Whether pages of this machine and of private networks may be fetched."),
      variables: z
        .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, { error: variableAdvice }))
        .max(100)
        .optional()
        .describe("Environment variables that commands and hooks get besides the usual ones."),
    })
    .optional(),
  hooks: z
    .strictObject({
      promptAccepted: hooksSchema.optional(),
      beforeTool: toolHooksSchema.optional(),
      afterTool: toolHooksSchema.optional(),
      settled: hooksSchema.optional(),
    })
    .optional()
    .describe("Commands that are run when something happens."),
  instructions: z
    .array(text(4_000))
    .max(50)
    .optional()
    .describe("Files that are told to the model beside AGENTS.md."),
});

export type FileConfig = z.output<typeof fileSchema>;
export type AgentEntry = z.output<typeof agentSchema>;
export type CommandEntry = z.output<typeof commandFrontMatter> & {
  readonly text: string;
  readonly file: string;
};
export type McpEntry = z.output<typeof mcpSchema>;
export type ProviderEntry = z.output<typeof providerSchema>;
