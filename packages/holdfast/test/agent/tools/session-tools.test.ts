import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  AskAnswer,
  AskRequest,
  ChildOutcome,
  ChildRequest,
} from "../../../src/agent/agent.ts";
import { codingTools } from "../../../src/agent/tools/all.ts";
import { askUserTool } from "../../../src/agent/tools/ask-user.ts";
import { derivedId } from "../../../src/agent/tools/derived-id.ts";
import { sendTool } from "../../../src/agent/tools/send.ts";
import { createTaskTool } from "../../../src/agent/tools/task.ts";
import { todoTool } from "../../../src/agent/tools/todo.ts";
import { workbench } from "./workbench.ts";

const taskTool = createTaskTool();

interface People {
  readonly asked: AskRequest[];
  readonly children: { readonly request: ChildRequest; readonly background: boolean }[];
  readonly agent: {
    ask(request: AskRequest): Promise<AskAnswer>;
    child(request: ChildRequest): Promise<ChildOutcome>;
    background(request: ChildRequest): Promise<void>;
  };
}

function people(answers: { answer?: AskAnswer; outcome?: ChildOutcome }): People {
  const asked: AskRequest[] = [];
  const children: { request: ChildRequest; background: boolean }[] = [];
  return {
    asked,
    children,
    agent: {
      ask: async (request) => {
        asked.push(request);
        return answers.answer ?? { verdict: "expired" };
      },
      child: async (request) => {
        children.push({ request, background: false });
        if (answers.outcome === undefined) throw new Error("no child was expected");
        return answers.outcome;
      },
      background: async (request) => {
        children.push({ request, background: true });
      },
    },
  };
}

test("R2 each tool declares correctly whether it may be repeated and run in parallel", () => {
  const table = codingTools().map(({ name, repeatable, parallel }) => [name, repeatable, parallel]);
  assert.deepEqual(table, [
    ["read", true, true],
    ["write", false, false],
    ["edit", false, false],
    ["list", true, true],
    ["glob", true, true],
    ["grep", true, true],
    ["shell", false, false],
    ["fetch", true, true],
    ["todo", true, false],
    ["askUser", true, true],
    ["task", true, true],
    ["send", true, true],
  ]);
});

test("derived ids are unique per call and run, and valid everywhere", () => {
  const id = derivedId("task", { runId: "r1", callId: "call / 1\n" });
  assert.equal(id, derivedId("task", { runId: "r1", callId: "call / 1\n" }));
  assert.match(id, /^[A-Za-z0-9._:@+=~-]{1,200}$/);
  const others = [
    { runId: "r1", callId: "2" },
    { runId: "r", callId: "12" },
    { runId: "r12", callId: "" },
  ].map((call) => derivedId("task", call));
  assert.equal(new Set(others).size, 3);
});

test("R4 a repeated question has the same id, and its answer is the result", async (t) => {
  const answers: [AskAnswer, unknown][] = [
    [
      { verdict: "allow", remember: null, text: "blue" },
      { status: "completed", output: "blue" },
    ],
    [
      { verdict: "allow", text: null, remember: null },
      { status: "completed", output: "Yes." },
    ],
    [
      { verdict: "deny", text: null, remember: null },
      { status: "completed", output: "No." },
    ],
    [
      { verdict: "expired" },
      { status: "failed", output: "The question expired without an answer." },
    ],
  ];
  for (const [answer, expected] of answers) {
    const { asked, agent } = people({ answer });
    const { use, context } = workbench(t, { agent });
    const input = { question: "Which?", choices: ["red", "blue"] };
    assert.deepEqual(await use(askUserTool, input), expected);
    await use(askUserTool, input);
    const request = {
      askId: derivedId("question", context),
      question: "Which?",
      extra: { kind: "question", callId: "c1", choices: ["red", "blue"] },
    };
    assert.deepEqual(asked, [request, request]);
  }
});

test("C7 a task finds the same child after its run is resumed, and returns its answer", async (t) => {
  const outcome: ChildOutcome = {
    outcome: { status: "completed", reason: null, runId: "r9", result: null },
    text: "the answer",
  };
  const { children, agent } = people({ outcome });
  const { use, context } = workbench(t, { agent });
  const sessionId = derivedId("task", context);
  const request = {
    sessionId,
    promptId: derivedId("prompt", context),
    text: "Look",
    callId: "c1",
  };
  const result = {
    status: "completed",
    output: "the answer",
    extra: { childSessionId: sessionId },
  };
  assert.deepEqual(await use(taskTool, { prompt: "Look" }), result);
  assert.deepEqual(await use(taskTool, { prompt: "Look" }), result);
  assert.deepEqual(await use(taskTool, { prompt: "Look", background: true }), {
    status: "completed",
    output: `Started in session ${sessionId}. The result will arrive as a prompt.`,
    extra: { childSessionId: sessionId },
  });
  assert.deepEqual(children, [
    { request, background: false },
    { request, background: false },
    { request, background: true },
  ]);
});

test("the nesting of tasks is limited", async (t) => {
  const { children, agent } = people({});
  const { use } = workbench(t);
  const result = await use(taskTool, { prompt: "Do it." }, { agent: { ...agent, depth: 3 } });
  assert.deepEqual(result, {
    status: "failed",
    output:
      "Tasks can be nested 3 levels deep, and this session is at the limit. Do the work here.",
  });
  assert.deepEqual(children, []);
});

test("a task can name its agent, and uses the model that the prompt named", async (t) => {
  const outcome: ChildOutcome = {
    outcome: { status: "completed", reason: null, runId: "r9", result: null },
    text: "the answer",
  };
  const { children, agent } = people({ outcome });
  const { use } = workbench(t, { agent, model: "local/named" });
  const agents = [
    { name: "default", description: "", model: null },
    { name: "looker", description: "Looks.", model: "local/own" },
    { name: "hosted", description: "", model: null, hosted: true as const },
  ];
  const tool = createTaskTool(agents);
  assert.match(tool.description, /\n- default:\n- looker: Looks\.\n- hosted:$/);
  assert.doesNotMatch(JSON.stringify(createTaskTool().schema), /"agent"/);
  await use(tool, { prompt: "Look" });
  await use(tool, { prompt: "Look", agent: "looker" });
  // A hosted agent has its own models.
  await use(tool, { prompt: "Look", agent: "hosted" });
  await use(createTaskTool(agents, "hosted"), { prompt: "Look" });
  assert.deepEqual(
    children.map(({ request }) => [request.agent, request.model]),
    [
      [undefined, "local/named"],
      ["looker", undefined],
      ["hosted", undefined],
      [undefined, undefined],
    ],
  );
  const { status, output } = await use(tool, { prompt: "Look", agent: "nobody" });
  assert.deepEqual(
    [status, output],
    ["failed", "There is no agent nobody. Available agents: default, looker, hosted."],
  );
});

test("a task that fails or is cancelled is a failed result with its reason", async (t) => {
  const { agent } = people({
    outcome: {
      outcome: { status: "failed", reason: "budget", runId: "r9", result: null },
      text: "too dear",
    },
  });
  const { use, context } = workbench(t, { agent });
  assert.deepEqual(await use(taskTool, { prompt: "Look" }), {
    status: "failed",
    output: "the task was failed: budget\ntoo dear",
    extra: { childSessionId: derivedId("task", context) },
  });
});

test("a prompt is sent to another session in the background, never to its own", async (t) => {
  const { children, agent } = people({});
  const { use, context } = workbench(t, { agent });
  assert.deepEqual(
    [
      await use(sendTool, { session: "s2", prompt: "Hello" }),
      await use(sendTool, { session: "s1", prompt: "Hello" }),
    ],
    [
      { status: "completed", output: "Sent to session s2." },
      {
        status: "failed",
        output: "This is the id of the current session. Send to another session.",
      },
    ],
  );
  const request = {
    sessionId: "s2",
    promptId: derivedId("prompt", context),
    text: "Hello",
    callId: "c1",
  };
  assert.deepEqual(children, [{ request, background: true }]);
  assert.equal(sendTool.input.safeParse({ session: "a b", prompt: "x" }).success, false);
});

test("sending a prompt needs permission", async (t) => {
  const { context } = workbench(t);
  assert.deepEqual(
    [
      await taskTool.permission({ prompt: "Look" }, context),
      await sendTool.permission({ session: "s2", prompt: "Look" }, context),
      await todoTool.permission({ items: [] }, context),
      await askUserTool.permission({ question: "?" }, context),
    ],
    [
      { action: "send", subject: "task", preview: "Look" },
      { action: "send", subject: "session:s2", preview: "To session s2:\nLook" },
      null,
      null,
    ],
  );
});

test("the whole todo list is in the result", async (t) => {
  const { use } = workbench(t);
  const items = [
    { text: "look", status: "done" as const },
    { text: "write", status: "active" as const },
    { text: "test", status: "open" as const },
  ];
  assert.deepEqual(await use(todoTool, { items }), {
    status: "completed",
    output: "[x] look\n[>] write\n[ ] test",
    extra: { todo: items },
  });
});
