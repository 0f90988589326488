import { Refused } from "@holdfast/sdk";
import type { Holdfast, Workspace } from "@holdfast/sdk";
import type { AcpSession } from "./acp-session.ts";
import { choose, configOptions, modesOf, nothingChosen, stillOffered } from "./choices.ts";
import type { Chosen, Offer } from "./choices.ts";
import { rpcCodes, RpcError } from "./json-rpc.ts";
import type { ConfigOption, SessionModes } from "./protocol.ts";
import { withTimeout } from "../../base/time.ts";
import { modelsAt } from "../commands/models-command.ts";

/** What the person at the editor has chosen in each session that was opened here. */
export interface ChoiceDesk {
  /** What there is to choose, for the answer to whoever opens the session. */
  open(session: AcpSession, workspace: Workspace): Promise<Offered>;
  choose(sessionId: string, setting: Setting): readonly ConfigOption[];
  /** What a prompt of that session names. */
  named(sessionId: string): { readonly agent?: string; readonly model?: string };
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

/** Milliseconds that a session's opening waits for providers that are asked what they have. */
const soon = 1_000;
/** Milliseconds after which they have nothing to say. */
const givenUp = 15_000;

export function createChoiceDesk(options: {
  connect: () => Promise<Holdfast>;
  onError: (error: unknown) => void;
}): ChoiceDesk {
  const { connect, onError } = options;
  const entries = new Map<string, Entry>();
  const listed = async (directory: string): Promise<readonly string[]> => {
    const place = { directory, signal: AbortSignal.timeout(givenUp) };
    const holdfast = await connect();
    const { items } = await holdfast.providers.list(place);
    const connected = items.filter(({ status }) => status === "connected");
    const offers = await Promise.all(connected.map((each) => modelsAt(holdfast, each, place)));
    return offers.flatMap(({ models }) => models);
  };
  const sendChoices = ({ session, offer, chosen }: Entry): void =>
    session.say({
      sessionUpdate: "config_option_update",
      configOptions: configOptions(offer, chosen),
    });
  /** What has come too late for the answer. */
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
        // Not everybody may see the providers, and the directory's own is on offer all the same.
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
      entries.set(sessionId, entry);
      if (inTime === null) void listing.then((late) => add(session, late)).catch(onError);
      const configured = configOptions(entry.offer, chosen);
      const modes = modesOf(configured);
      if (configured.length === 0) return {};
      return { configOptions: configured, ...(modes === null ? {} : { modes }) };
    },
    choose: (sessionId, setting) => {
      const entry = entries.get(sessionId);
      if (entry === undefined) {
        const message = `session ${sessionId} is not open here`;
        throw new RpcError({ code: rpcCodes.notFound, message });
      }
      const chosen = choose(entry.offer, entry.chosen, setting);
      const now = { ...entry, chosen };
      entries.set(sessionId, now);
      const configured = configOptions(entry.offer, chosen);
      const modes = modesOf(configured);
      // It is shown in two places, and the answer is about one of them.
      if (modes !== null && chosen.agent !== entry.chosen.agent) {
        const { currentModeId } = modes;
        sendChoices(now);
        entry.session.say({ sessionUpdate: "current_mode_update", currentModeId });
      }
      return configured;
    },
    named: (sessionId) => {
      const { agent, model } = entries.get(sessionId)?.chosen ?? nothingChosen;
      return { ...(agent === null ? {} : { agent }), ...(model === null ? {} : { model }) };
    },
  };
}

function together(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])];
}
