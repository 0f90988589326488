import assert from "node:assert/strict";
import { test } from "node:test";
import { openCli } from "./test-cli.ts";

// Nothing listens on port 9 of the loopback interface.
const address = "postgres://holdfast:hunter2@127.0.0.1:9/holdfast";

test("a database password in the command line causes a warning and is not printed", async (t) => {
  const cli = openCli(t);
  const { end, err } = await cli.run("doctor", "--store", address);
  assert.equal(end, 1);
  assert.match(
    err,
    /^holdfast: warning: other users of this machine can read the database password/,
  );
  assert(!err.includes("hunter2"), err);
});

test("HOLDFAST_STORE names the store, so no password is in the command line", async (t) => {
  const cli = openCli(t, { HOLDFAST_STORE: address });
  const { end, err } = await cli.run("doctor");
  assert.equal(end, 1);
  assert.match(err, /^holdfast: storeUnavailable: /);
  assert(!err.includes("hunter2"), err);
});
