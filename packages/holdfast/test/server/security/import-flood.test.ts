import assert from "node:assert/strict";
import { createReadStream, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { SessionHandle } from "@holdfast/sdk";
import { openJsonFile } from "../../../src/runtime/copies/json-file.ts";
import { largeDocument } from "../flood/documents.ts";
import type { Filling } from "../flood/documents.ts";
import { openTestServer } from "./test-server.ts";

const bytes = 2_000_000;

test("concurrent large imports do not block the event loop, and leave no files", async (t) => {
  const testServer = await openTestServer(t);
  const holdfast = connect({ url: testServer.url, token: testServer.owner });
  const directory = join(testServer.folder, "a");
  for (const filling of ["prompts", "attachments"] satisfies Filling[]) {
    const document = await largeDocument(holdfast, { filling, bytes, directory });
    const rounds: { copy: SessionHandle | undefined; isBlocked: boolean; times: string }[] = [];
    // A pause of the whole machine looks like a blocked event loop, but does not come in every round.
    while (rounds.length < 5 && rounds.at(-1)?.isBlocked !== false) {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const startedAt = performance.now();
      const [copy] = await Promise.all([1, 2, 3].map(() => holdfast.sessions.import(document)));
      const duration = performance.now() - startedAt;
      delay.disable();
      const longest = delay.max / 1_000_000;
      const times = `${Math.round(longest)} of ${Math.round(duration)} ms`;
      rounds.push({ copy, isBlocked: longest >= duration / 4, times });
    }
    const { copy, isBlocked } = rounds.at(-1) ?? {};
    const times = rounds.map((round) => round.times).join(", ");
    assert.equal(isBlocked, false, `${filling}: the event loop was blocked for ${times}`);
    assert.equal((await copy?.messages({ limit: 1 }))?.items.length, 1);
    const spooled = readdirSync(testServer.settings.dataFolder).filter((name) =>
      name.includes("import"),
    );
    assert.deepEqual(spooled, []);
  }
});

test("a transcript in pages equals that of the original session", async (t) => {
  const testServer = await openTestServer(t);
  const holdfast = connect({ url: testServer.url, token: testServer.owner });
  const directory = join(testServer.folder, "a");
  const document = await largeDocument(holdfast, {
    filling: "prompts",
    bytes: 2_000_000,
    directory,
  });
  const copy = await holdfast.sessions.import(document);
  const fork = await copy.fork();
  const texts = async (session: typeof copy): Promise<string[]> => {
    const found: string[] = [];
    for await (const message of session.eachMessage({ limit: 300 })) {
      if (message.role === "user") found.push(message.text);
    }
    return found;
  };
  const [copied, forked] = [await texts(copy), await texts(fork)];
  assert.ok(copied.length > 500);
  assert.deepEqual(
    copied,
    copied.map((_, place) => String(place).padStart(1_000, "0")),
  );
  assert.deepEqual(forked, copied);
  const again = await holdfast.sessions.import((await Array.fromAsync(copy.export())).join(""));
  assert.deepEqual(await texts(again), copied);
});

test("documents that would exhaust memory or the stack are refused, and the server continues", async (t) => {
  const { ask, owner, url } = await openTestServer(t);
  const start = `{"format":"holdfast-session","version":1,`;
  const attacks: [string, RegExp][] = [
    [`${start}"events":${"[".repeat(3_000_000)}`, /nested|not valid JSON/],
    [`${start}"events":[${"[],".repeat(1_000_000)}[]],"bodies":{}}`, /event 1/],
    [`${start}"prompts":[${"{},".repeat(1_000_000)}{}],"events":[],"bodies":{}}`, /it is empty/],
    [`${start}"events":["${"\\\\".repeat(2_000_000)}"],"bodies":{}}`, /event 1/],
    [`${start}"events":["${"x".repeat(1_000_000)}`, /not valid JSON/],
    [`${start}"events":[{}],"bodies":{"x":1}}`, /not a hash/],
    [`{}${" ".repeat(1_000_000)}{}`, /not valid JSON/],
    ["", /not valid JSON/],
  ];
  for (const [text, reason] of attacks) {
    const answer = await fetch(`${url}/v1/sessions/import?directory=/`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner}`, "content-type": "application/json" },
      body: text,
    });
    const { status } = answer;
    const said = await answer.text();
    assert.deepEqual([status, reason.test(said)], [400, true], `${text.slice(0, 60)}: ${said}`);
  }
  assert.equal((await ask("GET", "/readyz")).status, 200);
});

test("values are found in a file, wherever the read windows end", async (t) => {
  const testServer = await openTestServer(t);
  mkdirSync(join(testServer.folder, "json"));
  const value = {
    list: Array.from({ length: 3_000 }, (_, place) => ({ text: `${'\\"'.repeat(place % 40)}é[{` })),
    'key " {': { deep: [[["]"]]], number: -1.5e3, no: null },
  };
  const path = join(testServer.folder, "json", "file");
  writeFileSync(path, JSON.stringify(value, null, 1));
  const stream = createReadStream(path);
  const [file]: unknown[] = await new Promise((resolve) =>
    stream.once("open", (fd) => resolve([fd])),
  );
  const json = openJsonFile(Number(file), { windowBytes: 7 });
  const read: Record<string, unknown> = {};
  for (const member of json.members(json.whole())) {
    read[member.key] =
      member.value.kind === "array"
        ? Array.from(json.elements(member.value), (span) => json.parse(span, ""))
        : json.parse(member.value, "");
  }
  assert.deepEqual(read, value);
  stream.destroy();
});
