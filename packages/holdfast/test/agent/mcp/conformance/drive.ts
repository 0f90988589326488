import type { AskAnswer } from "../../../../src/agent/agent.ts";
import { startSignIn } from "../../../../src/agent/mcp/oauth/sign-in-flow.ts";
import { noOAuthSettings } from "../../../../src/agent/mcp/oauth/sign-ins.ts";
import type { OAuthSettings, SignIn, SignIns } from "../../../../src/agent/mcp/oauth/sign-ins.ts";
import { resourceTools } from "../../../../src/agent/mcp/resource-tools.ts";
import { mcpPlan } from "../../../../src/agent/mcp/server.ts";
import type { McpServer } from "../../../../src/agent/mcp/server.ts";
import { defaultToolSettings } from "../../../../src/agent/tools/tool.ts";
import type { Tool, ToolContext, ToolResult } from "../../../../src/agent/tools/tool.ts";

/** A task that the conformance suite gives to the client. */
export interface Task {
  readonly url: string;
  readonly scenario: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** A user who signs in when asked, calls every tool, reads every resource and takes every prompt. */
export async function drive({ url, scenario, context }: Task): Promise<void> {
  const signIns = memorySignIns();
  const settings = settingsFor(scenario, context);
  const open = (): Promise<McpServer> =>
    mcpPlan(
      "suite",
      { type: "http", url, headers: {}, oauth: settings, timeout: 5_000 },
      {
        environment: {},
        version: "0.0.0",
        directory: "/tmp",
        signIns,
        limits: { probeTimeout: 15_000 },
      },
    ).open(new AbortController().signal, null);
  const signIn = (): Promise<void> => signInAt({ url, settings, signIns });
  const opened = async (signInsLeft: number): Promise<McpServer> =>
    open().catch(async (error: unknown) => {
      if (!isSignInNeeded(error) || signInsLeft === 0) throw error;
      await signIn();
      return opened(signInsLeft - 1);
    });
  const server = await opened(2);
  try {
    await useAll(server, { calls: callsIn(context), signIn });
  } finally {
    await server.close();
  }
}

async function useAll(
  server: McpServer,
  { calls, signIn }: { calls: readonly GivenCall[]; signIn: () => Promise<void> },
): Promise<void> {
  const work = server.tools().map(async (tool) => {
    const part = tool.name.replace(/^suite_/, "");
    const own = calls.find(({ name }) => name === part)?.arguments;
    const first = await use(tool, own ?? exampleFor(tool));
    if (!/holdfast mcp login/.test(first.output)) return;
    await signIn();
    await use(tool, own ?? exampleFor(tool));
  });
  await Promise.all(work);
  const [list, read] = resourceTools([server]);
  if (list !== undefined && read !== undefined) {
    const { output } = await use(list, { server: "suite" });
    for (const line of output.split("\n")) {
      await use(read, { server: "suite", uri: line.split("  ")[0] ?? "" });
    }
  }
  for (const prompt of server.prompts()) {
    await prompt.expand("one two", new AbortController().signal).catch(() => {});
  }
}

function use(tool: Tool, input: unknown): Promise<ToolResult> {
  return tool.run(input, toolContext);
}

const unexpected = (): never => {
  throw new Error("not expected");
};

/** People who agree to everything, with the defaults. */
const agree = async (): Promise<AskAnswer> => ({ verdict: "allow", text: "ok", remember: null });

const toolContext: ToolContext = {
  directory: "/tmp",
  sessionId: "s1",
  runId: "r1",
  callId: "c1",
  signal: new AbortController().signal,
  mayAct: () => true,
  settings: defaultToolSettings,
  progress: () => {},
  seen: () => null,
  mayRead: () => true,
  sample: async () => ({ text: "yes", model: "suite/model", isCut: false }),
  agent: { ask: agree, child: unexpected, background: unexpected },
};

interface GivenCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

function callsIn(context: Task["context"]): readonly GivenCall[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the suite defines it
  return (context["toolCalls"] ?? []) as GivenCall[];
}

function exampleFor(tool: Tool): Record<string, unknown> {
  const properties: unknown = tool.schema?.["properties"] ?? {};
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, schema]) => {
      const type: unknown = typeof schema === "object" && schema !== null ? schema.type : null;
      return [name, type === "number" || type === "integer" ? 5 : type === "string" ? "text" : {}];
    }),
  );
}

function settingsFor(scenario: string, context: Task["context"]): OAuthSettings {
  if (scenario === "auth/basic-cimd") {
    const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";
    return { ...noOAuthSettings, clientMetadataUrl };
  }
  if (scenario !== "auth/pre-registration") return noOAuthSettings;
  const { client_id: clientId, client_secret: clientSecret } = context;
  return { ...noOAuthSettings, clientId: String(clientId), clientSecret: String(clientSecret) };
}

function isSignInNeeded(error: unknown): boolean {
  return error instanceof Error && error.message.includes("holdfast mcp login");
}

/** Opens the sign-in page as a browser would, and follows it back to the loopback address. */
async function signInAt(options: {
  url: string;
  settings: OAuthSettings;
  signIns: SignIns;
}): Promise<void> {
  const { url: serverUrl, settings, signIns } = options;
  const flow = await startSignIn({ serverUrl, settings, signIns });
  try {
    if (flow.authorizationUrl !== null) {
      const page = await fetch(flow.authorizationUrl, { redirect: "manual" });
      await fetch(page.headers.get("location") ?? "");
    }
    await flow.done;
  } finally {
    await flow.close();
  }
}

function memorySignIns(): SignIns {
  const known = new Map<string, SignIn>();
  return {
    read: async (url) => known.get(url) ?? null,
    put: async (url, signIn) => {
      if (signIn === null) known.delete(url);
      else known.set(url, signIn);
    },
  };
}
