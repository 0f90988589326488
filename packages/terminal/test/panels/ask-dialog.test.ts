import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { AskDialog } from "../../src/panels/ask-dialog.ts";
import { AskFocus } from "../../src/panels/ask-focus.ts";
import { createLook } from "../../src/screen/look.ts";

const look = createLook("plain", false);
const warning = "This machine has no sandbox: the command can change everything.";
const note = "This answer cannot be remembered: the line has no simple form.";

/** An ask for a command as the server writes it. */
function commandAsk(command: string, remembers: readonly object[] = []): AskDialog {
  return new AskDialog({
    askId: "ask",
    callId: "call",
    sessionId: "session",
    question: `May the agent run ${command}?\n${warning}\n${note}`,
    extra: {
      permission: { action: "run", subject: command, preview: command },
      tool: "shell",
      remembers,
    },
  });
}

function draw(dialog: AskDialog, { columns = 80, height = 20 } = {}) {
  const drawn = dialog.rows({ look, columns, height, isFocused: true, more: 0, from: null });
  return { ...drawn, rows: drawn.rows.map((row) => stripVTControlCharacters(row)) };
}

const longCommand = Array.from({ length: 40 }, (_, index) => `echo line-${index}`).join(" &&\n");

test("a command that does not fit is marked, and its warnings and keys stay visible", () => {
  const { rows, isWhole, hasRoom } = draw(commandAsk(longCommand));
  assert.deepEqual(
    { isWhole, hasRoom, height: rows.length },
    { isWhole: false, hasRoom: true, height: 20 },
  );
  const text = rows.join("\n");
  assert.match(text, /\? May the agent run echo line-0/);
  assert.match(text, /… 24 more rows, Ctrl-O shows all/);
  assert.ok(text.includes(warning) && text.includes(note));
  assert.match(text, /y yes, once · n no$/);
});

test("y opens a cut request instead of allowing it, until its last line was shown; n denies at once", () => {
  const dialog = commandAsk(longCommand);
  draw(dialog);
  assert.deepEqual(dialog.take("y"), { type: "opens" });
  assert.deepEqual(dialog.take("n"), { type: "answers", answer: { verdict: "deny" } });
  const whole = dialog.wholeRows({ look, columns: 80 }).join("\n");
  assert.ok(whole.includes("echo line-39?") && whole.includes(warning));
  dialog.markSeen();
  assert.deepEqual(dialog.take("y"), { type: "answers", answer: { verdict: "allow" } });
});

test("a command on one very long line is shown whole in the view of the request", () => {
  const command = `echo ${"q".repeat(20_000)} && rm important`;
  const dialog = commandAsk(command);
  draw(dialog);
  assert.deepEqual(dialog.take("y"), { type: "opens" });
  const whole = dialog.wholeRows({ look, columns: 80 }).map((row) => row.slice(2));
  assert.equal(whole.join("").match(/q/g)?.length, 20_000);
  assert.ok(whole.join(" ").includes("rm important?"));
});

test("y allows a short command at once", () => {
  const dialog = commandAsk("make");
  assert.equal(draw(dialog).isWhole, true);
  assert.deepEqual(dialog.take("y"), { type: "answers", answer: { verdict: "allow" } });
});

test("y before the first drawing allows nothing", () => {
  assert.deepEqual(commandAsk("make").take("y"), { type: "opens" });
});

test("in a low and narrow window the question and the keys stay", () => {
  for (const height of [5, 6, 8, 12]) {
    const { rows, hasRoom } = draw(commandAsk(longCommand), { columns: 20, height });
    assert.equal(hasRoom, true);
    assert.ok(rows.length <= height, `${rows.length} rows in ${height}`);
    assert.match(rows.join("\n"), /\? May the agent[^]*… \d+ more[^]*y yes, once · n no$/);
  }
});

test("without rows for the question and the keys there is no room", () => {
  for (const height of [0, 1, 2]) {
    const dialog = commandAsk(longCommand);
    assert.deepEqual(draw(dialog, { height }), { rows: [], hasRoom: false, isWhole: false });
    assert.deepEqual(dialog.take("y"), { type: "opens" });
  }
});

test("a higher window shows more of a diff", () => {
  const lines = Array.from({ length: 60 }, (_, index) => `+line ${index}`).join("\n");
  const diff = `--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1,60 @@\n${lines}\n`;
  const extra = {
    permission: {
      action: "change",
      subject: "a.txt",
      preview: diff,
      change: { added: 60, removed: 0 },
    },
    remembers: [],
  };
  const ask = {
    askId: "a",
    callId: null,
    sessionId: "s",
    question: "May the agent change a.txt?",
    extra,
  };
  const drawn = [20, 40, 90].map((height) => {
    const { rows, isWhole } = draw(new AskDialog(ask), { height });
    return { lines: rows.filter((row) => /line \d/.test(row)).length, isWhole };
  });
  assert.deepEqual(drawn, [
    { lines: 15, isWhole: false },
    { lines: 27, isWhole: false },
    { lines: 60, isWhole: true },
  ]);
});

test("a request of which the server has sent only the beginning is allowed only after the rest was shown", () => {
  const permission = { action: "run", subject: "make …", preview: "make a", omittedCharacters: 3 };
  const question = "May the agent run make …?";
  const extra = { permission, remembers: [] };
  const dialog = new AskDialog({ askId: "a", callId: null, sessionId: "s", question, extra });
  assert.match(draw(dialog).rows.join("\n"), /make a\n {2}… 3 characters are not shown here/);
  assert.deepEqual(dialog.take("y"), { type: "opens" });
  // The rest could not be loaded.
  dialog.markSeen();
  assert.deepEqual(dialog.take("y"), { type: "opens" });
  dialog.wholePreview = "make all!";
  assert.match(dialog.wholeRows({ look, columns: 80 }).join("\n"), /make all!$/);
  dialog.markSeen();
  assert.deepEqual(dialog.take("y"), { type: "answers", answer: { verdict: "allow" } });
});

test("the rule of a remembered answer is spelled out", () => {
  const rules = [
    { action: "run", pattern: "npm test *" },
    { action: "run", pattern: "./b" },
  ];
  const dialog = commandAsk("npm test a && ./b", rules);
  assert.match(
    draw(dialog, { columns: 200 }).rows.join("\n"),
    /y yes, once · a always allow “npm test …” commands and “\.\/b” · n no$/,
  );
  assert.deepEqual(dialog.take("a"), { type: "none" });
  assert.match(
    draw(dialog, { columns: 200 }).rows.join("\n"),
    /Always allow “npm test …” commands and “\.\/b”\? Enter/,
  );
});

test("rules that are too long for the row of keys must be seen whole first", () => {
  const rules = Array.from({ length: 30 }, (_, index) => ({
    action: "run",
    pattern: `tool-${index}`,
  }));
  const dialog = commandAsk("make", rules);
  draw(dialog, { columns: 200, height: 40 });
  assert.deepEqual(dialog.take("a"), { type: "opens" });
  assert.match(dialog.wholeRows({ look, columns: 80 }).join("\n"), /“tool-29”/);
});

/** Stops the time, and returns a function that moves it on by this many milliseconds. */
function moveTime({ mock }: TestContext): (milliseconds: number) => void {
  let now = 10_000;
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
  return (milliseconds) => {
    now += milliseconds;
    mock.timers.tick(milliseconds);
  };
}

test("an ask without room does not get the focus, and gets it when the window grows", (t) => {
  const move = moveTime(t);
  const focus = new AskFocus({ isFree: () => true, onChange() {} });
  focus.show(commandAsk("make").ask);
  focus.noteRoom(false);
  move(2_000);
  assert.equal(focus.hasKeys, false);
  focus.noteRoom(true);
  move(1_000);
  assert.equal(focus.hasKeys, true);
  focus.noteRoom(false);
  assert.equal(focus.hasKeys, false);
});

test("an ask that replaces another one gets the focus only after a second on the screen", (t) => {
  const move = moveTime(t);
  const focus = new AskFocus({ isFree: () => true, onChange() {} });
  const show = (askId: string): void => {
    focus.show({ ...commandAsk(`make ${askId}`).ask, askId });
    focus.noteRoom(true);
  };
  show("first");
  move(1_000);
  assert.equal(focus.hasKeys, true);
  show("second");
  // No key was pressed for a long time, but the user has not seen the second ask yet.
  move(999);
  assert.equal(focus.hasKeys, false);
  move(1);
  assert.equal(focus.hasKeys, true);
});

test("an ask of another session with the same id has a dialog of its own", () => {
  const focus = new AskFocus({ isFree: () => true, onChange() {} });
  const { ask } = commandAsk("make");
  focus.show(ask);
  focus.hasKeys = true;
  focus.show({ ...ask, sessionId: "child", question: "May the agent run rm?" });
  assert.deepEqual([focus.dialog?.ask.sessionId, focus.hasKeys], ["child", false]);
});
