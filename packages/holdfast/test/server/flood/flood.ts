import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request as sendHttp } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { startCommand } from "../../cli/test-cli.ts";
import type { Running } from "../../cli/test-cli.ts";
import { program } from "../../support/program.ts";
import { largeDocument } from "./documents.ts";
import type { Filling } from "./documents.ts";

/** Times are in milliseconds. */
export interface FloodResult {
  /** Latency of small requests before and during the load. */
  readonly idle: Latency;
  readonly loaded: Latency;
  /** Peak memory of the server, in bytes. */
  readonly memory: number;
  /** Attempts and outcome of the run in another directory. */
  readonly attempts: number;
  readonly outcome: string;
  /** Answer to each import. */
  readonly imports: readonly string[];
  /** Total time of all imports. */
  readonly duration: number;
}

export interface Latency {
  readonly requests: number;
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
  readonly failed: number;
}

/**
 * Sends large imports and requests without a token at the same time to a server with an active run
 * in another directory, and measures the latency of small requests.
 */
export async function flood(options: {
  /** One import for each. */
  fillings: readonly Filling[];
  /** Size of each document. */
  bytes: number;
  /** Time to measure the idle server. */
  idleFor: number;
}): Promise<FloodResult> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-flood-")));
  const directory = join(folder, "elsewhere");
  mkdirSync(directory);
  let server: Running | null = null;
  try {
    await writeDocuments(folder, options);
    server = startCommand([program, "serve", "--port", "0"], { folder });
    const { url, token, holdfast } = await connected(server, folder);
    const session = await holdfast.sessions.create({ directory });
    const prompt = await session.prompt("words 20000 every 20ms");
    const { sessionId } = await holdfast.sessions.create({ directory });
    const probe = probing(url, { token, sessionId });
    const idle = await probe.during(setTimeout(options.idleFor));
    const startedAt = performance.now();
    const files = options.fillings.map((filling) => join(folder, filling));
    const load = startCommand([join(import.meta.dirname, "load.ts"), url, token, ...files], {
      folder,
    });
    const strangers = Array.from({ length: 260 }, () => send(url, "/v1/sessions"));
    const loaded = await probe.during(Promise.all([load.ended, ...strangers]));
    const duration = performance.now() - startedAt;
    const imports = (await load.ended).out.trimEnd().split("\n");
    const { active } = await session.get();
    const attempts = active?.kind === "run" ? active.attempt : 0;
    await session.cancel();
    const { status, reason } = await prompt.settled();
    const memory = memoryOf(server.process.pid ?? 0);
    const outcome = reason === null ? status : `${status} ${reason}`;
    return { idle, loaded, memory, attempts, outcome, imports, duration };
  } finally {
    server?.process.kill("SIGKILL");
    await server?.ended;
    rmSync(folder, { recursive: true });
  }
}

/** Created on a separate server, whose memory is not measured. */
async function writeDocuments(
  folder: string,
  { fillings, bytes }: { fillings: readonly Filling[]; bytes: number },
): Promise<void> {
  const place = join(folder, "documents");
  mkdirSync(place);
  const server = startCommand([program, "serve", "--port", "0"], { folder: place });
  try {
    const { holdfast } = await connected(server, place);
    for (const filling of new Set(fillings)) {
      const document = await largeDocument(holdfast, { filling, bytes, directory: place });
      writeFileSync(join(folder, filling), document);
    }
  } finally {
    server.process.kill("SIGKILL");
    await server.ended;
  }
}

async function connected(
  server: Running,
  folder: string,
): Promise<{ url: string; token: string; holdfast: Holdfast }> {
  const [, url = ""] = await server.matched(/listening at (\S+)/);
  const token = readFileSync(join(folder, "data", "holdfast", "token"), "utf8").trim();
  return { url, token, holdfast: connect({ url, token }) };
}

/** Small requests of other clients: readiness, sessions and prompts. */
function probing(url: string, { token, sessionId }: { token: string; sessionId: string }) {
  const small = [
    () => send(url, "/readyz"),
    () => send(url, "/v1/sessions?limit=20", { token }),
    () => send(url, `/v1/sessions/${sessionId}`, { token }),
    () =>
      send(url, `/v1/sessions/${sessionId}/prompts`, {
        token,
        body: { text: "note", reply: false },
      }),
  ];
  return {
    during: async (work: Promise<unknown>): Promise<Latency> => {
      const over = new AbortController();
      const done = work.finally(() => over.abort());
      const times: number[] = [];
      let failed = 0;
      const asks: Promise<void>[] = [];
      for (let count = 0; !over.signal.aborted; count += 1) {
        const ask = small[count % small.length];
        asks.push(
          (async () => {
            const startedAt = performance.now();
            const status = await ask?.().catch(() => 0);
            times.push(performance.now() - startedAt);
            if (status === undefined || status >= 400 || status === 0) failed += 1;
          })(),
        );
        await setTimeout(10);
      }
      await done;
      await Promise.all(asks);
      return { ...summary(times), failed };
    },
  };
}

function summary(times: readonly number[]): Omit<Latency, "failed"> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { requests: sorted.length, median: at(0.5), p99: at(0.99), worst: at(1) };
}

function send(
  url: string,
  path: string,
  { token, body }: { token?: string; body?: unknown } = {},
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const method = body === undefined ? "GET" : "POST";
  const sent = sendHttp(`${url}${path}`, { method, headers }, (answer) => {
    answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
  });
  sent.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** Memory of a process as Linux reports it; 0 on other systems. */
function memoryOf(pid: number): number {
  try {
    const [, kilobytes = "0"] =
      /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return 0;
  }
}
