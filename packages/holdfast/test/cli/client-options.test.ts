import assert from "node:assert/strict";
import { test } from "node:test";
import { placeWords } from "../../src/cli/client-options.ts";

test("a follow-up command names the server, or the store, as the command before it did", () => {
  const server = "https://holdfast.example.org";
  assert.equal(placeWords({ store: "/srv/a.db", server }), ` --server ${server}`);
  assert.equal(placeWords({ store: "/srv/a b.db" }), " --store '/srv/a b.db'");
  assert.equal(placeWords({ store: "/srv/a.db", embedded: true }), " --store /srv/a.db --embedded");
});
