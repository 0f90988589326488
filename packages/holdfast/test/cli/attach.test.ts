import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast, WireEvent } from "@holdfast/sdk";
import { noTerminal, plain, startAtTerminal } from "./terminal.ts";
import { openCli } from "./test-cli.ts";

const cli = openCli({ after });
let holdfast: Holdfast;

before(async () => {
  const { url, token } = await cli.serve();
  holdfast = connect({ url, token });
});

test("without a terminal, attach prints text or JSON events until it is stopped", async () => {
  const session = await holdfast.sessions.create({ sessionId: "w", directory: cli.folder });
  await (await session.prompt("say first")).settled();
  const text = cli.start("attach", "w");
  const json = cli.start("attach", "w", "--json");
  await Promise.all([text.printed("first"), json.printed("run.ended")]);
  await (await session.prompt("tool read x; say **last**")).settled();
  await Promise.all([text.printed("**last**\n"), json.matched(/run\.ended[^]*run\.ended/)]);
  text.process.kill("SIGINT");
  json.process.kill("SIGTERM");
  const [shown, printed] = await Promise.all([text.ended, json.ended]);
  assert.deepEqual(
    [shown.end, shown.out],
    [0, "[demo agent] first\n[demo agent] I call read.\n[demo agent] **last**\n"],
  );
  assert.match(
    shown.err,
    /^w {2}say first in .*\n› say first {2}\S+\n› tool read x; say \*\*last\*\* {2}/,
  );
  const events = printed.out
    .trimEnd()
    .split("\n")
    .map((line): WireEvent => JSON.parse(line));
  assert.deepEqual([printed.end, printed.err], [0, ""]);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
});

test("R4 an open question is shown, however old it is", async () => {
  const session = await holdfast.sessions.create({ sessionId: "q", directory: cli.folder });
  await session.prompt("ask to append q.txt x");
  for await (const item of session.events()) if (item.type === "ask.opened") break;
  const attached = cli.start("attach", "q", "--tail", "0");
  await attached.printed("The demo agent wants to append q.txt x. Allow it?");
  attached.process.kill("SIGTERM");
  assert.equal((await attached.ended).end, 0);
});

test("attach --screen-reader prints plain lines at a terminal", { skip: noTerminal }, async () => {
  const session = await holdfast.sessions.create({ sessionId: "plain", directory: cli.folder });
  await (await session.prompt("say hello")).settled();
  const attached = startAtTerminal("attach plain --screen-reader", {
    folder: cli.folder,
    environment: { XDG_DATA_HOME: join(cli.folder, "data") },
  });
  // The usual screen has a dot before each answer.
  await attached.matched(/Ready for a prompt\.|●[^]*hello/);
  attached.process.stdin?.write("\u0004");
  const { end, out } = await attached.ended;
  assert.equal(end, 0, out);
  assert.match(plain(out), /\nYou: say hello\n/);
});
