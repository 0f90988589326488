import assert from "node:assert/strict";
import { test } from "node:test";
import { clientId, openGithub } from "../agent/model/access/github-server.ts";
import { openCli } from "./test-cli.ts";

test("connect copilot shows a code, waits for the person and connects, with and without a server", async (t) => {
  const github = await openGithub(t);
  const cli = openCli(t, {
    HOLDFAST_COPILOT_CLIENT_ID: clientId,
    COPILOT_API_URL: github.root,
    XDG_CONFIG_HOME: "/nowhere",
  });
  github.polls.push({ error: "authorization_pending" });
  const first = await cli.run("connect", "copilot");
  assert.equal(
    first.out,
    `Open ${github.root}/login/device and enter the code WDJB-MJHT\n` +
      "connected copilot; to test it: holdfast providers test copilot\n",
    first.err,
  );
  await cli.serve();
  const second = await cli.run("connect", "copilot");
  assert.equal(second.out, first.out, second.err);
  const listed = await cli.run("providers");
  assert.match(listed.out, /^copilot +connected +… from `holdfast connect` +http:\S+$/m);
  github.polls.push({ error: "access_denied" });
  const third = await cli.run("connect", "copilot");
  assert.deepEqual(
    [third.end, third.err],
    [1, "holdfast: the sign-in failed: the sign-in was cancelled\n"],
  );
});
