import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestServer } from "./test-server.ts";
import type { TestServer } from "./test-server.ts";

/** Sends a prompt with a prompt token; returns the text of its outcome. */
async function answerTo(testServer: TestServer, text: string): Promise<string> {
  const { secret } = await testServer.token("prompt");
  const sent = await testServer.ask("POST", "/v1/sessions/s/prompts?wait=20", {
    token: secret,
    body: { text },
  });
  assert.equal(sent.status, 200, sent.text);
  const { outcome, result }: { outcome: { status: string }; result: string } = JSON.parse(
    sent.text,
  );
  return `${outcome.status}: ${result}`;
}

test("a prompt token cannot crash, block or flood the server through the demo agent", async (t) => {
  const testServer = await openTestServer(t);
  await testServer.session("s", "a");
  const refused = /^completed: \[demo agent\] "[a-z ]+" is turned off\. Start Holdfast with/;
  const attacks = [
    "crash",
    "crash once",
    "block 3600s",
    "flood 9999999",
    "crash during append a.txt x",
    "ask to crash during append a.txt x",
    "parallel { tool read x; crash during tool read y }",
  ];
  for (const attack of attacks) assert.match(await answerTo(testServer, attack), refused, attack);
  assert.match(await answerTo(testServer, "child { crash }"), /"crash" is turned off/);
  assert.equal(existsSync(join(testServer.folder, "a", "a.txt")), false);
});

test("the demo agent's append follows no link out of the session's directory", async (t) => {
  const testServer = await openTestServer(t);
  const directory = join(testServer.folder, "a");
  await testServer.session("s", "a");
  const [secret, outside] = [join(testServer.folder, "secret.txt"), join(testServer.folder, "b")];
  writeFileSync(secret, "keys\n");
  symlinkSync(secret, join(directory, "file-link"));
  symlinkSync(outside, join(directory, "folder-link"));
  symlinkSync(join(outside, "made.txt"), join(directory, "dangling"));
  for (const path of ["file-link", "folder-link/made.txt", "dangling"]) {
    assert.match(
      await answerTo(testServer, `append ${path} pwned`),
      /outside of the session's directory/,
    );
  }
  assert.equal(readFileSync(secret, "utf8"), "keys\n");
  assert.equal(existsSync(join(outside, "made.txt")), false);

  mkdirSync(join(directory, "inner"));
  symlinkSync(join(directory, "inner"), join(directory, "inner-link"));
  assert.match(await answerTo(testServer, "append inner-link/notes.txt fine"), /appended a line/);
  assert.match(readFileSync(join(directory, "inner", "notes.txt"), "utf8"), /^fine /);
});
