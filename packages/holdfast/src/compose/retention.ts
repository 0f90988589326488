import type { Actor } from "../kernel/event.ts";
import type { Repeated } from "../base/repeat.ts";
import { repeat } from "../base/repeat.ts";
import { carryOut, planRetention } from "../runtime/retention/retention.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { sweepUploads } from "../server/uploads.ts";
import type { RetentionConfig } from "../workspace/config/config.ts";
import type { Configs } from "../workspace/config/configs.ts";

const usualUploadAge = 24 * 3_600_000;

/** Milliseconds since which unused uploads count as forgotten. */
export function uploadAge({ deleteUploadsAfter }: RetentionConfig): number {
  return deleteUploadsAfter ?? usualUploadAge;
}

/** The user's own config decides, as it is each time. Several nodes may do the same: once is enough. */
export function startRetention(options: {
  runtime: Runtime;
  configs: Configs;
  onError: (error: unknown) => void;
}): Repeated {
  const { runtime, configs, onError } = options;
  const { store } = runtime;
  const work = async (): Promise<void> => {
    const id = runtime.nodeId();
    if (id === null) return;
    const actor: Actor = { kind: "node", id };
    const { retention } = (await configs.read(null)).config;
    await sweepUploads(store, { before: (await store.now()) - uploadAge(retention) });
    await carryOut(store, { ...(await planRetention(store, retention)), actor });
  };
  return repeat({ work, first: 60_000, every: 3_600_000, onError });
}
