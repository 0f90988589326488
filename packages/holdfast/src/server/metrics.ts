// The main module of `prom-client` would need 2.8 MB more memory, for parts that Holdfast does not use.
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import type { WebhookDelivery } from "../contract/webhook.ts";
import { isOf } from "../kernel/event-table.ts";
import type { LaneEvent } from "../kernel/event.ts";
import type { Runtime } from "../runtime/runtime.ts";
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

interface MetricsOptions {
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
  "prompt.returned",
  "prompt.settled",
  "run.started",
  "run.ended",
  "step.answered",
  "tool.ended",
  "ask.opened",
] as const;

/** Maximum number of waiting prompts, and of active runs, whose start time is kept. */
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
  const { runtime, follower } = options;
  const registry = new Registry();
  const factory = createMetricFactory(registry);
  const { counter, histogram, gauge } = factory;

  const stopCountingEvents = countEvents(factory, options);
  const requests = histogram("holdfast_http_request_seconds", "Duration of answered requests", [
    "method",
    "route",
    "status",
  ]);
  const deliveries = counter("holdfast_webhook_attempts_total", "Webhook delivery attempts", [
    "result",
  ]);
  addLoadGauges(factory, options);
  addNodeGauges(factory, options);
  const queued = createQueuedPrompts({ runtime, follower });
  gauge("holdfast_prompts_queued", "Waiting prompts in all sessions", async (own) => {
    own.set(await queued.count());
  });
  addGenerationGauges(factory, options);
  const stopCountingMaintenance = countMaintenance(factory, options);

  let addingProcessMetrics: Promise<void> | null = null;
  return {
    text: async () => {
      if (options.process) {
        addingProcessMetrics ??= addProcessMetrics(registry);
        await addingProcessMetrics;
      }
      return registry.metrics();
    },
    answered: ({ method, route, status, duration }) => {
      requests.observe({ method, route, status: String(status) }, duration);
    },
    delivered: ({ status }) => deliveries.inc({ result: status }),
    close: () => {
      stopCountingEvents();
      stopCountingMaintenance();
      queued.close();
      registry.clear();
    },
  };
}

type MetricFactory = ReturnType<typeof createMetricFactory>;

/** Returns functions that create metrics in the registry. */
function createMetricFactory(registry: Registry) {
  const registers = [registry];
  return {
    registers,
    counter: <Label extends string>(name: string, help: string, labels: readonly Label[] = []) =>
      new Counter({ name, help, labelNames: labels, registers }),
    histogram: <Label extends string>(name: string, help: string, labels: readonly Label[] = []) =>
      new Histogram({ name, help, labelNames: labels, buckets: seconds, registers }),
    gauge: (name: string, help: string, collect?: (gauge: Gauge) => Promise<void>) => {
      const reader = collect === undefined ? {} : { collect: () => collect(own) };
      const own: Gauge = new Gauge({ name, help, registers, ...reader });
      return own;
    },
  };
}

/** Counts new events of the log. Returns a function that stops counting. */
function countEvents(factory: MetricFactory, options: MetricsOptions): () => void {
  const { runtime, follower, now, onError } = options;
  const metrics = createEventMetrics(factory);
  const queuedAt = createBoundedMap<string, number>(remembered);
  const startedAt = createBoundedMap<string, number>(remembered);
  const observeQueue = async (event: LaneEvent & { promptId: string }): Promise<void> => {
    const { sessionId, promptId, at } = event;
    const known = queuedAt.take(keyOf(sessionId, promptId));
    const since = known ?? (await runtime.store.prompt(sessionId, promptId))?.acceptedAt ?? at;
    metrics.inQueue.observe((at - since) / 1000);
  };
  return follower.listen((event) => {
    const { sessionId, at } = event;
    metrics.lag.set(Math.max(0, now() - at) / 1000);
    if (!isOf(event, countedTypes)) return;
    switch (event.type) {
      case "prompt.accepted":
        metrics.accepted.inc({ delivery: event.delivery });
        queuedAt.set(keyOf(sessionId, event.promptId), at);
        return;
      case "prompt.returned":
        queuedAt.set(keyOf(sessionId, event.promptId), at);
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
        metrics.settled.inc({ status, reason: reason ?? "" });
        queuedAt.take(keyOf(sessionId, event.promptId));
        return;
      }
      case "run.ended": {
        const { status } = event.outcome;
        const since = startedAt.take(event.runId);
        if (since !== null) metrics.runTime.observe({ status }, (at - since) / 1000);
        return;
      }
      case "step.answered": {
        const { usage } = event;
        metrics.steps.inc();
        metrics.tokens.inc({ direction: "input" }, usage.inputTokens);
        metrics.tokens.inc({ direction: "output" }, usage.outputTokens);
        metrics.cost.inc(usage.cost);
        return;
      }
      case "tool.ended":
        metrics.tools.inc({ status: event.status });
        return;
      case "ask.opened":
        metrics.asks.inc();
    }
  });
}

function createEventMetrics({ counter, histogram, gauge }: MetricFactory) {
  return {
    accepted: counter("holdfast_prompts_accepted_total", "Prompts accepted", ["delivery"]),
    settled: counter("holdfast_prompts_settled_total", "Prompts settled", ["status", "reason"]),
    inQueue: histogram(
      "holdfast_prompt_queue_seconds",
      "Time in the queue, from the accept or return of a prompt until a run takes it",
    ),
    runTime: histogram("holdfast_run_seconds", "Time from the start of a run to its end", [
      "status",
    ]),
    steps: counter("holdfast_steps_total", "Model answers"),
    tokens: counter("holdfast_tokens_total", "Tokens used, as counted by the providers", [
      "direction",
    ]),
    cost: counter("holdfast_cost_total", "Cost of answers, as far as known"),
    tools: counter("holdfast_tool_calls_total", "Tool calls that have ended", ["status"]),
    asks: counter("holdfast_asks_total", "Asks opened"),
    lag: gauge(
      "holdfast_feed_lag_seconds",
      "Age of the last event when this process read it from the feed",
    ),
  };
}

function keyOf(sessionId: string, promptId: string): string {
  return `${sessionId} ${promptId}`;
}

function addLoadGauges({ gauge, registers }: MetricFactory, options: MetricsOptions): void {
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
  const statusNow = sharedRead(() => options.runtime.status());
  const waitingHelp = "Lanes that are ready for a run or exclusive work";
  gauge("holdfast_lanes_waiting", waitingHelp, async (own) => {
    own.set((await statusNow()).waiting);
  });
  gauge("holdfast_runs_active", "Active runs of this process", async (own) => {
    own.set((await statusNow()).running.length);
  });
}

/**
 * Returns a function that reads once for all gauges of a scrape. A gauge must not set another gauge after it has waited:
 * the library reads the value of each gauge when that gauge's own `collect` ends.
 */
function sharedRead<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | null = null;
  return () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
}

function addNodeGauges({ gauge, registers }: MetricFactory, { runtime }: MetricsOptions): void {
  const nodesNow = sharedRead(() => runtime.nodes());
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
}

function addGenerationGauges({ gauge, registers }: MetricFactory, options: MetricsOptions): void {
  const generations = new Gauge({
    name: "holdfast_generations",
    help: "Config generations in this process: current ones, and retired ones that runs still use",
    labelNames: ["state"],
    registers,
    collect: () => {
      const open = options.runtime.workspaces?.list() ?? [];
      const current = open.flatMap((directory) => directory.current ?? []);
      const retired = open.flatMap((directory) => directory.retired);
      generations.set({ state: "current" }, current.length);
      generations.set({ state: "retired" }, retired.length);
      const count = [...current, ...retired].flatMap((generation) => generation.pins).length;
      pins.set(count);
    },
  });
  const pins = gauge("holdfast_generation_pins", "Runs in this process that pin a generation");
}

/** Counts refreshes and closes. Returns a function that stops counting. */
function countMaintenance(factory: MetricFactory, options: MetricsOptions): () => void {
  const { maintenance } = options.runtime;
  const ended = factory.counter(
    "holdfast_maintenance_total",
    "Refreshes and closes that have ended",
    ["kind", "status"],
  );
  const openHelp = "Refreshes and closes that have not ended yet";
  factory.gauge("holdfast_maintenance_open", openHelp, async (own) => {
    own.set(maintenance.open().length);
  });
  return maintenance.onChange(({ kind, status, endedAt }) => {
    if (endedAt !== null) ended.inc({ kind, status });
  });
}

/** Call only when metrics are read: measuring the event loop delay wakes the process 100 times a second. */
async function addProcessMetrics(registry: Registry): Promise<void> {
  const { default: collectDefaultMetrics } = await import("prom-client/lib/defaultMetrics.js");
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
}
