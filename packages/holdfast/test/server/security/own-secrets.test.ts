import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "../../../src/agent/redact.ts";
import { newBrowserKey, newSecret } from "../../../src/server/security/token.ts";
import { openCli } from "../../cli/test-cli.ts";
import { openTestServer } from "./test-server.ts";

test("own secrets: tokens are masked in prompts, answers, tool output and exports", async (t) => {
  const { ask, owner, token, session } = await openTestServer(t);
  const { secret } = await token("prompt");
  await session("s", "a");
  const body = { promptId: "p", text: `say ${owner}; append file.txt ${secret}` };
  await ask("POST", "/v1/sessions/s/prompts", { token: owner, body });
  const settled = await ask("GET", "/v1/sessions/s/prompts/p?wait=30", { token: owner });
  assert.match(settled.text, /"status":"completed"/);
  const texts = [
    settled.text,
    (await ask("GET", "/v1/sessions/s", { token: owner })).text,
    (await ask("GET", "/v1/sessions/s/messages", { token: owner })).text,
    (await ask("GET", "/v1/events?follow=false", { token: owner })).text,
    (await ask("GET", "/v1/sessions/s/export", { token: owner })).text,
  ];
  for (const text of texts) {
    assert.equal(text.includes(owner) || text.includes(secret), false, text);
  }
  assert.match(texts.join(""), /\[secret\]/);
});

test("own secrets: tokens are masked by their form, even if they arrive in pieces", () => {
  const secrets = [newSecret().secret, newSecret("browser").secret, newBrowserKey()];
  const text = `a ${secrets.join(", b ")} hfk_short half h`;
  const expected = "a [secret], b [secret], b [secret] hfk_short half h";
  assert.equal(createRedactor([]).redact(text), expected);
  for (const size of [1, 2, 7, 50]) {
    const stream = createRedactor(["other-secret"]).stream();
    let shown = "";
    for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
    assert.equal(shown + stream.end(), expected);
  }
});

test("own secrets: a server prints no sign-in link if its output is not a terminal", async (t) => {
  const cli = openCli(t);
  const { running } = await cli.serve();
  await running.printed("Ctrl-C stops the server");
  running.process.kill("SIGTERM");
  const { out, err } = await running.ended;
  assert.doesNotMatch(out + err, /\/open|code=/);
  assert.match(out, /run `holdfast link` for a sign-in link/);
});
