import assert from "node:assert/strict";
import { test } from "node:test";
import { createTerminals, offersTerminals } from "../../../src/cli/acp/terminals.ts";

function data(text: string): object {
  return { terminal_output: { terminal_id: "c", data: text } };
}

test("a command is a terminal that gets each piece of output once, and its exit code", () => {
  const terminals = createTerminals("/code");
  assert.deepEqual(terminals.opened("c"), {
    content: [{ type: "terminal", terminalId: "c" }],
    _meta: { terminal_info: { terminal_id: "c", cwd: "/code" } },
  });
  assert.deepEqual(terminals.grown("c", "one\n"), { _meta: data("one\r\n") });
  assert.equal(terminals.grown("c", "one\n"), null);
  assert.deepEqual(terminals.grown("c", "one\ntwo"), { _meta: data("two") });
  const exit = { terminal_exit: { terminal_id: "c", exit_code: 3, signal: null } };
  const content = { output: "one\ntwo\nthree", extra: { exitCode: 3 } };
  assert.deepEqual(terminals.ended("c", content), { _meta: { ...data("\r\nthree"), ...exit } });
});

test("a result that was cut in the middle is not shown a second time", () => {
  const terminals = createTerminals("/code");
  terminals.grown("c", "a long output");
  const exit = { terminal_exit: { terminal_id: "c", exit_code: null, signal: null } };
  assert.deepEqual(terminals.ended("c", { output: "a … output", extra: {} }), { _meta: exit });
});

test("only editors that announce terminal support get terminals", () => {
  assert.equal(offersTerminals({ _meta: { terminal_output: true } }), true);
  for (const capabilities of [undefined, {}, { _meta: null }, { terminal: true }]) {
    assert.equal(offersTerminals(capabilities), false);
  }
});
