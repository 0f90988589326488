import type { MetricsOptions, ServerMetrics } from "./metrics.ts";

/**
 * Metrics that start to count when they are read for the first time. The library for metrics needs 2 MB of memory, and
 * the metrics of most background servers are never read.
 */
export function createMetricsOnDemand(options: MetricsOptions): ServerMetrics {
  let starting: Promise<ServerMetrics> | null = null;
  let started: ServerMetrics | null = null;
  let isClosed = false;
  const start = async (): Promise<ServerMetrics> => {
    const { createMetrics } = await import("./metrics.ts");
    const metrics = createMetrics(options);
    if (isClosed) metrics.close();
    started = metrics;
    return metrics;
  };
  return {
    text: async () => {
      starting ??= start();
      return (await starting).text();
    },
    answered: (request) => started?.answered(request),
    delivered: (delivery) => started?.delivered(delivery),
    close: () => {
      isClosed = true;
      started?.close();
    },
  };
}
