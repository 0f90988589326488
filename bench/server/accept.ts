import { tmpdir } from "node:os";
import { target } from "../benchmark.ts";
import type { BenchmarkOptions, Findings } from "../benchmark.ts";
import type { Engine } from "../engine/engine.ts";
import { alternate } from "../measure/alternate.ts";
import type { Contestant } from "../measure/alternate.ts";
import { compare } from "../measure/compare.ts";
import { drive } from "../measure/drive.ts";
import type { BareReady } from "./bare-process.ts";
import { startChild } from "./child.ts";
import type { Child } from "./child.ts";
import type { HoldfastReady } from "./holdfast-process.ts";
import { createHttpClient } from "./http-client.ts";
import type { HttpClient } from "./http-client.ts";

const promptText = "look at the tests and say why they fail";

/** Compares accepts over HTTP with a minimal route that writes one durable row. */
export async function benchAccept(engine: Engine, options: BenchmarkOptions): Promise<Findings> {
  const many = options.quick ? 4 : 64;
  const names = {
    bareOne: "bare route, 1 client",
    one: "accept, 1 client",
    bareMany: `bare route, ${many} clients`,
    many: `accept, ${many} clients`,
  };
  options.progress("accepts over HTTP beside a bare route, alternately");
  const bare = await startChild<BareReady>("bare-process.ts", await engine.newPlace());
  const holdfast = await startChild<HoldfastReady>("holdfast-process.ts", await engine.newPlace());
  const rows = createHttpClient(bare.ready.url, null);
  const api = createHttpClient(holdfast.ready.url, holdfast.ready.token);
  try {
    const accepting = await prepareAccepts(api, many);
    const written = async (): Promise<void> => {
      expectStatus(await rows.send("POST", "/rows", { text: promptText }));
    };
    const contestant = (
      name: string,
      parts: { child: Child<unknown>; operation: () => Promise<void>; writers: number },
    ): Contestant => ({
      name,
      round: async () => {
        const { child, operation, writers } = parts;
        const operations = Array.from(
          { length: writers === 1 ? 32 : writers * 4 },
          () => operation,
        );
        const before = await child.cpu();
        const timed = await drive({ series: "request", operations, writers });
        const cpu = (await child.cpu()) - before;
        if (child === holdfast) await accepting.clear();
        return [{ ...timed, cpu }];
      },
    });
    const contestants = [
      contestant(names.bareOne, { child: bare, operation: written, writers: 1 }),
      contestant(names.one, { child: holdfast, operation: accepting.accept, writers: 1 }),
      contestant(names.bareMany, { child: bare, operation: written, writers: many }),
      contestant(names.many, { child: holdfast, operation: accepting.accept, writers: many }),
    ];
    const schedule = options.quick ? { slices: 2, sliceMs: 20 } : { slices: 12, sliceMs: 300 };
    const measured = await alternate(contestants, schedule);
    const figures = compare(measured, {
      [names.one]: [names.bareOne],
      [names.many]: [names.bareMany],
    }).map((figure) => ({ engine: engine.name, group: "accepts over HTTP", ...figure }));
    const ratio = (name: string): number =>
      figures.find((figure) => figure.name === name)?.ratios[0]?.value ?? Number.NaN;
    return {
      figures,
      targets: [names.one, names.many].map((name) =>
        target({
          engine: engine.name,
          name: `${name}, against the bare route`,
          bound: { atLeast: 0.5 },
          value: ratio(name),
        }),
      ),
    };
  } finally {
    rows.close();
    api.close();
    await bare.stop();
    await holdfast.stop();
  }
}

/** Creates held sessions, so that only the accept is measured and no run starts. */
async function prepareAccepts(
  api: HttpClient,
  count: number,
): Promise<{ accept: () => Promise<void>; clear: () => Promise<void> }> {
  const sessions = Array.from({ length: count }, (_, index) => `session-${index}`);
  for (const sessionId of sessions) {
    expectStatus(await api.send("POST", "/v1/sessions", { sessionId, directory: tmpdir() }));
    const hold = { reason: "only accepts are measured" };
    expectStatus(await api.send("POST", `/v1/sessions/${sessionId}/holds`, hold));
  }
  let sent = 0;
  return {
    accept: async () => {
      sent += 1;
      const path = `/v1/sessions/session-${sent % count}/prompts`;
      const body = { promptId: `prompt-${sent}`, text: promptText };
      expectStatus(await api.send("POST", path, body));
    },
    clear: async () => {
      await Promise.all(
        sessions.map((id) => api.send("POST", `/v1/sessions/${id}/queue/clear`, {})),
      );
    },
  };
}

function expectStatus({ status, text }: { status: number; text: string }): void {
  if (status < 200 || status > 299)
    throw new Error(`a request failed with status ${status}: ${text}`);
}
