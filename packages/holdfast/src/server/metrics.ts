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

/** Metrics of this process for Prometheus. */
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
  /** True: also exports metrics of the process itself, such as memory, CPU and event loop delay. */
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

/** Maximum number of prompts and runs whose start time is kept until they end. */
const remembered = 10_000;

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];

/**
 * Gauges of the metrics library that are left out: their names end in `_total`, which Prometheus reserves for counters.
 * The gauge `nodejs_active_resources` and similar ones have the same information, with one number per type.
 */
const misnamed = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/**
 * Counts events by following the log, so the runner needs no code for metrics. Each node counts all events of the
 * store, so do not sum these counters over nodes. Request and subscriber counts are per node.
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
    "Time from accepting a prompt until a run starts with it or it joins a run",
  );
  const runTime = histogram("holdfast_run_seconds", "Time from the start of a run to its end", [
    "status",
  ]);
  const steps = counter("holdfast_steps_total", "Model answers");
  const tokens = counter("holdfast_tokens_total", "Tokens used, as counted by the providers", [
    "direction",
  ]);
  const cost = counter("holdfast_cost_total", "Cost of answers, as far as known");
  const tools = counter("holdfast_tool_calls_total", "Tool calls that have ended", ["status"]);
  const asks = counter("holdfast_asks_total", "Asks opened");
  const lag = gauge(
    "holdfast_feed_lag_seconds",
    "Age of the last event when this process read it from the feed",
  );
  const requests = histogram("holdfast_http_request_seconds", "Duration of answered requests", [
    "method",
    "route",
    "status",
  ]);
  const deliveries = counter("holdfast_webhook_attempts_total", "Webhook delivery attempts", [
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
  const waiting = gauge(
    "holdfast_lanes_waiting",
    "Lanes that are ready for a run or exclusive work",
  );
  gauge("holdfast_runs_active", "Active runs of this process", async (own) => {
    const status = await runtime.status();
    own.set(status.running.length);
    waiting.set(status.waiting);
  });
  let reading: Promise<NodesView> | null = null;
  /** Reads the nodes once for all gauges of a scrape. */
  const nodesNow = (): Promise<NodesView> => {
    reading ??= runtime.nodes().finally(() => {
      reading = null;
    });
    return reading;
  };
  const owned = new Gauge({
    name: "holdfast_lanes_owned",
    help: "Lanes that each node owns; lanes of nodes that are gone count as `gone`",
    labelNames: ["node"],
    registers,
    collect: async () => {
      const { nodes, abandoned } = await nodesNow();
      owned.reset();
      for (const { nodeId, lanes } of nodes) owned.set({ node: nodeId }, lanes.length);
      owned.set({ node: "gone" }, abandoned.length);
    },
  });
  gauge("holdfast_nodes", "Nodes with a lease on the store", async (own) => {
    own.set((await nodesNow()).nodes.length);
  });
  const nowhereHelp = "Directories that lanes wait for and no node has";
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
  gauge("holdfast_prompts_queued", "Waiting prompts in all sessions", async (own) => {
    own.set(await queued.count());
  });
  const generations = new Gauge({
    name: "holdfast_generations",
    help: "Config generations in this process: current ones, and retired ones that runs still use",
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
  const maintained = counter("holdfast_maintenance_total", "Refreshes and closes that have ended", [
    "kind",
    "status",
  ]);
  gauge(
    "holdfast_maintenance_open",
    "Refreshes and closes that have not ended yet",
    async (own) => {
      own.set(runtime.maintenance.open().length);
    },
  );
  let hasProcessMetrics = !options.process;
  /**
   * Called only when metrics are read for the first time: measuring the event loop delay wakes the process 100 times a
   * second.
   */
  const addProcessMetrics = (): void => {
    if (hasProcessMetrics) return;
    hasProcessMetrics = true;
    collectDefaultMetrics({ register: registry });
    for (const name of misnamed) registry.removeSingleMetric(name);
  };

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
  const cleanups = [
    follower.listen(count),
    runtime.maintenance.onChange(({ kind, status, endedAt }) => {
      if (endedAt !== null) maintained.inc({ kind, status });
    }),
  ];
  return {
    text: () => {
      addProcessMetrics();
      return registry.metrics();
    },
    answered: ({ method, route, status, duration }) => {
      requests.observe({ method, route, status: String(status) }, duration);
    },
    delivered: ({ status }) => deliveries.inc({ result: status }),
    close: () => {
      for (const cleanUp of cleanups) cleanUp();
      queued.close();
      registry.clear();
    },
  };
}

function keyOf(sessionId: string, promptId: string): string {
  return `${sessionId} ${promptId}`;
}
