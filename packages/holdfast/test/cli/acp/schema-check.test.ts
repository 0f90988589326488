import assert from "node:assert/strict";
import { test } from "node:test";
import { createSchemaCheck } from "./schema-check.ts";

const line = (message: object): string => JSON.stringify({ jsonrpc: "2.0", ...message });

test("messages that follow the protocol pass, in both directions", () => {
  const check = createSchemaCheck();
  check.fromEditor(line({ id: 1, method: "initialize", params: { protocolVersion: 1 } }));
  check.fromAgent(line({ id: 1, result: { protocolVersion: 1 } }));
  check.fromEditor(line({ id: 2, method: "_session/steering", params: { anything: true } }));
  check.fromAgent(line({ id: 2, result: { outcome: "injected" } }));
  check.fromEditor(line({ method: "session/cancel", params: { sessionId: "s" } }));
  check.fromAgent(line({ method: "$/cancel_request", params: { requestId: 1 } }));
  check.fromEditor(
    line({ id: 3, method: "session/load", params: { sessionId: "s", cwd: "/", mcpServers: [] } }),
  );
  check.fromAgent(line({ id: 3, error: { code: -32002, message: "there is none" } }));
  assert.deepEqual([check.violations, check.checked()], [[], 6]);
});

test("a message that breaks the protocol is found", () => {
  const update = { sessionUpdate: "usage_update", used: 1 };
  const broken: [sender: "fromEditor" | "fromAgent", message: object, found: RegExp][] = [
    ["fromAgent", { method: "session/update", params: { sessionId: "s", update } }, /size/],
    ["fromAgent", { method: "session/updated", params: {} }, /not in the protocol/],
    ["fromAgent", { id: 9, error: { code: "x", message: "y" } }, /integer/],
    ["fromEditor", { id: 4, method: "session/new", params: { cwd: "/" } }, /mcpServers/],
    [
      "fromEditor",
      { id: 5, method: "session/prompt", params: { sessionId: "s", prompt: [{ type: "sound" }] } },
      /prompt/,
    ],
  ];
  for (const [sender, message, found] of broken) {
    const check = createSchemaCheck();
    check[sender](line(message));
    assert.equal(check.violations.length, 1, JSON.stringify(message));
    assert.match(check.violations[0] ?? "", found);
  }
  const check = createSchemaCheck();
  check.fromEditor(line({ id: 1, method: "session/list", params: {} }));
  check.fromAgent(line({ id: 1, result: { sessions: [{ sessionId: "s" }] } }));
  assert.match(check.violations.join(), /agent: result of session\/list .*cwd/);
});
