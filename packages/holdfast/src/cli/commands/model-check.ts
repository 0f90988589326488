import { Refused } from "@holdfast/sdk";
import type { Workspace } from "@holdfast/sdk";
import { providersOf } from "../../agent/model/known-providers.ts";
import { connectAdvice } from "../../compose/stores.ts";
import { CliError, exitCodes } from "../cli-error.ts";
import type { JsonOption } from "../cli-error.ts";
import { isElsewhere } from "../client-options.ts";
import type { ClientOptions } from "../client-options.ts";
import { isAboutDefaultModel } from "../terminal/notice.ts";
import { terminalInput } from "../terminal/person.ts";
import { demoAgent } from "./demo-agent.ts";
import type { RunClient } from "./run-client.ts";

/**
 * Returns the model that a prompt will use. Null: the demo agent answers. Undefined: the model is unknown, because an
 * external (hosted) agent chooses it, the agent does not exist, or the token has no right to read it. If no model is
 * connected, throws, unless no provider was ever connected and a person reads the answer at a terminal: then the demo
 * agent answers.
 */
export async function expectModel(
  client: RunClient,
  prompt: ClientOptions & JsonOption & { directory: string; agent: string | null; model?: string },
): Promise<string | null | undefined> {
  if (prompt.agent === demoAgent) return null;
  if (prompt.model !== undefined) return prompt.model;
  const isNamed = prompt.agent !== null;
  // If the directory does not have the agent, let the server refuse the prompt and list the agents.
  const agent = isNamed ? await agentOf(client, prompt) : null;
  if (agent === undefined || agent?.isHosted === true) return undefined;
  const model = await modelAt(client, prompt);
  if (model !== null) return model;
  if (!isNamed && (await isForHostedAgent(client, prompt))) return undefined;
  const workspace = await client.holdfast.workspaces.get(prompt.directory);
  if (isWatched(prompt) && workspace.demo) return null;
  const unselected = workspace.notices.find(isAboutDefaultModel);
  if (unselected !== undefined && (await hasProvider(client, prompt))) {
    throw new CliError("noModel", unselected.message, exitCodes.usage);
  }
  const demo = "or try the demo agent, which needs no model, with --agent demo";
  throw new CliError(
    "noModel",
    `no model is connected. ${connectAdvice}; ${demo}`,
    exitCodes.usage,
  );
}

/** True if a provider is connected, with or without a selected model. */
async function hasProvider(
  { holdfast }: RunClient,
  { directory }: { directory: string },
): Promise<boolean> {
  const { items } = await holdfast.providers.list({ directory });
  return items.some(({ status }) => status === "connected");
}

/** True if a person reads the answer. A script must not mistake the demo agent's answer for a model's. */
function isWatched({ json }: JsonOption): boolean {
  return json !== true && process.stdout.isTTY && terminalInput() !== null;
}

/** False if no model is connected. True if this is unknown, because the token has no right to read it. */
export async function hasModel(
  client: RunClient,
  place: ClientOptions & { directory: string },
): Promise<boolean> {
  return (await modelAt(client, place)) !== null;
}

async function modelAt(
  client: RunClient,
  place: ClientOptions & { directory: string },
): Promise<string | null | undefined> {
  if (client.url === null) return client.model;
  const list = await client.holdfast.providers
    .list({ directory: place.directory })
    .catch((error: unknown) => {
      if (error instanceof Refused) return undefined;
      throw error;
    });
  if (list === undefined || list.model !== null || isElsewhere(place)) return list?.model;
  // The server has no model, but this command sends it the providers in the command's environment. Use the model of the
  // first of these providers that the user has not disconnected.
  const { HOLDFAST_MODEL: named = "" } = process.env;
  const first = providersOf(process.env).find(
    ({ name }) => !list.items.some((item) => item.name === name && item.status === "disconnected"),
  );
  if (first === undefined) return null;
  return named.trim() === "" ? `${first.name}/${first.defaultModel ?? "?"}` : named.trim();
}

/** True if an external (hosted) agent answers the prompt. */
export async function isForHostedAgent(client: RunClient, prompt: Addressed): Promise<boolean> {
  return (await agentOf(client, prompt))?.isHosted === true;
}

interface Addressed {
  readonly directory: string;
  /** Null: the default agent of the directory. */
  readonly agent: string | null;
}

async function agentOf(
  { holdfast }: RunClient,
  { directory, agent }: Addressed,
): Promise<Workspace["agents"][number] | undefined> {
  const workspace = await holdfast.workspaces.get(directory);
  const name = agent ?? workspace.agent;
  return workspace.agents.find((known) => known.name === name);
}
