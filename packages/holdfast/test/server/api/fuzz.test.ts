import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { Agent, request as sendHttp } from "node:http";
import { test } from "node:test";
import fc from "fast-check";
import { routes } from "../../../src/contract/routes.ts";
import { openapiDocument } from "../../../src/server/openapi.ts";
import { openHouse } from "../security/house.ts";
import { conform } from "./conform.ts";
import { requestsTo } from "./fuzz/requests.ts";
import type { FuzzRequest } from "./fuzz/requests.ts";

// HOLDFAST_RUNS asks for more requests than fit into a quick test run; HOLDFAST_SEED sends those of a
// failure again, which prints its seed.
const { HOLDFAST_RUNS: runs = "600", HOLDFAST_SEED: chosenSeed } = process.env;
const seed = chosenSeed === undefined ? randomInt(2 ** 31) : Number(chosenSeed);
const inFlight = 8;

test(
  "no request that can be made of the OpenAPI document gets an answer that is not in it, or a 5xx",
  { timeout: 600_000 },
  async (t) => {
    const { url, owner, folder, ask, token } = await openHouse(t);
    const document = openapiDocument("1.2.3");
    const ids = ["a", "b", "c"];
    for (const id of ids) {
      const body = { sessionId: id, directory: folder };
      await ask("POST", "/v1/sessions", { token: owner, body });
      const prompt = { promptId: id, text: "ask what next" };
      await ask("POST", `/v1/sessions/${id}/prompts`, { token: owner, body: prompt });
    }
    const pools = {
      ...Object.fromEntries(
        [
          "sessionId",
          "promptId",
          "cancelId",
          "holdId",
          "askId",
          "workId",
          "webhookId",
          "before",
        ].map((name) => [name, ids]),
      ),
      directory: [folder, `${folder}/a`],
      directories: [null, [folder]],
      text: [
        "hello",
        "say hello; steps 3",
        "ask what next",
        "fail",
        "tool write x",
        "child { say a }",
      ],
      wait: [0],
      follow: [false],
      url: ["https://hook.invalid/", "http://127.0.0.1:9/"],
      seq: [1, 2, 3, 1000],
      after: ["1", "5", "now"],
      revision: [1, 2],
      attachments: [[]],
    };
    const observer = await token("observe");
    const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
    t.after(() => agent.destroy());
    const requests = fc.sample(requestsTo(document, pools), { numRuns: Number(runs), seed });
    const statuses = new Map<number, number>();
    const succeeded = new Set<string>();
    const work = requests.values();
    const worker = async (): Promise<void> => {
      for (const request of work) {
        // Whoever may stop the server would end the test.
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
  },
);

async function send(
  request: FuzzRequest,
  target: { url: string; secret: string; agent: Agent },
): Promise<number> {
  const { method, path, body } = request;
  const { hostname, port } = new URL(target.url);
  const headers = { ...request.headers, authorization: `Bearer ${target.secret}` };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = { hostname, port, path, method, headers, agent: target.agent };
  const outgoing = sendHttp(options, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (incoming.headers["content-type"] !== "text/event-stream") return;
      // A stream that goes on for ever has been answered.
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
  outgoing.once("error", reject).end(body ?? undefined);
  return promise;
}
