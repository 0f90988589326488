import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensurePackage } from "../../scripts/build/ensure-package.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine, Place } from "../engine/engine.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant } from "../measure/alternate.ts";
import { compareCosts } from "../measure/compare.ts";
import { fillStore } from "./many-sessions.ts";

/**
 * Measures the time from process start to the first successful response, against a bare server on
 * the same data.
 */
export async function benchStart(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const sessions = options.quick ? 50 : 10_000;
  const names = { bare: "node:http and the database", holdfast: "holdfast serve" };
  options.progress(`from start to ready on ${sessions} sessions, beside node:http, alternately`);
  const place = await engine.newPlace();
  await fillStore(place, sessions);
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-start-"));
  const store = place.engine === "sqlite" ? place.file : place.url;
  const program = await ensurePackage(join(import.meta.dirname, "../.."));
  const contestants = [
    contestant(names.bare, (port) => [
      join(import.meta.dirname, "bare-start-process.ts"),
      JSON.stringify({ place, port } satisfies BareStartJob),
    ]),
    contestant(names.holdfast, (port) => [
      program,
      "serve",
      `--store=${store}`,
      `--data=${folder}`,
      `--port=${port}`,
    ]),
  ];
  try {
    const schedule = options.quick ? { slices: 1, sliceMs: 1 } : { slices: 10, sliceMs: 1 };
    const measured = await alternate(contestants, schedule);
    const figures = compareCosts(measured, names.bare).map(({ name, values, ratios }) => ({
      engine: engine.name,
      group: `from start to ready, ${sessions.toLocaleString("en-US")} sessions`,
      name,
      values: { p50Ms: values["p50Ms"] ?? Number.NaN },
      ratios,
    }));
    return { figures, targets: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface BareStartJob {
  readonly place: Place;
  readonly port: number;
}

function contestant(name: string, words: (port: number) => readonly string[]): Contestant {
  return {
    name,
    round: async () => {
      const port = await freePort();
      const start = performance.now();
      const child = spawn(
        process.execPath,
        ["--disable-warning=ExperimentalWarning", ...words(port)],
        { stdio: "ignore", env: { ...process.env, HOLDFAST_LOG: "silent" } },
      );
      const ended = endOf(child);
      await isReady(`http://127.0.0.1:${port}/readyz`, ended);
      const elapsed = performance.now() - start;
      child.kill("SIGTERM");
      await ended;
      return [{ series: "start", elapsed, cpu: 0, latencies: [elapsed] }];
    },
  };
}

/** Polls until the server is ready. */
async function isReady(url: string, ended: Promise<number | null>): Promise<void> {
  let isOver = false;
  void ended.then(() => (isOver = true));
  for (;;) {
    const answer = await fetch(url).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    if (isOver) throw new Error(`the server at ${url} exited before it was ready`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  if (typeof address !== "object" || address === null) throw new Error("no free port was found");
  return address.port;
}
