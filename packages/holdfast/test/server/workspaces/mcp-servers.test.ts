import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { listen, openWorkspaceServer, until } from "./workspace-server.ts";

const rough = join(import.meta.dirname, "../../agent/mcp/servers/rough.ts");

test("M1 C5 new tools of an MCP server are available to the next run, and its failures affect only its own calls", async (t) => {
  const fixture = await openWorkspaceServer(t);
  const { holdfast, model } = fixture;
  const directory = fixture.folder("shop");
  const servers = { rough: { command: [process.execPath, rough] }, notes: fixture.notes() };
  await fixture.trust(directory, { mcp: servers });
  const items = await listen(t, holdfast);
  const session = await fixture.session("shop", directory);
  const other = await fixture.session("beside", directory);
  const beside = await other.prompt("use door");
  await until(other, "tool.started");

  // The active run keeps its tools.
  const changed = await session.prompt("call rough_change");
  assert.equal((await changed.settled()).text, "call done");
  await waitFor(() => items, {
    describe: "an action caused by an MCP server",
    until: (actions) => actions.some(({ action }) => action.cause === "mcp"),
  });
  await waitFor(async () => (await holdfast.workspaces.get(directory)).tools, {
    describe: "the tool rough_round1",
    until: (tools) => tools.includes("rough_round1"),
  });
  model.forget();
  const next = await session.prompt("call rough_round1");
  assert.equal((await next.settled()).text, "call done");
  assert.ok(model.calls[0]?.tools.includes("rough_round1"));
  const sees = model.calls.at(-1)?.messages.flatMap(({ results }) => results) ?? [];
  assert.match(sees.at(-1)?.text ?? "", /^echo from rough /);

  // A cancel reaches the server.
  const hanging = await session.prompt("call rough_hang");
  await until(session, "run.started", ({ promptId }) => promptId === hanging.promptId);
  const printed = async (words: string): Promise<boolean> => {
    const found = (await holdfast.mcp.list(directory)).find(({ name }) => name === "rough");
    return found?.stderr.includes(words) ?? false;
  };
  await waitFor(() => printed("hanging"), { describe: "hanging" });
  await session.cancel();
  assert.equal((await hanging.settled()).status, "cancelled");
  await waitFor(() => printed("cancelled "), { describe: "cancelled" });

  // A crash is a result for the model and affects nothing else.
  const crash = await session.prompt("call rough_crash");
  assert.equal((await crash.settled()).text, "call done");
  const echo = await session.prompt("call rough_echo");
  assert.equal((await echo.settled()).text, "call done");
  fixture.open("door");
  assert.equal((await beside.settled()).text, "use done");
  const statuses = (await holdfast.mcp.list(directory)).map(({ name, status }) => [name, status]);
  assert.deepEqual(statuses, [
    ["notes", "connected"],
    ["rough", "connected"],
  ]);
});
