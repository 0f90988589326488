import {
  defaultModel,
  passwordIn,
  usualAddress,
  usualModel,
} from "../../agent/model/known-providers.ts";
import type { Provider } from "../../agent/model/known-providers.ts";
import type { Agent, Workspace } from "../../agent/agent.ts";
import type { AgentSetup, Models } from "../../agent/setup.ts";
import { keepLast } from "../../base/bounded-map.ts";
import type { PinningRun } from "../../kernel/maintenance.ts";
import { openProvider } from "../load/provider-resource.ts";
import type { ProviderResource } from "../load/provider-resource.ts";
import type { Choice } from "../load/loader.ts";
import { WorkspaceError } from "../loader.ts";
import type { SourcedProvider } from "./merge.ts";

/** A provider that a client found in its own environment. */
export interface OfferedProvider {
  readonly name: string;
  readonly key: string | null;
  /** True: send the key as `Authorization: Bearer`. */
  readonly bearer?: true | undefined;
  readonly baseUrl?: string | undefined;
}

/** Providers that clients have offered for single sessions. They are kept in memory only. */
export interface SessionProviders {
  /**
   * Replaces the providers that a client offers for a session. Returns the names of those that the session's runs will
   * use.
   */
  offer(
    target: { sessionId: string; directory: string },
    offered: readonly OfferedProvider[],
  ): Promise<readonly string[]>;
  /** True if a client has offered the provider, or if a run uses an offer of it. */
  has(name: string): boolean;
  /**
   * Revokes and removes all offers of these providers. Runs that use one can send no more requests to it. Returns a
   * function that lists the runs that still use a revoked offer.
   */
  revoke(names: readonly string[]): () => readonly PinningRun[];
  /** Wraps an agent so that runs use the offered providers of their session. */
  wrap(agent: Agent): Agent;
}

/** A run and the offers that it uses, even if a client has replaced them in the meantime. */
interface OfferUse {
  readonly run: PinningRun;
  readonly resources: Set<ProviderResource>;
}

const maxSessions = 1_000;

export function createSessionProviders(options: {
  readonly choice: (directory: string) => Promise<Choice>;
  /** Returns the parent of a session; null if it has none. */
  readonly parentOf: (sessionId: string) => Promise<string | null>;
  readonly learn: (secrets: readonly string[]) => void;
}): SessionProviders {
  const sessions = new Map<string, readonly ProviderResource[]>();
  const uses = new Map<string, OfferUse>();
  const revoked = new WeakSet<ProviderResource>();
  /** Child sessions use the providers of their parents. */
  const offersFor = async (sessionId: string): Promise<readonly ProviderResource[]> => {
    for (let id: string | null = sessionId; id !== null; id = await options.parentOf(id)) {
      const found = sessions.get(id);
      if (found !== undefined) return found;
    }
    return [];
  };
  /** Returns the offers that a run in this workspace may use: the user's own settings take precedence. */
  const usableOffers = async (
    offers: readonly ProviderResource[],
    { directory, models }: { directory: string; models: Models },
  ): Promise<readonly ProviderResource[]> => {
    const { disconnected, providers: loaded } = models;
    const wanted = offers.filter(({ provider }) => !disconnected.includes(provider.name));
    if (!wanted.some(({ provider }) => loaded.includes(provider.name))) return wanted;
    const known = await options.choice(directory).catch((error: unknown) => {
      // A broken config does not end a run, because the run uses an older config version (M6).
      if (error instanceof WorkspaceError) return { providers: [] };
      throw error;
    });
    const own = new Set(known.providers.filter(isOwn).map(({ provider }) => provider.name));
    return wanted.filter(({ provider: { name } }) => !own.has(name) || !loaded.includes(name));
  };
  const adapt = async (sessionId: string, workspace: Workspace): Promise<AgentSetup | null> => {
    const { directory, setup } = workspace;
    const offers = await offersFor(sessionId);
    if (setup === null || offers.length === 0) return setup;
    const usable = await usableOffers(offers, { directory, models: setup.models });
    if (usable.length === 0) return setup;
    return withOffers(setup, {
      offers: usable,
      onUse: (resource, runId) => {
        const use = uses.get(runId) ?? {
          run: { directory, sessionId, runId },
          resources: new Set(),
        };
        use.resources.add(resource);
        uses.set(runId, use);
      },
      onRelease: (runId) => void uses.delete(runId),
    });
  };
  const allOffers = (): readonly ProviderResource[] => [
    ...[...sessions.values()].flat(),
    ...[...uses.values()].flatMap(({ resources }) => [...resources]),
  ];
  return {
    offer: async ({ sessionId, directory }, offered) => {
      const { providers } = await options.choice(directory);
      const used = offered.flatMap(providerOf).filter((provider) => isNews(provider, providers));
      if (used.length === 0) {
        sessions.delete(sessionId);
        return [];
      }
      options.learn(used.flatMap(secretsIn));
      const { openModel } = await import("../../agent/model/providers.ts");
      const open = used.map((provider) => openProvider(provider, { openModel, cancelTime: 5_000 }));
      keepLast(sessions, { key: sessionId, value: open }, maxSessions);
      return used.map(({ name }) => name);
    },
    has: (name) => allOffers().some(({ provider }) => provider.name === name),
    revoke: (names) => {
      const isNamed = ({ provider }: ProviderResource): boolean => names.includes(provider.name);
      for (const resource of allOffers().filter(isNamed)) {
        revoked.add(resource);
        resource.revoke();
      }
      for (const [sessionId, offers] of sessions) {
        const kept = offers.filter((offer) => !isNamed(offer));
        if (kept.length === 0) sessions.delete(sessionId);
        else sessions.set(sessionId, kept);
      }
      const usesRevoked = ({ resources }: OfferUse): boolean =>
        [...resources].some((each) => isNamed(each) && revoked.has(each));
      return () => [...uses.values()].filter(usesRevoked).map(({ run }) => run);
    },
    wrap: (agent) => ({
      ...agent,
      run: async function* run(context) {
        const setup = await adapt(context.sessionId, context.workspace);
        if (setup === context.workspace.setup) return yield* agent.run(context);
        const workspace = { ...context.workspace, setup };
        // Inherit from the context instead of copying it, because its list of prompts grows during the run.
        yield* agent.run(Object.create(context, { workspace: { value: workspace } }));
      },
      title: async (prompt, context) => {
        const setup = await adapt(context.sessionId, context.workspace);
        const workspace = { ...context.workspace, setup };
        return (await agent.title?.(prompt, { ...context, workspace })) ?? null;
      },
    }),
  };
}

/**
 * False if the server already has the same provider, or if the user has stored or configured a key for it or has
 * disconnected it: such settings take precedence over a client's environment.
 */
function isNews({ name, key, baseUrl }: Provider, known: readonly SourcedProvider[]): boolean {
  const own = known.find(({ provider }) => provider.name === name);
  if (own === undefined) return true;
  const { provider, status } = own;
  if (isOwn(own) || status === "disconnected") return false;
  return provider.key !== key || provider.baseUrl !== baseUrl;
}

/** True if the user has stored or configured the key. */
function isOwn({ source }: SourcedProvider): boolean {
  return source === "file" || source === "config";
}

function providerOf({ name, key, bearer, baseUrl }: OfferedProvider): readonly Provider[] {
  const address = baseUrl ?? usualAddress(name);
  if (address === null || (key === null && baseUrl === undefined)) return [];
  const provider = { name, key, baseUrl: address, defaultModel: usualModel(name) };
  return [bearer === true ? { ...provider, bearer } : provider];
}

function secretsIn({ key, baseUrl }: Provider): string[] {
  return [key ?? "", passwordIn(baseUrl)].filter((secret) => secret !== "");
}

interface UsableOffers {
  readonly offers: readonly ProviderResource[];
  /** Called before a run opens a model of an offered provider. */
  readonly onUse: (resource: ProviderResource, runId: string) => void;
  readonly onRelease: (runId: string) => void;
}

async function withOffers(setup: AgentSetup, usable: UsableOffers): Promise<AgentSetup> {
  const { models } = setup;
  const extended = withProviders(models, usable);
  const hadModel = models.chosen !== null || models.providers.length > 0;
  if (hadModel) return { ...setup, models: extended };
  // If no model was available, the directory was loaded without tools. Add the tools here.
  const { codingTools } = await import("../../agent/tools/all.ts");
  const tools = codingTools({ agents: [...setup.profiles.values()] });
  return { ...setup, models: extended, tools: [...tools, ...setup.tools] };
}

function withProviders(models: Models, { offers, onUse, onRelease }: UsableOffers): Models {
  const chosen = models.chosen ?? defaultModel(offers.map(({ provider }) => provider));
  const names = offers.map(({ provider }) => provider.name);
  return {
    ...models,
    chosen,
    providers: [...new Set([...models.providers, ...names])],
    open: (id, run) => {
      const wanted = id ?? chosen ?? "";
      const resource = offers.find(({ provider }) => wanted.startsWith(`${provider.name}/`));
      if (resource === undefined) return models.open(id, run);
      if (run !== undefined) onUse(resource, run.runId);
      return resource.model(wanted.slice(resource.provider.name.length + 1));
    },
    release: (runId) => {
      onRelease(runId);
      models.release(runId);
    },
  };
}
