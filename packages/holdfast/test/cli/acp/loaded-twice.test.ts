import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "@holdfast/sdk";
import { says } from "../../../../../gauntlet/model-server/script.ts";
import { waitFor } from "../../support/wait-for.ts";
import { openModelCli } from "../model-cli.ts";
import { openEditor } from "./editor.ts";
import type { Update } from "./editor.ts";
import { startProxy } from "./proxy.ts";

test("if a session is loaded twice at once, the editor sees later changes of the mode", async (t) => {
  const cli = await openModelCli(t, () => says("Done."));
  const { folder } = cli;
  const serving = await cli.serve();
  const listed = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let lists = 0;
  const proxy = await startProxy(t, serving, {
    before: async ({ path }) => {
      if (!path.endsWith("/models")) return;
      lists += 1;
      if (lists !== 1) return;
      listed.resolve();
      await released.promise;
    },
  });
  const environment = { HOLDFAST_SERVER: proxy.url, HOLDFAST_TOKEN: serving.token };
  const editor = await openEditor(t, { folder, environment });
  const session = await connect(serving).sessions.create({ directory: folder });
  const { sessionId } = session;
  const load = { sessionId, cwd: folder, mcpServers: [] };
  const first = editor.request("session/load", load);
  await waitFor(() => listed.promise.then(() => true), { describe: "the list of the first load" });
  await waitFor(() => editor.request("session/load", load), { describe: "the second load" });
  released.resolve();
  await waitFor(() => first, { describe: "the first load" });
  await session.setMode("plan");
  const update = await waitFor(() => editor.until(sessionId, isPlan), { describe: "the mode" });
  assert.equal(update.sessionUpdate, "current_mode_update");
});

function isPlan({ currentModeId }: Update): boolean {
  return currentModeId === "plan";
}
