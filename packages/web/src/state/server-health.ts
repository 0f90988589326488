import type { Status } from "@holdfast/sdk";
import { createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import { parseMetrics } from "@holdfast/model/metrics.ts";
import type { Sample } from "@holdfast/model/metrics.ts";
import { holdfast } from "./client.ts";
import { ownFetch } from "./own-fetch.ts";

const pause = 3_000;

export interface ServerHealth {
  readonly status: Status | null;
  /** Empty if the token is limited to some directories: metrics cover all of them. */
  readonly samples: readonly Sample[];
}

/** Polls the server's status and metrics while the calling component exists. */
export function serverHealth(): Accessor<ServerHealth> {
  const [health, setHealth] = createSignal<ServerHealth>({ status: null, samples: [] });
  const ended = new AbortController();
  const { signal } = ended;
  let mayReadMetrics = true;
  const readMetrics = async (): Promise<readonly Sample[]> => {
    if (!mayReadMetrics) return [];
    const answer = await ownFetch("/metrics", { signal });
    mayReadMetrics = answer.status !== 403;
    return answer.ok ? parseMetrics(await answer.text()) : [];
  };
  const ask = async (): Promise<void> => {
    if (document.visibilityState !== "visible") return;
    const [status, samples] = await Promise.all([
      holdfast.status({ signal, patience: 0 }),
      readMetrics(),
    ]);
    setHealth({ status, samples });
  };
  // If this fails, the next interval retries. The connection banner shows that the server is unreachable.
  const askAgain = (): void => void ask().catch(() => {});
  const timer = setInterval(askAgain, pause);
  askAgain();
  onCleanup(() => {
    clearInterval(timer);
    ended.abort();
  });
  return health;
}
