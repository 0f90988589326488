import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { openTestServer } from "./test-server.ts";
import type { Json } from "./test-server.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { nextMillisecond } from "../../support/wait-for.ts";

function folderFor(t: TestContext): string {
  const folder = scratchFolder(t, "api");
  for (const name of ["one", "two"]) mkdirSync(join(folder, name));
  symlinkSync(join(folder, "one"), join(folder, "link"));
  return folder;
}

test("P3 a session is created once per id, in the real path of its folder", async (t) => {
  const folder = folderFor(t);
  const { ask } = await openTestServer(t);
  const create = (body: object) => ask("POST", "/v1/sessions", { body });
  const body = { sessionId: "s", directory: join(folder, "link"), title: "A title" };
  const first = await create(body);
  assert.deepEqual(
    [first.status, first.json.directory, first.json.title, first.json.status],
    [201, join(folder, "one"), "A title", "idle"],
  );
  assert.deepEqual((await create(body)).json, first.json);
  const other = await create({ ...body, directory: join(folder, "two") });
  assert.deepEqual([other.status, other.code], [409, "conflict"]);
  rmSync(join(folder, "one"), { recursive: true });
  const late = await create({ ...body, directory: join(folder, "one") });
  assert.deepEqual([late.status, late.json.sessionId], [201, "s"]);
  const missing = await create({ directory: join(folder, "three") });
  assert.deepEqual([missing.status, missing.code], [400, "invalid"]);
});

test("sessions are listed by activity, in pages, by directory and by search text", async (t) => {
  const folder = folderFor(t);
  const { ask } = await openTestServer(t, { session: false });
  const [one, two] = [join(folder, "one"), join(folder, "two")];
  for (const [sessionId, directory, title] of [
    ["a", one, "First things"],
    ["b", two, "second thoughts"],
    ["c", one, "THIRD time"],
  ]) {
    await ask("POST", "/v1/sessions", { body: { sessionId, directory, title } });
  }
  await nextMillisecond();
  await ask("PATCH", "/v1/sessions/a", { body: { archived: true } });
  const list = async (query: string): Promise<string[]> => {
    const { json } = await ask("GET", `/v1/sessions?${query}`);
    return json.items.map(({ sessionId }: Json) => sessionId);
  };
  assert.deepEqual(await list(""), ["a", "c", "b"]);
  assert.deepEqual(await list("archived=false"), ["c", "b"]);
  assert.deepEqual(await list("search=third"), ["c"]);
  assert.deepEqual(await list(`directory=${join(folder, "link")}`), ["a", "c"]);
  await nextMillisecond();
  await ask("POST", "/v1/sessions/b/holds", { body: {} });
  assert.deepEqual(await list("status=held"), ["b"]);
  assert.deepEqual(await list("status=held&status=idle"), ["b", "a", "c"]);
  assert.deepEqual(await list("status=running"), []);
  const wrong = await ask("GET", "/v1/sessions?status=running,held");
  assert.deepEqual([wrong.status, wrong.code], [400, "invalid"]);
  const first = await ask("GET", "/v1/sessions?limit=2");
  const second = await ask("GET", `/v1/sessions?limit=2&after=${first.json.cursor}`);
  assert.deepEqual([second.json.items.length, second.json.cursor], [1, null]);
  assert.equal((await ask("GET", "/v1/sessions?after=nonsense")).code, "badCursor");
});

test("a session is renamed, archived, forked, exported and imported", async (t) => {
  const folder = folderFor(t);
  const { place, ask } = await openTestServer(t);
  await place.prompt("a");
  await (await place.puppets.next()).finish("an answer");
  await place.outcome("a");
  const changed = await ask("PATCH", "/v1/sessions/main", {
    body: { title: "Named", archived: true },
  });
  assert.deepEqual([changed.json.title, changed.json.archived], ["Named", true]);
  const fork = await ask("POST", "/v1/sessions/main/fork", { body: { sessionId: "copy" } });
  assert.deepEqual([fork.status, fork.json.sessionId, fork.json.parent], [201, "copy", null]);
  const texts = async (sessionId: string): Promise<unknown[]> => {
    const { json } = await ask("GET", `/v1/sessions/${sessionId}/messages`);
    return json.items.map(({ role, text }: Json) => [role, text]);
  };
  const said = [
    ["user", "text of a"],
    ["assistant", "an answer"],
  ];
  assert.deepEqual([await texts("main"), await texts("copy")], [said, said]);

  const exported = await ask("GET", "/v1/sessions/main/export");
  assert.equal(exported.headers.get("content-disposition"), 'attachment; filename="main.json"');
  const path = `/v1/sessions/import?sessionId=back&directory=${join(folder, "two")}`;
  const imported = await ask("POST", path, { body: exported.json });
  assert.deepEqual(
    [imported.status, imported.json.directory, await texts("back")],
    [201, join(folder, "two"), said],
  );
  const broken = await ask("POST", "/v1/sessions/import?directory=/", { body: { format: "x" } });
  assert.deepEqual([broken.status, broken.code], [400, "invalid"]);
  const [created, ...events] = exported.json.events;
  const document = { ...exported.json, events: [{ ...created, extra: "deep" }, ...events] };
  const nested = await ask("POST", "/v1/sessions/import?directory=/", {
    body: Buffer.from(JSON.stringify(document).replace('"deep"', deep(100_000))),
    headers: { "content-type": "application/json" },
  });
  assert.deepEqual([nested.status, nested.code], [400, "invalid"]);
  for (const depth of [5_000, 100_000]) {
    const hidden = await ask("POST", "/v1/sessions/import?directory=/", {
      body: withDeepAnswer(exported.json, depth),
    });
    assert.deepEqual(
      [hidden.status, hidden.json.error.message],
      [400, "its messages are nested more than 200 levels deep"],
    );
  }
});

/** The same document with a deeply nested answer; bodies are JSON text within JSON. */
function withDeepAnswer(document: Json, depth: number): Json {
  const bodies: [string, { text: string }][] = Object.entries(document.bodies);
  const [hash, body] = bodies.find(([, { text }]) => text.startsWith('{"text":"an answer"')) ?? [];
  assert(hash !== undefined && body !== undefined);
  const text = body.text.replace(/"extra":null/, `"extra":${deep(depth)}`);
  assert.notEqual(text, body.text);
  const moved = createHash("sha256").update(text).digest("hex");
  const named: Json = JSON.parse(JSON.stringify(document).replaceAll(hash, moved));
  return { ...named, bodies: { ...named.bodies, [moved]: { text } } };
}

function deep(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}

test("L4 a session's holds are placed, seen and released", async (t) => {
  const { place, ask } = await openTestServer(t);
  const body = { holdId: "lunch", reason: "out for lunch" };
  const hold = { kind: "person", holdId: "lunch", reason: "out for lunch" };
  for (const _ of ["once", "again"]) {
    const placed = await ask("POST", "/v1/sessions/main/holds", { body });
    assert.deepEqual([placed.status, placed.json], [201, { items: [hold] }]);
  }
  await place.prompt("a");
  const { json } = await ask("GET", "/v1/sessions/main");
  assert.deepEqual([json.status, json.holds, json.queued], ["held", [hold], 1]);
  const released = await ask("DELETE", "/v1/sessions/main/holds/lunch");
  assert.deepEqual([released.status, released.json], [200, { items: [] }]);
  const again = await ask("DELETE", "/v1/sessions/main/holds/lunch");
  assert.deepEqual([again.status, again.code], [404, "unknownHold"]);
  await (await place.puppets.next()).finish();
});
