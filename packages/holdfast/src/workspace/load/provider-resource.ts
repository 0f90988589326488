import { createHash } from "node:crypto";
import { sleep } from "../../base/time.ts";
import { AgentFailure } from "../../agent/agent.ts";
import { post } from "../../agent/model/chat/post.ts";
import type { Post } from "../../agent/model/chat/post.ts";
import type { TransportOptions } from "../../agent/model/access/transport.ts";
import type { Provider } from "../../agent/model/known-providers.ts";
import type { Model, ModelPart, ModelRequest } from "../../agent/model/model.ts";
import type { openModel as openModelType } from "../../agent/model/providers.ts";
import type { ServerFacts } from "../../agent/model/catalogue/server-facts.ts";
import type { Resource, ResourcePlan } from "../loader.ts";
import { createStatedFacts } from "./stated-facts.ts";

/** A provider as a resource of a config version. It has nothing to close, but can be revoked. */
export interface ProviderResource extends Resource {
  readonly provider: Provider;
  /**
   * Returns a model. Calls with the same name return the same object, until the server reports other model properties.
   */
  model(name: string): Promise<Model>;
  /** Records that a run uses the provider, until `release`. The run must stop if the provider is revoked. */
  use(runId: string): void;
  release(runId: string): void;
  isUsedBy(runId: string): boolean;
  /** Sends no more requests, and aborts those in progress. */
  revoke(): void;
}

const providerKeyPrefix = "provider:";

export function providerPlan(
  provider: Provider,
  options: Pick<Required<TransportOptions>, "learn" | "signIns"> & {
    /** All settings as text, to detect changes. */
    readonly settings: string;
  },
): ResourcePlan {
  const { name } = provider;
  const { settings, learn, signIns } = options;
  const digest = createHash("sha256").update(settings).digest("hex").slice(0, 16);
  return {
    key: `${providerKeyPrefix}${name}:${digest}`,
    title: `provider ${name}`,
    open: async () => {
      // Imported only if there is a provider, because the import would take most of the start-up time.
      const { openModel } = await import("../../agent/model/providers.ts");
      return openProvider(provider, { openModel, learn, signIns, cancelTime: 5_000 });
    },
  };
}

export function openProvider(
  provider: Provider,
  options: Pick<TransportOptions, "learn" | "signIns"> & {
    readonly openModel: typeof openModelType;
    /** Milliseconds to wait for a run to be cancelled after its provider was revoked. */
    readonly cancelTime: number;
  },
): ProviderResource {
  const { openModel, cancelTime, learn = () => {}, signIns = null } = options;
  const models = new Map<string, { readonly server: ServerFacts | null; readonly model: Model }>();
  const users = new Set<string>();
  const { name: provided } = provider;
  // This failure does not pause the session: the next run has another config version and may succeed (L4).
  const disconnected = (cause?: unknown): AgentFailure =>
    new AgentFailure(
      "modelGone",
      `The provider ${provided} was disconnected. Connect it again or choose another model.`,
      { cause },
    );
  const revoked = new AbortController();
  const guarded: typeof fetch = async (input, init) => {
    revoked.signal.throwIfAborted();
    const given = init?.signal ?? null;
    const signal = given === null ? revoked.signal : AbortSignal.any([given, revoked.signal]);
    return fetch(input, { ...init, signal });
  };
  const guardedPost: Post = async (posting) => {
    revoked.signal.throwIfAborted();
    return post({ ...posting, signals: [...posting.signals, revoked.signal] });
  };
  const stated = createStatedFacts(provider, { fetch: guarded, now: () => performance.now() });
  /** If the provider is revoked, waits for the run to be cancelled, so that it ends as cancelled and not as failed. */
  async function* guardedStream(model: Model, request: ModelRequest): AsyncGenerator<ModelPart> {
    try {
      yield* model.stream(request);
    } catch (error) {
      if (!revoked.signal.aborted) throw error;
      // `sleep` rejects when the run is cancelled; otherwise the wait ends after `cancelTime`.
      await sleep(cancelTime, { signal: request.signal }).catch(() => {});
      if (request.signal.aborted) throw request.signal.reason;
      throw disconnected(error);
    }
  }
  return {
    provider,
    version: () => "",
    onChange: () => () => {},
    close: () => Promise.resolve(),
    model: async (name) => {
      revoked.signal.throwIfAborted();
      const server = await stated(name);
      revoked.signal.throwIfAborted();
      const known = models.get(name);
      if (known !== undefined && known.server === server) return known.model;
      const model = openModel([provider], `${provided}/${name}`, {
        fetch: guarded,
        post: guardedPost,
        server,
        learn,
        signIns,
      });
      const opened = { ...model, stream: (request: ModelRequest) => guardedStream(model, request) };
      // Limit the cache, because prompts may contain any model name.
      if (models.size < maxModels) models.set(name, { server, model: opened });
      return opened;
    },
    use: (runId) => void users.add(runId),
    release: (runId) => void users.delete(runId),
    isUsedBy: (runId) => users.has(runId),
    revoke: () => revoked.abort(disconnected()),
  };
}

const maxModels = 200;
