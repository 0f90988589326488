import assert from "node:assert/strict";
import { test } from "node:test";
import { whoIs } from "../src/who.ts";

test("an actor is this user here, this user with another client, or another user by name", () => {
  assert.deepEqual(whoIs("ann/web", "ann/web"), { kind: "here" });
  assert.deepEqual(whoIs("ann", "ann/web"), { kind: "own", client: "" });
  assert.deepEqual(whoIs("ann/cli", "ann/web"), { kind: "own", client: "cli" });
  assert.deepEqual(whoIs("anna/cli", "ann/web"), { kind: "other", name: "anna/cli" });
  assert.deepEqual(whoIs("ann", null), { kind: "other", name: "ann" });
});
