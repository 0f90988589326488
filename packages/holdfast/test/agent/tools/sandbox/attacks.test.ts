import assert from "node:assert/strict";
import { test } from "node:test";
import { needsSandbox } from "../../../support/needs-sandbox.ts";
import { attacks } from "./attacks.ts";
import { withField } from "./field.ts";

for (const { name, isBlocked, attempt } of attacks) {
  const outcome = isBlocked ? "is blocked" : "is possible, as docs/SECURITY.md says";
  test(`a command that tries to ${name}: ${outcome}`, needsSandbox, async () => {
    assert.equal(await withField(attempt), !isBlocked);
  });
}
