import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openHouse } from "./house.ts";
import type { House } from "./house.ts";

/** Sends a prompt with a token that may only prompt, and returns the text of its outcome. */
async function answerTo(house: House, text: string): Promise<string> {
  const { secret } = await house.token("prompt");
  const sent = await house.ask("POST", "/v1/sessions/s/prompts?wait=20", {
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
  const house = await openHouse(t);
  await house.session("s", "a");
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
  for (const attack of attacks) assert.match(await answerTo(house, attack), refused, attack);
  assert.match(await answerTo(house, "child { crash }"), /"crash" is turned off/);
  assert.equal(existsSync(join(house.folder, "a", "a.txt")), false);
});

test("append of the demo agent follows no link out of the session's directory", async (t) => {
  const house = await openHouse(t);
  const directory = join(house.folder, "a");
  await house.session("s", "a");
  const [secret, outside] = [join(house.folder, "secret.txt"), join(house.folder, "b")];
  writeFileSync(secret, "keys\n");
  symlinkSync(secret, join(directory, "file-link"));
  symlinkSync(outside, join(directory, "folder-link"));
  symlinkSync(join(outside, "made.txt"), join(directory, "dangling"));
  for (const path of ["file-link", "folder-link/made.txt", "dangling"]) {
    assert.match(
      await answerTo(house, `append ${path} pwned`),
      /outside of the session's directory/,
    );
  }
  assert.equal(readFileSync(secret, "utf8"), "keys\n");
  assert.equal(existsSync(join(outside, "made.txt")), false);

  mkdirSync(join(directory, "inner"));
  symlinkSync(join(directory, "inner"), join(directory, "inner-link"));
  assert.match(await answerTo(house, "append inner-link/notes.txt fine"), /appended a line/);
  assert.match(readFileSync(join(directory, "inner", "notes.txt"), "utf8"), /^fine /);
});
