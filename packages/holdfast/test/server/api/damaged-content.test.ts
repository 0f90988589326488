import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { corrupt } from "../../../src/store/sqlite/errors.ts";
import { away } from "../../runner/support/tampered-store.ts";
import { openTestServer } from "./test-server.ts";
import type { Json, TestServer } from "./test-server.ts";

type Damage = (content: Uint8Array) => Uint8Array;

const damages: readonly (readonly [string, Damage])[] = [
  ["cut off", (content) => content.subarray(0, 5)],
  ["empty", () => new Uint8Array()],
  ["of another kind", () => Buffer.from('{"calls":[]}')],
  [
    "unreadable in the store",
    () => {
      throw corrupt("holdfast.db");
    },
  ],
];

for (const [name, damage] of damages) {
  test(`content that is ${name} is omitted, and answers show all else (P4)`, async (t) => {
    const { ask, attachment } = await openDamaged(t, damage);
    const get = async (path: string): Promise<Json> => {
      const { status, json } = await ask("GET", path);
      assert.equal(status, 200, path);
      return json;
    };
    const session = "/v1/sessions/main";
    const accepted = { type: "prompt.accepted", promptId: "damaged", content: null };
    assert.partialDeepStrictEqual(await get(`${session}/events/2`), accepted);
    const timeline = await get("/v1/timeline");
    assert.deepEqual(timeline.items.flatMap(promptTexts), [null, "whole"]);
    assert.deepEqual((await get(`${session}/prompts`)).items.map(textOf), [null, "whole"]);
    assert.equal(textOf(await get(`${session}/prompts/damaged`)), null);
    const file = await ask("GET", `${session}/prompts/damaged/attachments/${attachment}`);
    assert.equal(file.code, "unknownAttachment");
  });
}

test("content is not omitted while the store is away", async (t) => {
  const { ask } = await openDamaged(t, () => {
    throw away();
  });
  for (const path of ["sessions/main/events/2", "timeline", "sessions/main/prompts"]) {
    assert.equal((await ask("GET", `/v1/${path}`)).code, "storeUnavailable", path);
  }
});

/** Opens a server with a session of two prompts. The content of the first prompt is damaged. */
async function openDamaged(
  t: TestContext,
  damage: Damage,
): Promise<TestServer & { attachment: string }> {
  const server = await openTestServer(t);
  const { ask, place } = server;
  const headers = { "content-type": "text/plain" };
  const uploaded = await ask("POST", "/v1/attachments", { body: Buffer.from("notes"), headers });
  const attachment = uploaded.json.hash;
  for (const text of ["damaged", "whole"]) {
    const body = { promptId: text, text, reply: false, attachments: [attachment] };
    assert.equal((await ask("POST", "/v1/sessions/main/prompts", { body })).status, 200);
  }
  const { store } = place.first.holdfast;
  const intact = { ...store };
  Object.assign(store, {
    body: async (hash: string) => {
      const content = await intact.body(hash);
      const isDamaged = content !== null && Buffer.from(content).includes("damaged");
      return isDamaged ? damage(content) : content;
    },
  });
  return { ...server, attachment };
}

function promptTexts({ events }: Json): (string | null)[] {
  return events
    .filter(({ type }: Json) => type === "prompt.accepted")
    .map(({ content }: Json) => content?.text ?? null);
}

function textOf({ text }: Json): string | null {
  return text;
}
