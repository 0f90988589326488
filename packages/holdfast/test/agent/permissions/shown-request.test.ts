import assert from "node:assert/strict";
import { test } from "node:test";
import { shownRequest } from "../../../src/agent/permissions/shown-request.ts";
import { questionFor } from "../../../src/cli/terminal/question.ts";

test("a short request is shown as it is, without the fields for rules", () => {
  const short = { action: "run", subject: "ls", preview: "ls" } as const;
  assert.deepEqual(shownRequest({ ...short, reads: [["."]], readOnly: true }), {
    permission: short,
  });
});

test("a command too long for the event stream is cut with a count, and kept whole", () => {
  const command = `echo ${"x".repeat(99_000)}; rm -rf .`;
  const { permission, preview } = shownRequest({
    action: "run",
    subject: command,
    preview: command,
  });
  assert.equal(preview, command);
  assert.equal(permission.preview.length + (permission.omittedCharacters ?? 0), command.length);
  assert.equal(permission.preview.length, 60_000);
  assert.deepEqual([permission.subject.length, permission.subject.slice(-2)], [2_002, " …"]);
});

test("a cut request does not split a character", () => {
  const text = `${"x".repeat(59_999)}😀${"y".repeat(10)}`;
  const { permission } = shownRequest({ action: "send", subject: "task", preview: text });
  assert.deepEqual([permission.preview.at(-1), permission.omittedCharacters], ["x", 12]);
});

test("a question at the terminal says how much of a long command is not shown", () => {
  const command = "y".repeat(70_000);
  const request = { action: "run", subject: command, preview: command } as const;
  const { permission } = shownRequest(request);
  const { details } = questionFor({ question: "?", extra: { permission, remembers: [] } });
  assert.match(details, /10000 more characters are not shown here/);
});
