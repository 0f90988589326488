import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestServer } from "./test-server.ts";

test("data folder: no session can be created in it, by name, by a link or by an import", async (t) => {
  const { ask, token, folder, owner, session } = await openTestServer(t);
  const { secret } = await token("prompt");
  const data = join(folder, "data");
  const config = join(folder, ".config", "holdfast");
  mkdirSync(join(config, "agents"), { recursive: true });
  mkdirSync(join(data, "permissions"), { recursive: true });
  symlinkSync(data, join(folder, "a", "link"));
  await session("s", "a");
  const exported = await ask("GET", "/v1/sessions/s/export", { token: owner });
  const places = [data, join(data, "permissions"), join(folder, "a", "link"), config];
  const refused: string[] = [];
  for (const [index, directory] of places.entries()) {
    for (const [path, body] of [
      ["/v1/sessions", { directory }],
      [
        `/v1/sessions/import?sessionId=i${index}&directory=${encodeURIComponent(directory)}`,
        JSON.parse(exported.text),
      ],
    ] as const) {
      const { status, code } = await ask("POST", path, { token: secret, body });
      refused.push(`${status} ${code}`);
    }
  }
  assert.deepEqual(refused, Array<string>(8).fill("403 forbidden"));
  const asOwner = await ask("POST", "/v1/sessions", { token: owner, body: { directory: data } });
  assert.equal(asOwner.code, "forbidden");
});

test("data folder: the demo agent cannot reach it from a parent folder", async (t) => {
  const { ask, token, folder, owner } = await openTestServer(t);
  const { secret } = await token("prompt");
  symlinkSync(join(folder, "data", "token"), join(folder, "a", "innocent"));
  await ask("POST", "/v1/sessions", {
    token: secret,
    body: { sessionId: "above", directory: folder },
  });
  for (const file of ["data/token", "a/innocent", "a/../data/new"]) {
    const body = { promptId: file.replaceAll("/", "-"), text: `append ${file} owned` };
    await ask("POST", "/v1/sessions/above/prompts", { token: secret, body });
    const { text } = await ask("GET", `/v1/sessions/above/prompts/${body.promptId}?wait=30`, {
      token: secret,
    });
    assert.match(text, /"status":"completed"/);
  }
  const { text } = await ask("GET", "/v1/sessions/above/messages", { token: secret });
  assert.equal(text.match(/belongs to Holdfast's own data or config/g)?.length, 3);
  assert.equal(readFileSync(join(folder, "data", "token"), "utf8").trim(), owner);
});
