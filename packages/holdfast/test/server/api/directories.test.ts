import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { routeEntries } from "../../../src/contract/routes.ts";
import type { Role } from "../../../src/contract/token.ts";
import { sweepUploads } from "../../../src/server/uploads.ts";
import { changeableSecurity } from "./changeable-security.ts";
import { openAsk, openTestServer } from "./test-server.ts";
import type { Json } from "./test-server.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const bodies: Record<string, unknown> = {
  changeSession: { title: "mine" },
  sendPrompt: { text: "hello" },
  editPrompt: { text: "hello", revision: 1 },
  movePrompt: { before: null },
  answerAsk: { verdict: "allow" },
};

test("a token limited to some directories finds no session outside of them, on any route", async (t) => {
  const folder = scratchFolder(t, "api");
  for (const name of ["own", "own-not"]) mkdirSync(join(folder, name));
  const { security, become } = changeableSecurity();
  const { place, ask } = await openTestServer(t, { security });
  const { runtime, seqBefore } = await prepared();
  const { json: document } = await ask("GET", "/v1/sessions/other/export");

  become({ role: "prompt", directories: [join(folder, "own")] });
  const tried: string[] = [];
  for (const [name, route] of routeEntries()) {
    // A token with the role admin cannot be limited to directories.
    if (!route.path.includes("{sessionId}") || route.role === "admin") continue;
    const path = route.path
      .replace("{sessionId}", "main")
      .replace("{runId}", runtime.runId)
      .replace("{promptId}", "a")
      .replace("{askId}", "ask1")
      .replace("{seq}", "1")
      .replace("{hash}", "0".repeat(64))
      .replaceAll(/\{\w+\}/g, "x");
    const body = bodies[name];
    const answer = await ask(route.method, path, body === undefined ? {} : { body });
    assert.deepEqual([answer.status, answer.code], [404, "unknownSession"], name);
    tried.push(name);
  }
  assert.ok(tried.length >= 28, `only ${tried.length} routes were tried`);
  assert.deepEqual((await ask("GET", "/v1/asks")).json.items, []);
  assert.deepEqual((await ask("GET", "/v1/status")).json.running, []);
  const { json: list } = await ask("GET", "/v1/sessions");
  assert.deepEqual(
    list.items.map(({ sessionId }: Json) => sessionId),
    ["mine"],
  );
  for (const directory of ["own-not", "own/..", "own-not/../own-not"]) {
    const answer = await ask("POST", "/v1/sessions", {
      body: { directory: join(folder, directory) },
    });
    assert.deepEqual([answer.status, answer.code], [403, "forbidden"], directory);
  }
  for (const [path, given] of [
    ["/v1/sessions", { sessionId: "other", directory: join(folder, "own") }],
    ["/v1/sessions", { sessionId: "other", directory: join(folder, "own-not") }],
    ["/v1/sessions/mine/fork", { sessionId: "other" }],
    [`/v1/sessions/import?sessionId=other&directory=${join(folder, "own")}`, document],
    [`/v1/sessions/import?sessionId=other&directory=${join(folder, "own-not")}`, document],
  ] as const) {
    const answer = await ask("POST", path, { body: given });
    assert.deepEqual([answer.status, answer.code], [403, "forbidden"], path);
    assert.match(answer.json.error.message, /^this token may not use that (session id|directory)/);
  }
  assert.equal((await place.types()).length, seqBefore);
  become({});
  await runtime.end();

  async function prepared() {
    const { run, asked } = await openAsk(place);
    for (const [sessionId, name] of [
      ["mine", "own"],
      ["other", "own-not"],
    ] as const) {
      await ask("POST", "/v1/sessions", { body: { sessionId, directory: join(folder, name) } });
    }
    return {
      seqBefore: (await place.types()).length,
      runtime: {
        runId: run.context.runId,
        end: async () => {
          await place.first.holdfast.answer({
            sessionId: "main",
            askId: "ask1",
            verdict: "deny",
          });
          await asked;
          await run.say({ type: "toolEnd", callId: "one", status: "denied", output: "no" });
          await run.finish();
        },
      },
    };
  }
});

test("an upload is visible to the limited token that made it and to unlimited tokens only", async (t) => {
  const { security, become } = changeableSecurity();
  const { place, ask } = await openTestServer(t, { security });
  const limited = { role: "prompt", directories: ["/"] } as const;
  const upload = { body: Buffer.from("a secret plan") };
  const seen = async (hash: string): Promise<unknown[]> => {
    const { status } = await ask("GET", `/v1/attachments/${hash}`);
    const body = { text: "look", attachments: [hash] };
    return [status, (await ask("POST", "/v1/sessions/main/prompts", { body })).status];
  };
  become({ ...limited, tokenId: "one" });
  const { hash }: { hash: string } = (await ask("POST", "/v1/attachments", upload)).json;
  assert.deepEqual(await seen(hash), [200, 202]);
  await (await place.puppets.next()).finish();
  become({ ...limited, tokenId: "two" });
  assert.deepEqual(await seen(hash), [404, 404]);
  become({});
  assert.deepEqual(await seen(hash), [200, 202]);
  await (await place.puppets.next()).finish();
  const { store } = place.first.holdfast;
  assert.equal((await store.records("uploader", { after: null, limit: 10 })).length, 1);
  await sweepUploads(store, { before: Number.MAX_SAFE_INTEGER });
  assert.deepEqual(await store.records("uploader", { after: null, limit: 10 }), []);
  assert.deepEqual(await seen(hash), [404, 404]);
});

test("each route requires the role of its table entry", async (t) => {
  const { security, become } = changeableSecurity();
  const { ask } = await openTestServer(t, { security });
  const ranks: Role[] = ["observe", "propose", "prompt", "admin"];
  for (const [name, route] of routeEntries()) {
    if (route.role === null || route.path.endsWith("/events")) continue;
    const path = route.path.replaceAll(/\{\w+\}/g, "x");
    for (const role of ranks) {
      become({ role });
      const { status } = await ask(route.method, path);
      const isForbidden: boolean = ranks.indexOf(role) < ranks.indexOf(route.role);
      assert.equal(status === 403, isForbidden, `${name} as ${role}: ${status}`);
    }
  }
});
