import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { searchViews } from "../../../src/runtime/views/search.ts";
import { directoryLabel } from "../../../src/store/search/labels.ts";
import type { TextQuery } from "../../../src/store/search/search.ts";
import type { Store } from "../../../src/store/store.ts";
import { call } from "../../runner/support/puppets.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { changeableSecurity } from "./changeable-security.ts";
import { openTestServer } from "./test-server.ts";
import type { Json } from "./test-server.ts";

function searching(ask: Awaited<ReturnType<typeof openTestServer>>["ask"]) {
  return (query: Record<string, string>) =>
    ask("GET", `/v1/search?${new URLSearchParams(query).toString()}`);
}

test("search finds prompts, answers, tool calls and results with their places", async (t) => {
  const { place, ask } = await openTestServer(t);
  const search = searching(ask);
  const run = await place.openStep("zebra");
  await run.answer("zebra answer", [
    { ...call("one"), name: "shell", input: { command: "zebra --run" } },
  ]);
  await run.say({ type: "toolStart", callId: "one" });
  await run.say({ type: "toolEnd", callId: "one", status: "completed", output: "a\nzebra\nb" });
  await run.finish("done");
  await place.outcomes(["zebra"]);
  await ask("PATCH", "/v1/sessions/main", { body: { title: "Zebra crossing" } });
  const { json } = await search({ q: "ZEBRA" });
  assert.deepEqual(
    json.items.map(({ kind, promptId, callId, title }: Json) => [kind, promptId, callId, title]),
    [
      ["title", undefined, undefined, "Zebra crossing"],
      ["toolResult", undefined, "one", "Zebra crossing"],
      ["toolCall", undefined, "one", "Zebra crossing"],
      ["answer", undefined, undefined, "Zebra crossing"],
      ["prompt", "zebra", undefined, "Zebra crossing"],
    ],
  );
  assert.equal(json.isComplete, true);
  const result = json.items[1];
  assert.deepEqual(result.snippet, [
    { text: "a ", isMatch: false },
    { text: "zebra", isMatch: true },
    { text: " b", isMatch: false },
  ]);
  const { json: messages } = await ask("GET", "/v1/sessions/main/messages");
  const message = messages.items.find(({ seq }: Json) => seq === result.seq);
  assert.deepEqual([message.role, message.callId], ["tool", "one"]);
  const kinds = await ask("GET", "/v1/search?q=zebra&kind=toolCall&kind=title&limit=1");
  assert.deepEqual(kinds.json.items.length, 1);
  const rest = await ask(
    "GET",
    `/v1/search?q=zebra&kind=toolCall&kind=title&after=${kinds.json.cursor}`,
  );
  assert.deepEqual([rest.json.items.length, rest.json.cursor], [1, null]);
  const archived = async (value: string): Promise<number> =>
    (await search({ q: "zebra", archived: value })).json.items.length;
  assert.deepEqual([await archived("true"), await archived("false")], [0, 5]);
  await ask("PATCH", "/v1/sessions/main", { body: { archived: true } });
  assert.deepEqual([await archived("true"), await archived("false")], [5, 0]);
});

test("a token limited to a directory finds no word, snippet or count from outside", async (t) => {
  const folder = scratchFolder(t, "search");
  for (const name of ["own", "own/below", "own-not"]) mkdirSync(join(folder, name));
  const { security, become } = changeableSecurity();
  const { place, ask } = await openTestServer(t, { security, session: false });
  const search = searching(ask);
  for (const [sessionId, name] of [
    ["mine", "own"],
    ["below", "own/below"],
    ["other", "own-not"],
  ] as const) {
    const directory = join(folder, name);
    await ask("POST", "/v1/sessions", {
      body: { sessionId, directory, title: `secret of ${name}` },
    });
  }
  const sessions = async (query: Record<string, string>): Promise<string[]> => {
    const { json } = await search({ q: "secret", ...query });
    assert.equal(json.cursor, null);
    return json.items.map(({ sessionId }: Json) => sessionId);
  };
  assert.deepEqual(await sessions({}), ["other", "below", "mine"]);
  assert.deepEqual(await sessions({ directory: join(folder, "own") }), ["below", "mine"]);
  become({ role: "observe", directories: [join(folder, "own")] });
  assert.deepEqual(await sessions({}), ["below", "mine"]);
  assert.deepEqual(await sessions({ session: "other" }), []);
  assert.deepEqual(await sessions({ session: "unknown" }), []);
  assert.deepEqual((await search({ q: "not", limit: "1" })).json, {
    items: [],
    cursor: null,
    isComplete: true,
  });
  const outside = await search({ q: "secret", directory: join(folder, "own-not") });
  assert.deepEqual([outside.status, outside.code], [403, "forbidden"]);
  const above = await search({ q: "secret", directory: folder });
  assert.deepEqual([above.status, above.code], [403, "forbidden"]);
  become({ role: "observe", directories: [] });
  assert.deepEqual(await sessions({}), []);
  // Labels are hashes. If two of them were equal, the view would still compare the real directories.
  const { store } = place.first.holdfast;
  const labels: TextQuery["labels"][] = [];
  const blind: Store = {
    ...store,
    findTexts: (query) => {
      labels.push(query.labels);
      return store.findTexts({ ...query, labels: [] });
    },
  };
  const { hits } = await searchViews(blind).search({
    words: "secret",
    directories: [join(folder, "own")],
    after: null,
    limit: 10,
  });
  assert.deepEqual(
    hits.map(({ sessionId }) => sessionId),
    ["below", "mine"],
  );
  // The index itself is limited too, so that paging and time do not depend on texts elsewhere.
  assert.deepEqual(labels, [[[directoryLabel(join(folder, "own"))]]]);
});

test("every unusual search text is refused or answered without an error of the store", async (t) => {
  const { place, ask } = await openTestServer(t);
  const search = searching(ask);
  const run = await place.openStep("x");
  await run.finish('שלום עולם and "quotes" AND (brackets) NOT * ^ : {x} -y');
  await place.outcomes(["x"]);
  for (const [q, status] of [
    ["w ".repeat(5_000), 400],
    ["", 400],
    ['"" () * ^ - :', 400],
    [Array.from({ length: 100 }, (_, index) => `w${index}`).join(" "), 400],
    ["'; DROP TABLE texts; --", 200],
    ["NEAR(a b, 2) OR c:d^", 200],
    ["a\u0000b", 200],
    ["\u202Eעולם", 200],
    ["_s0000000000000000", 200],
    ["𝒳 😀x", 200],
  ] as const) {
    const answer = await search({ q });
    assert.equal(answer.status, status, `${q.slice(0, 40)}: ${answer.text.slice(0, 200)}`);
  }
  const count = async (q: string): Promise<number> => (await search({ q })).json.items.length;
  assert.equal(await count("עולם"), 1);
  assert.equal(await count("y"), 1);
  assert.equal(await count('"quotes" NOT'), 1);
  assert.equal((await search({ q: "x", after: "none" })).code, "badCursor");
});
