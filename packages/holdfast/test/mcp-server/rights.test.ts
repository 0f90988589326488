import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openTestServer } from "../server/security/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { rpcAt } from "./rpc.ts";

test("self-approval: a propose token cannot answer the asks of its prompts over MCP", async (t) => {
  const { url, owner, folder, token } = await openTestServer(t);
  const { secret } = await token("propose");
  const agent = rpcAt(url, secret);
  const call = {
    name: "send_prompt",
    arguments: { directory: join(folder, "a"), text: "ask may I?" },
  };
  const { taskId } = (await agent("tools/call", call)).result ?? {};
  const { result } = await waitFor(() => agent("tasks/get", { taskId }), {
    describe: "an open ask",
    until: (answer) => answer.result?.["status"] === "input_required",
  });
  const [askId = ""] = Object.keys(result?.["inputRequests"]);
  const yes = { action: "accept", content: { verdict: "allow" } };
  const refused = await agent("tasks/update", { taskId, inputResponses: { [askId]: yes } });
  assert.match(
    refused.error?.message ?? "",
    /has the role propose; this request needs the role prompt/,
  );
  const [sessionId] = taskId.split("/");
  const tool = await agent("tools/call", {
    name: "answer_ask",
    arguments: { sessionId, askId, verdict: "allow" },
  });
  assert.deepEqual(
    [tool.result?.["isError"], tool.result?.["structuredContent"].code],
    [true, "forbidden"],
  );
  const person = rpcAt(url, owner);
  const answered = await person("tasks/update", { taskId, inputResponses: { [askId]: yes } });
  assert.equal(answered.error, undefined);
});

test("an observe token cannot send prompts, and a token for another directory sees nothing", async (t) => {
  const { url, owner, folder, token } = await openTestServer(t);
  const send = {
    name: "send_prompt",
    arguments: { directory: join(folder, "a"), text: "say hello" },
  };
  const observer = rpcAt(url, (await token("observe")).secret);
  const refused = await observer("tools/call", send);
  assert.equal(refused.result?.["structuredContent"].code, "forbidden");
  const { taskId } = (await rpcAt(url, owner)("tools/call", send)).result ?? {};
  const elsewhere = rpcAt(url, (await token("prompt", [join(folder, "b")])).secret);
  assert.equal((await elsewhere("tasks/get", { taskId })).error?.code, -32_602);
  const { result } = await elsewhere("tools/call", { name: "list_sessions", arguments: {} });
  assert.deepEqual(result?.["structuredContent"].sessions, []);
});

test("requests without a token, from another site or with a foreign host name are refused", async (t) => {
  const { url, owner, ask } = await openTestServer(t);
  assert.equal((await rpcAt(url, null)("tools/list")).status, 401);
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const page = await ask("POST", "/mcp", {
    token: owner,
    body,
    headers: { origin: "https://evil.example.org" },
  });
  assert.deepEqual([page.status, page.code], [403, "badOrigin"]);
  const rebound = await ask("POST", "/mcp", {
    token: owner,
    body,
    headers: { host: "evil.example.org" },
  });
  assert.equal(rebound.code, "badHost");
  assert.equal((await ask("GET", "/mcp", { token: owner })).status, 405);
});
