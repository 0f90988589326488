import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { WebhookDelivery } from "../contract/webhook.ts";
import { isOf } from "../kernel/event-table.ts";
import type { LaneEvent } from "../kernel/event.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { NodesView } from "../runtime/views/nodes.ts";
import type { AnsweredRequest, Metrics } from "./ports.ts";
import { createBoundedMap } from "../base/bounded-map.ts";
import { createQueuedPrompts } from "./queued-prompts.ts";
import type { Follower } from "./stream/follower.ts";

/** What this process counts for Prometheus. */
export interface ServerMetrics extends Metrics {
  answered(request: AnsweredRequest): void;
  delivered(delivery: WebhookDelivery): void;
  close(): void;
}

export interface MetricsOptions {
  readonly runtime: Pick<
    Runtime,
    "sessions" | "status" | "store" | "workspaces" | "maintenance" | "nodes"
  >;
  readonly follower: Follower;
  readonly subscribers: () => { readonly session: number; readonly all: number };
  readonly now: () => number;
  /** Also what the process itself uses: memory, processor, delays of its event loop. */
  readonly process: boolean;
  readonly onError: (error: unknown) => void;
}

const countedTypes = [
  "prompt.accepted",
  "prompt.takenIn",
  "prompt.settled",
  "run.started",
  "run.ended",
  "step.answered",
  "tool.ended",
  "ask.opened",
] as const;

/** How many prompts and runs are remembered between two of their events. */
const remembered = 10_000;

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/**
 * Counts what the log says, by following it: nothing in the runner knows of this. On several nodes
 * each sees the whole store's events, so these must not be added up; requests and subscribers may.
 */
export function createMetrics(options: MetricsOptions): ServerMetrics {
  const { runtime, follower, now, onError } = options;
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> => new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Histogram<Label> => new Histogram({ name, help, labelNames, buckets: seconds, registers });
  const gauge = (name: string, help: string, collect?: (gauge: Gauge) => Promise<void>): Gauge => {
    const own: Gauge = new Gauge({
      name,
      help,
      registers,
      ...(collect === undefined ? {} : { collect: () => collect(own) }),
    });
    return own;
  };

  const accepted = counter("holdfast_prompts_accepted_total", "Prompts accepted", ["delivery"]);
  const settled = counter("holdfast_prompts_settled_total", "Prompts settled", [
    "status",
    "reason",
  ]);
  const inQueue = histogram(
    "holdfast_prompt_queue_seconds",
    "From a prompt's accept until a run begins with it or takes it in",
  );
  const runTime = histogram("holdfast_run_seconds", "From a run's start to its end", ["status"]);
  const steps = counter("holdfast_steps_total", "Answers of models");
  const tokens = counter("holdfast_tokens_total", "Tokens used, as providers count", ["direction"]);
  const cost = counter("holdfast_cost_total", "What answers have cost, as far as it is known");
  const tools = counter("holdfast_tool_calls_total", "Calls of tools that ended", ["status"]);
  const asks = counter("holdfast_asks_total", "Asks opened");
  const lag = gauge(
    "holdfast_feed_lag_seconds",
    "Age of the last event when those who follow the feed in this process got it",
  );
  const requests = histogram("holdfast_http_request_seconds", "Requests answered", [
    "method",
    "route",
    "status",
  ]);
  const deliveries = counter("holdfast_webhook_attempts_total", "Webhook deliveries tried", [
    "result",
  ]);
  const subscribers = new Gauge({
    name: "holdfast_stream_subscribers",
    help: "Readers of event streams",
    labelNames: ["stream"],
    registers,
    collect: () => {
      const { session, all } = options.subscribers();
      subscribers.set({ stream: "session" }, session);
      subscribers.set({ stream: "all" }, all);
    },
  });
  const waiting = gauge("holdfast_lanes_waiting", "Lanes that are ready for a run or for work");
  gauge("holdfast_runs_active", "Runs that this process works on", async (own) => {
    const status = await runtime.status();
    own.set(status.running.length);
    waiting.set(status.waiting);
  });
  let looking: Promise<NodesView> | null = null;
  /** One look for all that are about to be asked. */
  const nodesNow = (): Promise<NodesView> => {
    looking ??= runtime.nodes().finally(() => {
      looking = null;
    });
    return looking;
  };
  const owned = new Gauge({
    name: "holdfast_lanes_owned",
    help: "Lanes that each node on the store owns; those of nodes that are gone under `gone`",
    labelNames: ["node"],
    registers,
    collect: async () => {
      const { nodes, abandoned } = await nodesNow();
      owned.reset();
      for (const { nodeId, lanes } of nodes) owned.set({ node: nodeId }, lanes.length);
      owned.set({ node: "gone" }, abandoned.length);
    },
  });
  gauge("holdfast_nodes", "Nodes on the store that have a lease", async (own) => {
    own.set((await nodesNow()).nodes.length);
  });
  const nowhereHelp = "Directories that lanes wait for and that no node has";
  gauge("holdfast_directories_nowhere", nowhereHelp, async (own) => {
    own.set((await nodesNow()).nowhere.length);
  });
  const rejected = new Counter({
    name: "holdfast_notifications_rejected_total",
    help: "PostgreSQL notifications ignored because no node of this store sent them",
    registers,
    collect: () => {
      rejected.reset();
      rejected.inc(runtime.store.rejectedNotifications());
    },
  });
  const queued = createQueuedPrompts({ runtime, follower });
  gauge("holdfast_prompts_queued", "Prompts that wait, in all sessions", async (own) => {
    own.set(await queued.count());
  });
  const generations = new Gauge({
    name: "holdfast_generations",
    help: "Generations of directories in this process: current, and retired ones that runs still use",
    labelNames: ["state"],
    registers,
    collect: () => {
      const open = runtime.workspaces?.list() ?? [];
      const current = open.flatMap((directory) => directory.current ?? []);
      const retired = open.flatMap((directory) => directory.retired);
      generations.set({ state: "current" }, current.length);
      generations.set({ state: "retired" }, retired.length);
      const count = [...current, ...retired].flatMap((generation) => generation.pins).length;
      pins.set(count);
    },
  });
  const pins = gauge("holdfast_generation_pins", "Runs in this process that pin a generation");
  const maintained = counter("holdfast_maintenance_total", "Refreshes and closes that ended", [
    "kind",
    "status",
  ]);
  gauge("holdfast_maintenance_open", "Refreshes and closes that have not ended", async (own) => {
    own.set(runtime.maintenance.open().length);
  });
  if (options.process) collectDefaultMetrics({ register: registry });

  const acceptedAt = createBoundedMap<string, number>(remembered);
  const startedAt = createBoundedMap<string, number>(remembered);
  const observeQueue = async (event: LaneEvent & { promptId: string }): Promise<void> => {
    const { sessionId, promptId, at } = event;
    const known = acceptedAt.take(keyOf(sessionId, promptId));
    const since =
      known ?? (await runtime.store.prompt(sessionId, promptId))?.acceptedAt ?? event.at;
    inQueue.observe((at - since) / 1000);
  };
  const count = (event: LaneEvent): void => {
    const { sessionId, at } = event;
    lag.set(Math.max(0, now() - at) / 1000);
    if (!isOf(event, countedTypes)) return;
    switch (event.type) {
      case "prompt.accepted":
        accepted.inc({ delivery: event.delivery });
        acceptedAt.set(keyOf(sessionId, event.promptId), at);
        return;
      case "prompt.takenIn":
        void observeQueue(event).catch(onError);
        return;
      case "run.started":
        startedAt.set(event.runId, at);
        void observeQueue(event).catch(onError);
        return;
      case "prompt.settled": {
        const { status, reason } = event.outcome;
        settled.inc({ status, reason: reason ?? "" });
        acceptedAt.take(keyOf(sessionId, event.promptId));
        return;
      }
      case "run.ended": {
        const since = startedAt.take(event.runId);
        if (since !== null) runTime.observe({ status: event.outcome.status }, (at - since) / 1000);
        return;
      }
      case "step.answered": {
        const { usage } = event;
        steps.inc();
        tokens.inc({ direction: "input" }, usage.inputTokens);
        tokens.inc({ direction: "output" }, usage.outputTokens);
        cost.inc(usage.cost);
        return;
      }
      case "tool.ended":
        tools.inc({ status: event.status });
        return;
      case "ask.opened":
        asks.inc();
    }
  };
  const stops = [
    follower.listen(count),
    runtime.maintenance.onChange(({ kind, status, endedAt }) => {
      if (endedAt !== null) maintained.inc({ kind, status });
    }),
  ];
  return {
    text: () => registry.metrics(),
    answered: ({ method, route, status, duration }) => {
      requests.observe({ method, route, status: String(status) }, duration);
    },
    delivered: ({ status }) => deliveries.inc({ result: status }),
    close: () => {
      for (const stop of stops) stop();
      queued.close();
      registry.clear();
    },
  };
}

function keyOf(sessionId: string, promptId: string): string {
  return `${sessionId} ${promptId}`;
}
