import assert from "node:assert/strict";
import { test } from "node:test";
import { workbench } from "../tools/workbench.ts";
import { mcpBench, printed, serverProcesses } from "./bench.ts";
import { mcpTools } from "../../../src/agent/mcp/names.ts";

test("a server's tools are called with the model's arguments, and its answers become text", async (t) => {
  const { config, open, call, progress } = mcpBench(t);
  const server = await open(config("good.ts"));
  const echo = server.tools().find(({ name }) => name === "box_echo");
  assert.deepEqual(echo?.schema?.["properties"], { words: { type: "string" } });
  const input = { words: "héllo" };
  assert.deepEqual(
    [echo?.repeatable, echo?.parallel, await echo?.permission(input, workbench(t).context)],
    [
      true,
      true,
      {
        action: "mcp",
        subject: "box/echo",
        readOnly: true,
        preview: 'echo of the MCP server box, with {\n  "words": "héllo"\n}',
      },
    ],
  );
  assert.deepEqual(await call(server, "echo", { input }), { status: "completed", output: "héllo" });
  assert.deepEqual(await call(server, "add", { input: { a: 1, b: 2 } }), {
    status: "completed",
    output: '{\n  "sum": 3\n}',
  });
  assert.deepEqual(await call(server, "refuse"), { status: "failed", output: "not today" });
  assert.deepEqual(await call(server, "picture"), {
    status: "completed",
    output: "[image, image/png, 3 bytes, cannot be shown]\n[resource note://1: first]\ninside",
  });
  assert.deepEqual(await call(server, "steps"), { status: "completed", output: "done" });
  assert.deepEqual(progress, ["[1/2] step 1\n", "[2/2] step 2\n"]);
  const wrong = await call(server, "echo", { input: { words: 1 } });
  assert.equal(wrong.status, "failed");
  const { pid, tools, stderr, ...status } = server.status();
  assert.ok(pid !== null && tools.length === 9 && stderr === "");
  assert.deepEqual(status, {
    name: "box",
    transport: "stdio",
    status: "connected",
    needsSignIn: false,
    problem: null,
    server: "good 1.2.3",
    prompts: [{ name: "box:greet", description: "A greeting." }],
    resources: 1,
    restarts: 0,
  });
});

test("a server gets few variables of this process, no password of a proxy, and the configured ones", async (t) => {
  const { config, open, call } = mcpBench(t);
  const set = {
    OPENAI_API_KEY: "sk-1",
    HTTPS_PROXY: "http://proxy.example:3128",
    no_proxy: "localhost",
    SSL_CERT_FILE: "/etc/ssl/own.pem",
    HTTP_PROXY: "http://ann:password@proxy.example:3128",
  };
  Object.assign(process.env, set);
  t.after(() => Object.keys(set).forEach((name) => delete process.env[name]));
  const server = await open({ ...config("good.ts"), env: { GIVEN_KEY: "1" } });
  const { output } = await call(server, "environment");
  const allowed =
    "GIVEN_KEY HOLDFAST_MCP HOME LANG LANGUAGE LOGNAME NO_COLOR PATH SHELL TERM TMPDIR TZ USER " +
    "HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy " +
    "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE";
  const names = output.split(" ").filter((name) => !name.startsWith("LC_"));
  assert.deepEqual(
    names.filter((name) => !allowed.split(" ").includes(name)),
    [],
  );
  for (const name of ["GIVEN_KEY", "PATH", "HTTPS_PROXY", "no_proxy", "SSL_CERT_FILE"]) {
    assert.ok(names.includes(name), name);
  }
});

test("a server that supports only the newest protocol works too", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("good.ts", "new"));
  assert.deepEqual(await call(server, "echo", { input: { words: "new" } }), {
    status: "completed",
    output: "new",
  });
  const version = server.version();
  const changed = Promise.withResolvers<void>();
  server.onChange(changed.resolve);
  await call(server, "grow");
  await changed.promise;
  assert.notEqual(server.version(), version);
  const stop = new AbortController();
  const waiting = call(server, "wait", { context: { signal: stop.signal } });
  await printed(server, "waiting");
  stop.abort(new Error("enough"));
  assert.equal((await waiting).output, "The run stopped before the call ended.");
  await printed(server, "cancelled: ");
});

test("prompts become commands, and resources are read with two separate tools", async (t) => {
  const { config, open } = mcpBench(t);
  const server = await open(config("good.ts"));
  const [prompt] = server.prompts();
  const { signal } = new AbortController();
  assert.deepEqual(
    [prompt?.parameters, await prompt?.expand('"Ada Lovelace" very warmly', signal)],
    [["name", "how"], "Greet Ada Lovelace very warmly."],
  );
  await assert.rejects(async () => prompt?.expand(" ", signal), {
    message: "The prompt box:greet needs these arguments: name.",
  });
  const bench = workbench(t);
  const tools = mcpTools([server], ["read"]);
  const [list, read] = ["list_mcp_resources", "read_mcp_resource"].map((wanted) =>
    tools.find(({ name }) => name === wanted),
  );
  assert.ok(list !== undefined && read !== undefined);
  const uri = "note://1";
  assert.deepEqual(
    [
      (await bench.use(list, { server: "box" })).output,
      (await bench.use(read, { server: "box", uri })).output,
      (await bench.use(read, { server: "other", uri })).output,
      (await read.permission({ server: "box", uri }, bench.context))?.subject,
    ],
    [
      "note://1  first",
      "the first note",
      "No MCP server with this name has resources.",
      "box/resource:note://1",
    ],
  );
});

test("C5 a stopped call is cancelled on the server, and closing the server leaves no process", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("good.ts"));
  const stop = new AbortController();
  const waiting = call(server, "wait", { context: { signal: stop.signal } });
  await printed(server, "waiting");
  stop.abort(new Error("enough"));
  assert.deepEqual(await waiting, {
    status: "failed",
    output: "The run stopped before the call ended.",
  });
  await printed(server, "cancelled: Error: enough");
  const { output } = await call(server, "echo", { input: { words: "still here" } });
  assert.deepEqual([output, server.status().restarts], ["still here", 0]);
  // A process that leaves the group is found as well.
  await call(server, "helper");
  assert.equal(serverProcesses().length, 2);
  await Promise.all([server.close(), server.close()]);
  assert.deepEqual(serverProcesses(), []);
  const late = await call(server, "echo", { input: { words: "x" } });
  assert.deepEqual(late, {
    status: "failed",
    output: "The call to the MCP server box failed: the server was closed",
  });
});
