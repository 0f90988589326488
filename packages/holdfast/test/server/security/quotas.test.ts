import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { connect } from "@holdfast/sdk";
import { serve } from "../../../src/compose/serve.ts";
import { routeEntries } from "../../../src/contract/routes.ts";
import { routeCharges } from "../../../src/server/route-charges.ts";
import { createQuotas, defaultQuotas } from "../../../src/server/security/quotas.ts";
import { openTestServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";
import { memoryRecords } from "./records.ts";
import { refusal } from "./refusal.ts";

/** A server whose config sets quotas. */
async function houseWith(t: TestContext, quotas: object): Promise<TestServer> {
  const testServer = await openTestServer(t);
  const config = join(testServer.folder, ".config", "holdfast");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "config.jsonc"), JSON.stringify({ quotas }));
  return testServer;
}

test("a token above its upload quota is refused, even without a content length, and others are not", async (t) => {
  const testServer = await houseWith(t, { uploadBytes: 100_000 });
  const { secret } = await testServer.token("prompt");
  const upload = async (
    token: string,
    body: string | ReadableStream,
  ): Promise<[number, string]> => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = { method: "POST", headers, body, duplex: "half" } as const;
    const answer = await fetch(`${testServer.url}/v1/attachments`, sent);
    return [answer.status, await answer.text()];
  };
  const large = "x".repeat(60_000);
  assert.equal((await upload(secret, large))[0], 201);
  const [status, said] = await upload(secret, `${large}2`);
  assert.equal(status, 429);
  assert.match(said, /"quotaExceeded".*100000 bytes of uploads per day.*quotas\.uploadBytes/);
  const [chunked] = await upload(secret, new Blob([large, "3"]).stream());
  assert.equal(chunked, 429);
  const { secret: other } = await testServer.token("prompt");
  assert.equal((await upload(other, `${large}4`))[0], 201);
  for (let count = 5; count < 8; count += 1) {
    assert.equal((await upload(testServer.owner, large + count))[0], 201);
  }
});

test("a token cannot create more sessions than its quota, by any route", async (t) => {
  const testServer = await houseWith(t, { sessions: 2 });
  const { secret } = await testServer.token("prompt");
  const { sessions } = connect({ url: testServer.url, token: secret });
  const first = await sessions.create({ directory: join(testServer.folder, "a") });
  const document = (await Array.fromAsync(first.export())).join("");
  await first.fork();
  const before = await sessions.list();
  await assert.rejects(sessions.create({ directory: join(testServer.folder, "a") }), exceeded);
  await assert.rejects(first.fork(), exceeded);
  await assert.rejects(sessions.import(document), exceeded);
  assert.equal((await sessions.list()).items.length, before.items.length);
});

test("a token above its log quota adds nothing to the log, and can still stop its runs", async (t) => {
  const testServer = await houseWith(t, { logBytes: 20_000 });
  const { secret } = await testServer.token("prompt");
  const holdfast = connect({ url: testServer.url, token: secret });
  const session = await holdfast.sessions.create({ directory: join(testServer.folder, "a") });
  await session.prompt("words 20000 every 20ms");
  const document = (await Array.fromAsync(session.export())).join("");
  await session.prompt("x".repeat(12_000));
  const { items: before } = await session.prompts();
  await assert.rejects(session.prompt("x".repeat(12_000)), exceeded);
  await assert.rejects(holdfast.sessions.import(document.padEnd(12_000)), exceeded);
  assert.equal((await session.prompts()).items.length, before.length);
  await session.cancel();
  await assert.rejects(session.prompt("x".repeat(12_000)), exceeded);
});

test("a restart does not reset quotas", async (t) => {
  const testServer = await houseWith(t, { sessions: 1 });
  const { secret } = await testServer.token("prompt");
  const create = async (url: string): Promise<unknown> =>
    connect({ url, token: secret }).sessions.create({ directory: join(testServer.folder, "a") });
  await create(testServer.url);
  await testServer.serving.server.stop();
  const again = await serve(testServer.settings);
  await again.server.ready;
  try {
    await assert.rejects(create(again.server.url), exceeded);
  } finally {
    await again.server.stop();
  }
});

test("quota counts of several nodes add up, and a new day starts at zero", async () => {
  let now = Date.UTC(2030, 0, 1, 23);
  const records = memoryRecords();
  const open = () =>
    createQuotas({
      records,
      limits: () => Promise.resolve({ ...defaultQuotas, sessions: 10 }),
      now: () => now,
      onError: (error) => {
        throw error;
      },
    });
  const [one, two] = [open(), open()];
  (await one.of("a")).take("sessions", 6);
  (await two.of("a")).take("sessions", 4);
  await Promise.all([one.close(), two.close()]);
  const three = open();
  const quota = await three.of("a");
  assert.equal(await refusal(() => quota.take("sessions", 1)), "quotaExceeded");
  (await three.of("b")).take("sessions", 10);
  now += 3_600_000;
  quota.take("sessions", 10);
  assert.equal(await refusal(() => quota.take("sessions", 1)), "quotaExceeded");
  await three.close();
});

test("every changing route for tokens without the role admin has a quota or is listed as exempt", () => {
  const changing = routeEntries().filter(
    ([, { method, role }]) => method !== "GET" && role !== null && role !== "admin",
  );
  assert.deepEqual(changing.map(([name]) => name).toSorted(), Object.keys(routeCharges).toSorted());
});

function exceeded(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "quotaExceeded";
}
