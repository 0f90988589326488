import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant, Timed } from "../measure/alternate.ts";
import { compareCosts } from "../measure/compare.ts";
import { drive } from "../measure/drive.ts";
import { instantAgent } from "../runner/instant-agent.ts";
import { openRuntime } from "../runner/runtime.ts";
import { openProjects } from "./projects.ts";

/** Measures a reload of one directory that no run uses, from the request until the old config version is closed. */
export async function benchRefresh(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  options.progress("refreshes of a directory");
  const projects = await openProjects({ count: 1, watch: false });
  const [directory = ""] = projects.directories;
  const { host } = projects.setup;
  const place = await engine.newPlace();
  const holdfast = await openRuntime({ place, agent: instantAgent, maxRuns: 8, workspaces: host });
  const apply = async (): Promise<void> => {
    const request = { kind: "refresh", directories: [directory], restart: [], revoke: [] } as const;
    const { failures, ended } = await host.apply(request);
    if (failures.length > 0) throw new Error("a refresh failed");
    await ended;
  };
  const act = async (): Promise<void> => {
    const { status } = await holdfast.maintenance.request({
      kind: "refresh",
      directories: [directory],
    });
    if (status !== "completed") throw new Error(`a refresh ended as ${status}`);
  };
  const changed = async (operation: () => Promise<void>): Promise<Timed> => {
    await projects.change(directory);
    return timed(operation);
  };
  const contestants: Contestant[] = [
    { name: names.same, round: async () => [await timed(apply)] },
    { name: names.changed, round: async () => [await changed(apply)] },
    { name: names.action, round: async () => [await changed(act)] },
  ];
  try {
    await host.load(directory);
    const schedule = options.quick ? { slices: 3, sliceMs: 25 } : { slices: 12, sliceMs: 250 };
    const measured = await alternate(contestants, schedule);
    const figures = compareCosts(measured, names.same).map((figure) => ({
      engine: engine.name,
      group: "a refresh of one directory",
      ...figure,
    }));
    return { figures, targets: [] };
  } finally {
    await holdfast.close();
    await projects.close();
  }
}

function timed(operation: () => Promise<void>): Promise<Timed> {
  return drive({ series: "refresh", operations: [operation], writers: 1 });
}

const names = {
  same: "nothing has changed",
  changed: "the config has changed",
  action: "the same as a durable action",
};
