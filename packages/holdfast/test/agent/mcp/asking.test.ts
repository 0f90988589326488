import assert from "node:assert/strict";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import type { AskAnswer, AskRequest } from "../../../src/agent/agent.ts";
import { resourceTools } from "../../../src/agent/mcp/resource-tools.ts";
import type { SampleRequest, ToolContext } from "../../../src/agent/tools/tool.ts";
import { workbench } from "../tools/workbench.ts";
import { waitFor } from "../../support/wait-for.ts";
import { mcpBench } from "./bench.ts";

function nobody(): never {
  assert.fail("not expected");
}

/** A run whose questions get these answers, one after the other. */
function person(answers: readonly string[], runId = "r1") {
  const asked: AskRequest[] = [];
  const ask = async (request: AskRequest): Promise<AskAnswer> => {
    const text = answers[asked.length] ?? "deny";
    asked.push(request);
    if (text === "expire") return { verdict: "expired" };
    if (text === "deny") return { verdict: "deny", text: null, remember: null };
    return { verdict: "allow", text, remember: null };
  };
  const agent: ToolContext["agent"] = { ask, child: nobody, background: nobody };
  return { asked, context: { agent, runId } };
}

test("R4 a server's form becomes a question, and the answer is checked and completed", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("asking.ts"));
  const plain = person(["name: Ada\nage: 200"]);
  const { output } = await call(server, "form", { context: plain.context });
  assert.deepEqual(JSON.parse(output), {
    action: "accept",
    content: { name: "Ada", age: 200, color: "blue" },
  });
  const [request] = plain.asked;
  assert.equal(request?.within, "c1");
  assert.equal(request?.callId, undefined);
  assert.match(
    request?.question ?? "",
    /^The MCP server box asks for input: Who are you\?\n- name \(string, required\)/,
  );
  const wrong = person(['{"age": 0, "name": "Ada"}', "color: green\nname: Ada", "{}"]);
  const cancelled = await call(server, "form", { context: wrong.context });
  assert.deepEqual(JSON.parse(cancelled.output), { action: "cancel" });
  assert.equal(new Set(wrong.asked.map(({ askId }) => askId)).size, 3);
  assert.deepEqual(
    wrong.asked.slice(1).map(({ question }) => question.split("\n")[0]),
    [
      "The answer does not fit: age must be a value of type integer, at least 1",
      "The answer does not fit: color must be one of red, blue",
    ],
  );
  for (const [answer, action] of [
    ["deny", "decline"],
    ["decline", "decline"],
    ["expire", "cancel"],
  ] as const) {
    const result = await call(server, "form", { context: person([answer]).context });
    assert.deepEqual(JSON.parse(result.output), { action });
  }
});

test("a server's address is shown to people in full, and never opened by Holdfast", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("asking.ts"));
  const { asked, context } = person(["done"]);
  const { output } = await call(server, "visit", { context });
  assert.deepEqual(JSON.parse(output), { action: "accept" });
  assert.match(
    asked[0]?.question ?? "",
    /\(host: accounts\.example\.org\):\nhttps:\/\/accounts\.example\.org\/start\?x=1\n/,
  );
});

test("a server's address that could run a script is not shown", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("asking.ts"));
  const { asked, context } = person(["done"]);
  const { output } = await call(server, "trap", { context });
  assert.match(output, /does not start with https:\/\/ or http:\/\//);
  assert.equal(asked.length, 0);
});

test("a question never reaches another session if two sessions call one server over stdio", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("asking.ts"));
  const gate = Promise.withResolvers<AskAnswer>();
  const first = person([]);
  const opened = Promise.withResolvers<void>();
  const slow = {
    ...first.context,
    agent: {
      ...first.context.agent,
      ask: () => {
        opened.resolve();
        return gate.promise;
      },
    },
  };
  const waiting = call(server, "form", { context: slow });
  await opened.promise;
  const second = person(["name: Eve"], "r2");
  const refused = await call(server, "form", { context: second.context });
  assert.match(refused.output, /several sessions were using it, so it is unknown which one to ask/);
  assert.equal(second.asked.length, 0);
  gate.resolve({ verdict: "deny", text: null, remember: null });
  assert.deepEqual(JSON.parse((await waiting).output), { action: "decline" });
});

test("the time that people take to answer does not count as the server's silence", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open({ ...config("asking.ts"), timeout: 150 });
  const { timers } = t.mock;
  timers.enable({ apis: ["setTimeout"] });
  const { agent } = person([]).context;
  let answers = 0;
  const answerLate = async (): Promise<AskAnswer> => {
    timers.tick(400);
    answers += 1;
    return { verdict: "allow", text: "name: Ada", remember: null };
  };
  const context = { agent: { ...agent, ask: answerLate } };
  const { status } = await call(server, "form", { context });
  assert.equal(status, "completed");
  // After the answer, the time counts again.
  let silent: string | null = null;
  void call(server, "formThenSilence", { context }).then(({ output }) => (silent = output));
  await waitFor(() => answers === 2, { describe: "the second answer" });
  const pass = (): string | null => {
    timers.tick(150);
    return silent;
  };
  assert.match((await waitFor(pass, { describe: "the end of the call" })) ?? "", /within 0\.15 s/);
  timers.reset();
});

test("a server gets the directory as its only root", async (t) => {
  const { config, open, call } = mcpBench(t);
  const { cwd, ...rest } = config("asking.ts");
  const server = await open({ ...rest, cwd });
  const { output } = await call(server, "roots");
  assert.deepEqual(JSON.parse(output), {
    roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }],
  });
});

test("a model call of a server is limited and needs its own permission", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("asking.ts"));
  const requests: SampleRequest[] = [];
  const sample: ToolContext["sample"] = async (request) => {
    requests.push(request);
    return { text: "2", model: "fake/model", isCut: false };
  };
  const { output } = await call(server, "sample", { context: { sample } });
  assert.deepEqual(JSON.parse(output), {
    model: "fake/model",
    role: "assistant",
    content: { type: "text", text: "2" },
    stopReason: "endTurn",
  });
  assert.equal(requests[0]?.maxOutput, 8_000);
  assert.deepEqual(
    [requests[0]?.permission.action, requests[0]?.permission.subject],
    ["mcp", "box/sampling:"],
  );
  const often = await call(server, "sampleOften", { context: { sample } });
  assert.match(often.output, /^request 11: .*at most 10 requests to the model/);
  const without = await call(server, "sample");
  assert.match(without.output, /requests to the model \(sampling\) are not available here/);
});

test("structured content of a result is not shown again if the text already contains it", async (t) => {
  const { config, open, call } = mcpBench(t);
  const server = await open(config("asking.ts"));
  assert.equal((await call(server, "both")).output, 'The sum is three.\n{\n  "sum": 3\n}');
  assert.equal((await call(server, "twice")).output, '{"sum": 3}');
});

test("long instructions of a server are cut and control characters removed, and templates are listed with the resources", async (t) => {
  const { config, open } = mcpBench(t);
  const server = await open(config("asking.ts"));
  const instructions = server.instructions() ?? "";
  assert.ok(instructions.length === 4_001 && !instructions.includes("\u0007"));
  const bench = workbench(t);
  const [list, read] = resourceTools([server]);
  assert.ok(list !== undefined && read !== undefined);
  assert.equal(
    (await bench.use(list, { server: "box" })).output,
    "note://1  first\ntemplate note://{id}  any note",
  );
  assert.equal((await bench.use(read, { server: "box", uri: "note://7" })).output, "note note://7");
});
