import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect } from "@holdfast/sdk";
import type { Holdfast, WireEvent } from "@holdfast/sdk";
import { openCli } from "./test-cli.ts";
import { noTerminal, plain, startAtTerminal } from "./terminal.ts";

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

test(
  "R4 at a terminal a person sends prompts, answers, cancels with Esc and quits with Ctrl-D",
  { skip: noTerminal },
  async () => {
    const session = await holdfast.sessions.create({ sessionId: "t", directory: cli.folder });
    const environment = { XDG_DATA_HOME: `${cli.folder}/data` };
    const attached = startAtTerminal("attach t", { folder: cli.folder, environment });
    const type = (text: string): void => void attached.process.stdin?.write(text);
    await attached.printed("Ctrl-D quits");
    type("ask to append t.txt x; say # done\r");
    await attached.printed("y or n, with a comment if you like: ");
    type("maybe\r");
    await attached.printed("this does not answer the question; try again");
    type("y\r");
    await attached.printed("appended a line to t.txt");
    type("/bogus x\r");
    await attached.printed("there is no command /bogus");
    type("stall\r");
    await attached.matched(/› stall/);
    await session.prompt("say never");
    await attached.matched(/› say never/);
    type("\u001B");
    await attached.printed("cancelled: stopped 1 running, 1 queued");
    // The last typed line is sent before the command quits.
    type("say late\r\u0004");
    const { end, out } = await attached.ended;
    assert.equal(end, 0, out);
    assert.match(plain(out), /\? The demo agent wants to append t\.txt x\. Allow it\?\n/);
    assert.match(plain(out), /detached; the session keeps running\n$/);
    const statuses: string[] = [];
    for await (const { text, promptId } of session.eachPrompt()) {
      const { status } = await session.promptById(promptId).settled();
      statuses.push(`${text}: ${status}`);
    }
    assert.deepEqual(statuses.toSorted(), [
      "ask to append t.txt x; say # done: completed",
      "say late: completed",
      "say never: cancelled",
      "stall: cancelled",
    ]);
  },
);

test(
  "C7 at a terminal a second Esc also stops background work, and no child result starts a run of the parent",
  { skip: noTerminal },
  async () => {
    const session = await holdfast.sessions.create({ sessionId: "tree", directory: cli.folder });
    const environment = { XDG_DATA_HOME: `${cli.folder}/data` };
    const attached = startAtTerminal("attach tree", { folder: cli.folder, environment });
    const type = (text: string): void => void attached.process.stdin?.write(text);
    await attached.printed("Ctrl-D quits");
    await session.prompt("background { stall }; stall");
    let isLinked = false;
    for await (const item of session.events()) {
      if (item.type === "child.linked") isLinked = true;
      if (item.type === "step.opened" && isLinked) break;
    }
    type("\u001B");
    await attached.printed("press Esc again to stop 1 in the background too");
    type("\u001B");
    await attached.printed("also stopped in the background");
    type("\u0004");
    assert.equal((await attached.ended).end, 0);
    for await (const { sessionId } of session.eachChild()) {
      const child = holdfast.session(sessionId);
      for await (const { promptId } of child.eachPrompt()) {
        assert.equal((await child.promptById(promptId).settled()).reason, "parentCancel");
      }
    }
    const texts: (string | null)[] = [];
    for await (const { text } of session.eachPrompt()) texts.push(text);
    assert.deepEqual(texts, ["background { stall }; stall"]);
  },
);
