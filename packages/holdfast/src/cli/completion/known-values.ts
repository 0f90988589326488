import { homedir } from "node:os";
import type { Holdfast, SessionHandle } from "@holdfast/sdk";
import { withTimeout } from "../../base/time.ts";
import { openClient } from "../../compose/client.ts";
import { defaultStore } from "../../compose/stores.ts";
import { chooseSession, configPlace, placeOf } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { storeAddress } from "../help-text.ts";
import { holdText } from "../terminal/hold-text.ts";
import { withDemo } from "../commands/demo-agent.ts";
import { statusText } from "../commands/session-status.ts";
import { shortId } from "../ids.ts";
import { oneLine } from "../terminal/printable.ts";
import type { Candidate } from "./complete.ts";

/** Kinds of values that shell completion requests from the running server. */
export type ValueKind =
  | "session"
  | "prompt"
  | "hold"
  | "action"
  | "token"
  | "model"
  | "agent"
  | "command"
  | "provider"
  | "mcp";

const most = 50;

/**
 * Asks the running server for values. Returns none if there is no server, if it refuses, or if it does not answer in
 * time.
 */
export async function knownValues(
  kind: ValueKind,
  typed: ReadonlyMap<string, string>,
  /** Milliseconds to wait for the answer. */
  patience: number,
): Promise<readonly Candidate[]> {
  try {
    return await withTimeout(ask(kind, typed), { milliseconds: patience, late: () => [] });
  } catch {
    // Return nothing, because a shell cannot show an error here. The command itself reports the problem.
    return [];
  }
}

async function ask(
  kind: ValueKind,
  typed: ReadonlyMap<string, string>,
): Promise<readonly Candidate[]> {
  const options = placeIn(typed);
  await using client = await openClient({ ...placeOf(options), patience: 0 }, "running");
  const { holdfast } = client;
  const inSession = (): Promise<SessionHandle> => chooseSession(holdfast, typed.get("session"));
  return await sources[kind]({ holdfast, options, inSession });
}

function placeIn(typed: ReadonlyMap<string, string>): ClientOptions & { directory?: string } {
  const { HOLDFAST_STORE: variable = "" } = process.env;
  const named = typed.get("store") ?? variable;
  const [server, directory] = [typed.get("server"), typed.get("directory")];
  return {
    store: named === "" ? defaultStore(process.env, homedir()) : storeAddress(named),
    ...(server === undefined ? {} : { server }),
    ...(directory === undefined ? {} : { directory }),
  };
}

interface Asked {
  readonly holdfast: Holdfast;
  readonly options: ClientOptions & { directory?: string };
  readonly inSession: () => Promise<SessionHandle>;
}

const sources: Readonly<Record<ValueKind, (asked: Asked) => Promise<readonly Candidate[]>>> = {
  session: async ({ holdfast }) => {
    const { items } = await holdfast.sessions.list({ limit: most });
    return items.map((session) => {
      const words = [statusText(session), session.title ?? session.directory].join(", ");
      return { word: shortId(session.sessionId), description: oneLine(words, 80) };
    });
  },
  prompt: async ({ inSession }) => {
    const found: Candidate[] = [];
    for await (const { promptId, text } of (await inSession()).eachPrompt()) {
      found.unshift({ word: shortId(promptId), description: oneLine(text ?? "", 60) });
    }
    return found.slice(0, most);
  },
  hold: async ({ inSession }) =>
    (await (await inSession()).holds()).map((hold) => ({
      word: shortId(hold.holdId),
      description: holdText(hold),
    })),
  action: async ({ holdfast }) =>
    (await holdfast.maintenance.list({ limit: most })).items.map(({ actionId, kind, status }) => ({
      word: shortId(actionId),
      description: `${kind}, ${status}`,
    })),
  token: async ({ holdfast }) =>
    (await holdfast.tokens.list())
      .filter(({ revokedAt }) => revokedAt === null)
      .map(({ tokenId, name }) => ({ word: tokenId, description: oneLine(name, 60) })),
  model: async ({ holdfast, options }) => {
    const { items } = await holdfast.providers.models({ ...configPlace(options), limit: 500 });
    return items.map(({ id }) => ({ word: id, description: "" }));
  },
  agent: async (asked) => withDemo(await workspaceOf(asked)).map(described),
  command: async (asked) => (await workspaceOf(asked)).commands.map(slashed).map(described),
  provider: async ({ holdfast, options }) =>
    (await holdfast.providers.list(configPlace(options))).items.map(({ name }) => ({
      word: name,
      description: "",
    })),
  mcp: async (asked) =>
    (await workspaceOf(asked)).mcp.map(({ name, status }) => ({ word: name, description: status })),
};

function workspaceOf({ holdfast, options }: Asked) {
  const { directory = process.cwd() } = configPlace(options);
  return holdfast.workspaces.get(directory);
}

function described({ name, description }: { name: string; description: string }): Candidate {
  return { word: name, description: oneLine(description, 60) };
}

function slashed({ name, description }: { name: string; description: string }) {
  return { name: `/${name}`, description };
}
