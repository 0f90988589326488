import { Refused } from "@holdfast/sdk";
import type { Holdfast, Workspace } from "@holdfast/sdk";
import { factsOf } from "../../agent/model/model-facts.ts";
import type { AcpSession } from "./acp-session.ts";
import {
  choose,
  commandsOf,
  configOptions,
  modesOf,
  namedBy,
  nothingChosen,
  readMode,
  stillOffered,
} from "./choices.ts";
import type { Chosen, NamedChoices, Offer } from "./choices.ts";
import { rpcCodes, RpcError } from "../../base/json-rpc.ts";
import type { ConfigOption, SessionModes } from "./protocol.ts";
import { withTimeout } from "../../base/time.ts";

/** Mode of each open session, and the agent, the model and the agent's mode that the person has chosen in it. */
export interface SessionChoices {
  /**
   * Returns the settings that the user can choose in a session, such as the mode and the model, for the response to the
   * request that opens the session.
   */
  open(session: AcpSession, workspace: Workspace): Promise<Offered>;
  choose(sessionId: string, setting: Setting): Promise<readonly ConfigOption[]>;
  /** Tells the editor the mode of a session, which any client may have set. */
  sendMode(sessionId: string): void;
  /** Tells the editor the agent of a session, which any client may have set, and the commands of this agent. */
  sendAgent(sessionId: string): void;
  /** Sends the commands for the next prompts of the session, if the editor does not have them yet. */
  sendCommands(session: AcpSession): Promise<void>;
  /** Returns the agent, the model and the agent's mode to name in a prompt of the session. */
  named(sessionId: string): NamedChoices;
  /**
   * Returns a model's context window in tokens, from the model's server, the config or the catalogue. Null: unknown.
   */
  windowOf(directory: string, model: string): number | null;
  /** Forgets a session that was closed. */
  forget(sessionId: string): void;
}

export interface Offered {
  readonly configOptions?: readonly ConfigOption[];
  readonly modes?: SessionModes;
}

interface Setting {
  readonly configId: string;
  readonly value: string;
}

interface Entry {
  readonly session: AcpSession;
  readonly offer: Offer;
  readonly chosen: Chosen;
}

/** Milliseconds that opening a session waits for the model lists of providers. */
const soon = 1_000;
/** Maximum number of models in the menu of an editor. */
const mostModels = 100;
/** Timeout in milliseconds of the request for the model lists of providers. */
const givenUp = 15_000;

export function createSessionChoices(options: {
  connect: () => Promise<Holdfast>;
  onError: (error: unknown) => void;
}): SessionChoices {
  const { connect, onError } = options;
  const entries = new Map<string, Entry>();
  /** Commands that were sent to the editor last, as JSON. */
  const sentCommands = new WeakMap<AcpSession, string>();
  /** Context windows of listed models, by directory and model. */
  const windows = new Map<string, number>();
  const listed = async (directory: string): Promise<readonly string[]> => {
    const place = { directory, signal: AbortSignal.timeout(givenUp) };
    const holdfast = await connect();
    const { items } = await holdfast.providers.models({ ...place, limit: mostModels });
    for (const { id, context, source } of items) {
      if (source !== "guess") windows.set(windowKey(directory, id), context);
    }
    return items.map(({ id }) => id);
  };
  const optionsOf = (entry: Entry): readonly ConfigOption[] =>
    configOptions(offerOf(entry), { chosen: entry.chosen, mode: entry.session.mode() });
  const sendChoices = (entry: Entry): void =>
    entry.session.say({
      sessionUpdate: "config_option_update",
      configOptions: optionsOf(entry),
    });
  const sendCommands = async (session: AcpSession): Promise<void> => {
    await session.ready();
    const entry = entries.get(session.sessionId);
    if (entry?.session !== session) return;
    const availableCommands = commandsOf(offerOf(entry), entry.chosen).map((command) => ({
      ...command,
      input: { hint: "arguments" },
    }));
    const digest = JSON.stringify(availableCommands);
    if (sentCommands.get(session) === digest) return;
    sentCommands.set(session, digest);
    session.say({ sessionUpdate: "available_commands_update", availableCommands });
  };
  /** Adds models that were found only after the response that opened the session. */
  const add = async (session: AcpSession, models: readonly string[]): Promise<void> => {
    await session.ready();
    const entry = entries.get(session.sessionId);
    if (entry?.session !== session || models.length === 0) return;
    const { workspace, models: known } = entry.offer;
    const now = { ...entry, offer: { workspace, models: together(known, models) } };
    entries.set(session.sessionId, now);
    sendChoices(now);
  };
  return {
    open: async (session, workspace) => {
      const { sessionId, directory } = session;
      const asking = workspace.model === null ? Promise.resolve([]) : listed(directory);
      const listing = asking.catch((error: unknown) => {
        // A token without the right to list providers is refused. The directory's own model is still offered.
        if (!(error instanceof Refused)) onError(error);
        return [];
      });
      const inTime = await withTimeout(listing, { milliseconds: soon, late: () => null });
      const named = [workspace.model, ...workspace.agents.map(({ model }) => model)];
      const models = together(
        named.filter((model) => model !== null),
        inTime ?? [],
      );
      const offer = { workspace, models };
      const chosen = stillOffered(offer, entries.get(sessionId)?.chosen ?? nothingChosen);
      const entry = { session, offer, chosen };
      // If the editor has loaded the session again meanwhile, keep the entry of the new load.
      if (!session.closed.aborted) entries.set(sessionId, entry);
      if (inTime === null) void listing.then((late) => add(session, late)).catch(onError);
      return { configOptions: optionsOf(entry), modes: modesOf(session.mode()) };
    },
    choose: async (sessionId, setting) => {
      const entry = entries.get(sessionId);
      if (entry === undefined) {
        const message = `session ${sessionId} is not open here`;
        throw new RpcError({ code: rpcCodes.notFound, message });
      }
      const chosen = choose(offerOf(entry), entry.chosen, setting);
      const now = { ...entry, chosen };
      entries.set(sessionId, now);
      const mode = setting.configId === "mode" ? readMode(setting.value) : null;
      if (mode !== null) await entry.session.setMode(mode);
      // The commands of the chosen agent are other ones. If they cannot be sent, the editor keeps the old ones.
      sendCommands(entry.session).catch(onError);
      return optionsOf(now);
    },
    sendMode: (sessionId) => {
      const entry = entries.get(sessionId);
      if (entry === undefined) return;
      // Send the mode in two ways: newer editors show the mode as a config option, older editors read the message
      // `current_mode_update`.
      sendChoices(entry);
      const currentModeId = entry.session.mode();
      entry.session.say({ sessionUpdate: "current_mode_update", currentModeId });
    },
    sendAgent: (sessionId) => {
      const entry = entries.get(sessionId);
      if (entry === undefined) return;
      sendChoices(entry);
      sendCommands(entry.session).catch(onError);
    },
    sendCommands,
    named: (sessionId) => {
      const entry = entries.get(sessionId);
      return entry === undefined ? {} : namedBy(offerOf(entry), entry.chosen);
    },
    windowOf: (directory, model) =>
      windows.get(windowKey(directory, model)) ?? windowInCatalogue(model),
    forget: (sessionId) => void entries.delete(sessionId),
  };
}

/** Returns the offer with the agent of the session, if the session has one, instead of the directory's default. */
function offerOf({ session, offer }: Entry): Offer {
  const { workspace, models } = offer;
  return { workspace: { ...workspace, agent: session.agent() ?? workspace.agent }, models };
}

function windowKey(directory: string, model: string): string {
  return JSON.stringify([directory, model]);
}

function windowInCatalogue(model: string): number | null {
  const { limits, source } = factsOf(model);
  return source === "guess" ? null : limits.context;
}

function together(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])];
}
