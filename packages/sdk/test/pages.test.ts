import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../src/index.ts";

test("a list ends if a server sends a page without a cursor", async () => {
  let requests = 0;
  const holdfast = connect({
    url: "http://127.0.0.1:1",
    fetch: async () => {
      requests += 1;
      if (requests > 3) throw new Error("the list was requested again");
      return Response.json({ items: [] });
    },
  });
  assert.deepEqual(await Array.fromAsync(holdfast.sessions.each()), []);
  assert.equal(requests, 1);
});
