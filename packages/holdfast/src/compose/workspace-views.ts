import { relative } from "node:path";
import { hasOnlyDemo } from "../agent/setup.ts";
import { walk } from "../agent/tools/walk.ts";
import type { McpStatus } from "../agent/mcp/server.ts";
import type { McpServer } from "../contract/mcp-server.ts";
import type {
  FileList,
  Generation,
  Notice,
  Workspace,
  WorkspaceSummary,
} from "../contract/workspace.ts";
import type { FileSearch, Workspaces } from "../server/workspace-ports.ts";
import type {
  OpenDirectory,
  OpenGeneration,
  OpenResource,
  WorkspaceHost,
} from "../workspace/host.ts";
import { needsSignIn, warning, WorkspaceError } from "../workspace/loader.ts";

/** Describes loaded directories in the types of the API contract, with all secrets redacted. */
export function workspaceViews(host: WorkspaceHost, redact: (text: string) => string): Workspaces {
  const clean = <View>(view: View): View => cleaned(view, redact);
  return {
    list: () => clean(host.list().map(summaryOf)),
    look: (directory) => {
      const open = host.get(directory);
      if (open === null) return clean(emptyOf(directory, [notLoaded]));
      const seen = detailOf(open);
      return clean(seen.generation === null ? { ...seen, notices: [notLoaded] } : seen);
    },
    files: async (directory, query) => clean(await filesOf(directory, query)),
    open: async (directory) => {
      try {
        return clean(detailOf(await host.load(directory)));
      } catch (error) {
        if (error instanceof WorkspaceError) return clean(emptyOf(directory, error.notices));
        throw error;
      }
    },
  };
}

/** Time limit for one file search in milliseconds. It is short, because a person waits for the result. */
const searchTime = 1_000;

async function filesOf(
  directory: string,
  { search = "", limit = 200 }: FileSearch,
): Promise<FileList> {
  const words = search.toLowerCase().split(/\s+/);
  const signal = AbortSignal.timeout(searchTime);
  const items: string[] = [];
  try {
    for await (const { path } of walk({
      start: directory,
      directory,
      everything: false,
      hidden: [],
      signal,
    })) {
      const name = relative(directory, path);
      const lower = name.toLowerCase();
      if (!words.every((word) => lower.includes(word))) continue;
      if (items.length === limit) return { items, isComplete: false };
      items.push(name);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return { items, isComplete: false };
  }
  return { items, isComplete: true };
}

/** Returns a copy of the view with every string redacted. */
function cleaned<View>(view: View, redact: (text: string) => string): View {
  return JSON.parse(JSON.stringify(view), (_, value: unknown) =>
    typeof value === "string" ? redact(value) : value,
  );
}

function summaryOf({ directory, current, retired, problem }: OpenDirectory): WorkspaceSummary {
  return {
    directory,
    generation: current === null ? null : generationOf(current),
    retired: retired.map(generationOf),
    notices: current?.notices ?? [],
    problem: problem?.message ?? null,
  };
}

function generationOf({ id, number, digest, loadedAt, pins }: OpenGeneration): Generation {
  return { generationId: id, number, digest, loadedAt, runs: pins };
}

function detailOf(open: OpenDirectory): Workspace {
  const { current } = open;
  const setup = current?.workspace.setup ?? null;
  const profiles = [...(setup?.profiles.values() ?? [])];
  const commands = [...(setup?.commands.values() ?? [])];
  return {
    ...summaryOf(open),
    model: setup?.models.chosen ?? null,
    demo: setup !== null && hasOnlyDemo(setup.models),
    agent: setup?.defaultProfile ?? null,
    agents: profiles.map(({ name, description, model, tools, hosted }) => {
      const {
        models,
        modes,
        commands: offered,
      } = setup?.hosted?.get(name)?.choices() ?? nothingOffered;
      const isHosted = hosted === true;
      return { name, description, model, tools, isHosted, models, modes, commands: offered };
    }),
    commands: commands.map(({ name, description, source }) => ({ name, description, source })),
    tools: setup?.tools.map(({ name }) => name) ?? [],
    mcp: current?.resources.flatMap((resource) => serverOf(resource) ?? []) ?? [],
  };
}

/** Holdfast's own agents offer no models, modes or commands to choose from; only external (hosted) agents do. */
const nothingOffered = { models: [], modes: [], commands: [] };

const notLoaded = warning(
  "this directory is not loaded; the next run loads it, or a request with the role propose, prompt or admin",
);

/** Returns the view of a directory that is not loaded. The notices say why it is not loaded. */
function emptyOf(directory: string, notices: readonly Notice[]): Workspace {
  const nothing = { agents: [], commands: [], tools: [], mcp: [], retired: [] };
  return {
    ...nothing,
    directory,
    notices,
    generation: null,
    problem: null,
    model: null,
    demo: false,
    agent: null,
  };
}

/**
 * Returns the view of an MCP server. Null if the resource is not an MCP server. A server that did not start is
 * included.
 */
function serverOf({ key, place, resource, problem, error }: OpenResource): McpServer | null {
  const [kind, name = ""] = key.split(":");
  if (kind !== "mcp") return null;
  const { file, line } = place ?? { file: null, line: null };
  if (resource !== null && hasStatus(resource)) {
    const { transport, status, server, tools, prompts, resources, stderr, ...rest } =
      resource.status();
    return {
      name,
      transport,
      status,
      problem: rest.problem,
      file,
      line,
      needsSignIn: rest.needsSignIn,
      server,
      tools,
      prompts,
      resources,
      stderr,
    };
  }
  return {
    name,
    transport: null,
    status: "failed",
    problem: problem ?? "the server could not be started",
    file,
    line,
    needsSignIn: needsSignIn(error),
    server: null,
    tools: [],
    prompts: [],
    resources: 0,
    stderr: "",
  };
}

function hasStatus(resource: object): resource is { status(): McpStatus } {
  return "status" in resource && typeof resource.status === "function";
}
