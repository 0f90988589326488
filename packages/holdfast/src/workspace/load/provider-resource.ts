import { createHash } from "node:crypto";
import { sleep } from "../../base/time.ts";
import { AgentFailure } from "../../agent/agent.ts";
import { post } from "../../agent/model/chat/post.ts";
import type { Post } from "../../agent/model/chat/post.ts";
import type { Provider } from "../../agent/model/known-providers.ts";
import type { Model, ModelPart, ModelRequest } from "../../agent/model/model.ts";
import type { openModel as openModelType } from "../../agent/model/providers.ts";
import type { Resource, ResourcePlan } from "../loader.ts";

/** A provider that models can be opened of. It has nothing to close, and it can be taken away. */
export interface ProviderResource extends Resource {
  readonly provider: Provider;
  /** The same object for the same name. */
  model(name: string): Model;
  /** Until `release`, the run is one that has to stop when the provider is revoked. */
  use(runId: string): void;
  release(runId: string): void;
  isUsedBy(runId: string): boolean;
  /** From here on no request leaves, and those that are under way are cut off. */
  revoke(): void;
}

const providerKeyPrefix = "provider:";

export function providerPlan(provider: Provider, settings: string): ResourcePlan {
  const { name } = provider;
  const digest = createHash("sha256").update(settings).digest("hex").slice(0, 16);
  return {
    key: `${providerKeyPrefix}${name}:${digest}`,
    title: `provider ${name}`,
    open: async () => {
      // Loaded only when there is a provider: most of the start would be spent on it.
      const { openModel } = await import("../../agent/model/providers.ts");
      return openProvider(provider, { openModel, cancelTime: 5_000 });
    },
  };
}

export function openProvider(
  provider: Provider,
  parts: {
    readonly openModel: typeof openModelType;
    /** Milliseconds that the cancel of a run may take to come, after its provider was taken away. */
    readonly cancelTime: number;
  },
): ProviderResource {
  const { openModel, cancelTime } = parts;
  const models = new Map<string, Model>();
  const users = new Set<string>();
  const { name: provided } = provider;
  // Without a hold: the next run has another generation, and need not share the failure (L4).
  const gone = (cause?: unknown): AgentFailure =>
    new AgentFailure("modelGone", `the provider ${provided} was disconnected`, { cause });
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
  /** A run whose call is cut off is about to be cancelled for the same reason: that is its outcome. */
  async function* heard(model: Model, request: ModelRequest): AsyncGenerator<ModelPart> {
    try {
      yield* model.stream(request);
    } catch (error) {
      if (!revoked.signal.aborted) throw error;
      // Rejects when the run is cancelled, which is what this waits for.
      await sleep(cancelTime, { signal: request.signal }).catch(() => {});
      if (request.signal.aborted) throw request.signal.reason;
      throw gone(error);
    }
  }
  return {
    provider,
    version: () => "",
    onChange: () => () => {},
    close: () => Promise.resolve(),
    model: (name) => {
      if (revoked.signal.aborted) throw revoked.signal.reason;
      const known = models.get(name);
      if (known !== undefined) return known;
      const model = openModel([provider], `${provided}/${name}`, {
        fetch: guarded,
        post: guardedPost,
      });
      const opened = { ...model, stream: (request: ModelRequest) => heard(model, request) };
      // Prompts may name whatever they like: what is kept of it is bounded.
      if (models.size < mostModels) models.set(name, opened);
      return opened;
    },
    use: (runId) => void users.add(runId),
    release: (runId) => void users.delete(runId),
    isUsedBy: (runId) => users.has(runId),
    revoke: () => revoked.abort(gone()),
  };
}

const mostModels = 200;
