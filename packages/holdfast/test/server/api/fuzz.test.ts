import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { Agent, request as sendHttp } from "node:http";
import { test } from "node:test";
import * as fc from "fast-check";
import { routes } from "../../../src/contract/routes.ts";
import { openapiDocument } from "../../../src/server/openapi.ts";
import { openTestServer } from "../security/test-server.ts";
import type { TestServer } from "../security/test-server.ts";
import { conform } from "./conform.ts";
import type { Json } from "./test-server.ts";
import type { Pools } from "./fuzz/arbitrary.ts";
import { requestsTo } from "./fuzz/requests.ts";
import type { FuzzRequest } from "./fuzz/requests.ts";

// HOLDFAST_RUNS sets the number of requests; the default fits a quick test run. HOLDFAST_SEED
// repeats a failure, which prints its seed.
const { HOLDFAST_RUNS: runs = "500", HOLDFAST_SEED: chosenSeed } = process.env;
const seed = chosenSeed === undefined ? randomInt(2 ** 31) : Number(chosenSeed);
const inFlight = 8;

test("no request generated from the OpenAPI document gets an undocumented answer or a 5xx", async (t) => {
  const limits = { tokenRate: null, strangerRate: null };
  const testServer = await openTestServer(t, { limits });
  const { url, owner, ask, token } = testServer;
  const document = openapiDocument("1.2.3");
  const pools = await furnish(testServer);
  // Two sessions may be deleted, so that work on all others can complete.
  const poolsFor = (operationId: string): Pools =>
    operationId === "deleteSession" ? { ...pools, sessionId: ["a", "b"] } : pools;
  const observer = await token("observe");
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  t.after(() => agent.destroy());
  const requests = fc.sample(requestsTo(document, poolsFor), { numRuns: Number(runs), seed });
  const statuses = new Map<number, number>();
  const succeeded = new Set<string>();
  const work = requests.values();
  const worker = async (): Promise<void> => {
    for (const request of work) {
      // A token that may stop the server would end the test.
      const secret = request.operationId === "stopServer" ? observer.secret : owner;
      const status = await send(request, { url, secret, agent }).catch((error: unknown) => {
        const shown = { ...request, body: Buffer.from(request.body ?? []).toString() };
        throw new Error(`HOLDFAST_SEED=${seed} ${JSON.stringify(shown)}`, { cause: error });
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status < 300) succeeded.add(request.operationId);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const count = requests.length;
  const shown = [...statuses].toSorted(([left], [right]) => left - right);
  t.diagnostic(
    `${count} requests: ${shown.map(([status, times]) => `${status} ${times} times`).join(", ")}; ` +
      `${succeeded.size} of ${Object.keys(routes).length} routes were used with success`,
  );
  const health = await ask("GET", "/healthz");
  assert.equal(health.status, 200);
});

/** Sessions with a completed run and an open ask, and the ids of everything in them. */
async function furnish({ ask, owner, folder }: TestServer): Promise<Pools> {
  const ids = Array.from("abcdef");
  const send = async (method: string, path: string, body: unknown): Promise<Json> =>
    JSON.parse((await ask(method, path, { token: owner, body })).text);
  const runIds = await Promise.all(
    ids.map(async (id) => {
      await send("POST", "/v1/sessions", { sessionId: id, directory: folder });
      const prompts = `/v1/sessions/${id}/prompts`;
      const first = { promptId: `${id}0`, text: "say hello" };
      const { runId }: { runId: string } = await send("POST", `${prompts}?wait=10`, first);
      await send("POST", prompts, { promptId: id, text: "ask what next" });
      return runId;
    }),
  );
  const askIdsOf = async (): Promise<string[]> => {
    const { text } = await ask("GET", "/v1/asks", { token: owner });
    const { items }: { items: { askId: string }[] } = JSON.parse(text);
    return items.length === 0 ? askIdsOf() : items.map(({ askId }) => askId);
  };
  const names = ["sessionId", "promptId", "cancelId", "holdId", "workId", "webhookId", "before"];
  return {
    ...Object.fromEntries(names.map((name) => [name, ids])),
    runId: runIds,
    expectedRunId: [null, null, null, runIds[0]],
    after: ["1", "5", "now"],
    nonce: ["abc"],
    search: ["a"],
    askId: await askIdsOf(),
    directory: [folder, `${folder}/a`],
    directories: [null, [folder]],
    text: [
      "hello",
      "{}",
      "say hi; steps 3",
      "ask what next",
      "fail",
      "tool write x",
      "child { say a }",
    ],
    title: ["A title"],
    name: ["somebody"],
    actionId: ids,
    // Only local addresses, so that no other machine is called.
    provider: ["local", "mine"],
    server: ["notes"],
    key: ["sk-0123456789abcdef", null],
    baseUrl: ["http://127.0.0.1:9/v1"],
    digest: [null, "another"],
    scope: ["project", "user"],
    reason: ["because"],
    events: [["prompt.settled"], ["ask.opened", "ask.closed"]],
    wait: [0],
    url: ["https://hook.invalid/", "http://127.0.0.1:9/"],
    seq: [1, 2, 3, 1000],
    revision: [1, 2],
    attachments: [[]],
  };
}

async function send(
  request: FuzzRequest,
  target: { url: string; secret: string; agent: Agent },
): Promise<number> {
  const { method, path, body } = request;
  const { hostname, port } = new URL(target.url);
  const headers = { ...request.headers, authorization: `Bearer ${target.secret}` };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = { hostname, port, path, method, headers, agent: target.agent, timeout: 120_000 };
  const outgoing = sendHttp(options, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (incoming.headers["content-type"]?.startsWith("text/event-stream") !== true) return;
      // An endless stream counts as answered.
      incoming.destroy();
      resolve(200);
    });
    incoming.once("error", reject).once("end", () => {
      const status = incoming.statusCode ?? 0;
      const text = Buffer.concat(chunks).toString();
      try {
        const isJson = incoming.headers["content-type"] === "application/json" && text !== "";
        const received = new Headers(
          Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
        );
        const json: unknown = isJson ? JSON.parse(text) : null;
        conform({ method, path }, { status, headers: received, text, json });
        assert.ok(status < 500, `${status} ${text}`);
        resolve(status);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  });
  outgoing.once("timeout", () => outgoing.destroy(new Error("no answer came")));
  outgoing.once("error", reject).end(body ?? undefined);
  return promise;
}
