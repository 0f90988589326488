import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, says } from "../../../../gauntlet/model-server/script.ts";
import { connect } from "@holdfast/sdk";
import { waitFor } from "../support/wait-for.ts";
import { openModelCli } from "./model-cli.ts";

test("remembered rules are listed and revoked, and a revoked rule asks again", async (t) => {
  const command = { name: "shell", input: { command: "sh -c 'echo ran' && make x | head" } };
  const cli = await openModelCli(
    t,
    (call) => (call.messages.at(-1)?.role === "user" ? asks(command) : says("Done.")),
    { HOLDFAST_EMBEDDED: "" },
  );
  const holdfast = connect(await cli.serve());
  const session = await holdfast.sessions.create({ directory: cli.folder });
  const openAsk = (): Promise<string> =>
    waitFor(async () => (await session.asks({ open: true })).items[0]?.askId ?? "", {
      describe: "a permission request",
    });
  const first = await session.prompt("go");
  await session.answer(await openAsk(), { verdict: "allow", remember: "project" });
  await first.settled();
  const listed = await cli.run("rules");
  assert.deepEqual(listed.out.split("\n").slice(1, 3), [
    "     1  project  allow   run sh -c 'echo ran'",
    "     2  project  allow   run make x *",
  ]);
  await (await session.prompt("again")).settled();
  assert.equal((await session.asks({})).items.length, 1);

  const revoked = await cli.run("rules", "revoke", "1");
  assert.equal(revoked.out, "removed: run sh -c 'echo ran'\n");
  const third = await session.prompt("once more");
  const askId = await openAsk();
  const shown = (await session.asks({ open: true })).items[0];
  assert.match(JSON.stringify(shown?.extra), /"remembers":\[\{"action":"run","pattern":"sh -c/);
  await session.answer(askId, { verdict: "deny" });
  await third.settled();

  const wrong = await cli.run("rules", "revoke", "7");
  assert.deepEqual([wrong.end, wrong.err.includes("there is no remembered rule 7")], [2, true]);
  await cli.run("rules", "revoke", "--all");
  assert.equal((await cli.run("rules")).out, "There are no remembered rules.\n");
  const { items } = await holdfast.rules.list({ directory: cli.folder });
  assert.deepEqual(items, []);
});

test("without a running server, rules of a session are listed and revoked too", async (t) => {
  const command = { name: "shell", input: { command: "make x" } };
  const cli = await openModelCli(
    t,
    (call) => (call.messages.at(-1)?.role === "user" ? asks(command) : says("Done.")),
    { HOLDFAST_EMBEDDED: "" },
  );
  const { running, ...address } = await cli.serve();
  const holdfast = connect(address);
  const session = await holdfast.sessions.create({ directory: cli.folder, sessionId: "ruled" });
  const prompt = await session.prompt("go");
  const askId = await waitFor(
    async () => (await session.asks({ open: true })).items[0]?.askId ?? "",
    { describe: "a permission request" },
  );
  await session.answer(askId, { verdict: "allow", remember: "session" });
  await prompt.settled();
  running.process.kill("SIGTERM");
  await running.ended;
  const listed = await cli.run("rules", "--session", "ruled");
  assert.match(listed.out, /^ +1 {2}session {2}allow {3}run make x/m, listed.err);
  assert.match(listed.out, /^To remove one: holdfast rules --session ruled revoke <number>$/m);
  assert.equal((await cli.run("rules")).out, listed.out.replace(" --session ruled", ""));
  const revoked = await cli.run("rules", "revoke", "1");
  assert.match(revoked.out, /^removed: run make x/, revoked.err);
  assert.equal((await cli.run("rules")).out, "There are no remembered rules.\n");
});
