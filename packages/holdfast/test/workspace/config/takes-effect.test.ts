import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Script } from "../../../../../gauntlet/model-server/script.ts";
import { fields } from "../../../../../gauntlet/model-server/protocol.ts";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import { connecting, startWork } from "./at-work.ts";

const user = "config/holdfast/config.jsonc";
const project = "project/holdfast.jsonc";
const fine = inOrder(says("Fine."));

/** Texts of the tool results, from the next request to the model. */
function resultsIn(call: ModelCall | undefined): string {
  const results = call?.messages.flatMap((message) => message.results) ?? [];
  return results.map(({ text }) => text).join("\n");
}

/** Requests one tool call, and answers with its result. */
function calling(name: string, input: unknown): Script {
  return (call) => (resultsIn(call) === "" ? asks({ name, input }) : says(resultsIn(call)));
}

test("models: the chosen one, a provider's address, key and headers, and the price", async (t) => {
  const work = await startWork(t, fine, (fixture, server) => {
    const lab = {
      baseUrl: server.addresses.openaiChat,
      key: "{env:LAB_KEY}",
      headers: { "x-team": "compilers" },
      models: { fast: { price: { input: 1_000_000, output: 0 } } },
    };
    fixture.write(user, { providers: { lab }, model: "lab/slow", smallModel: "lab/small" });
    fixture.write(project, { model: "lab/fast" });
  });
  await work.trust();
  const { ended, events } = await work.run("hello");
  assert.equal(ended, "completed");
  const [call] = work.server.calls;
  assert.deepEqual(
    [call?.model, call?.headers["authorization"], call?.headers["x-team"]],
    ["fast", "Bearer sk-lab-4711", "compilers"],
  );
  const costs = events.flatMap((event) =>
    event.type === "step.answered" ? [event.usage.cost] : [],
  );
  assert.deepEqual(costs, [10]);
  await waitFor(() => work.server.titles.length, { describe: "a request for a title" });
  assert.equal(work.server.titles[0]?.model, "small");
});

test("titles: without a small model, the run's model writes the title, and none for the demo agent", async (t) => {
  const work = await startWork(t, fine, (fixture, server) => {
    fixture.write(user, connecting(server));
    fixture.write("project/.holdfast/agents/looker.md", "---\nmodel: lab/looking\n---\nOnly look.");
  });
  await work.trust();
  const titled = async (count: number): Promise<string | undefined> => {
    const describe = `${count} requests for titles`;
    await waitFor(() => work.server.titles.length >= count, { describe });
    return work.server.titles[count - 1]?.model;
  };
  await work.run("plain");
  assert.equal(await titled(1), "usual");
  await work.run("say hello", { agent: "demo" });
  await work.run("named by the prompt", { model: "lab/other" });
  assert.equal(await titled(2), "other");
  await work.run("named by the agent", { agent: "looker" });
  assert.equal(await titled(3), "looking");
});

test("agents: the default one's prompt, model, tools and rules, and another agent by name", async (t) => {
  const work = await startWork(
    t,
    calling("shell", { command: "echo hello" }),
    (fixture, server) => {
      fixture.write(user, connecting(server));
      fixture.write(project, { agent: "looker" });
      fixture.write(
        "project/.holdfast/agents/looker.md",
        "---\nmodel: lab/looking\ntools: [read, 'g*']\n---\nOnly look.",
      );
      fixture.write(
        "project/.holdfast/agents/never.md",
        "---\npermissions:\n  - { action: run, pattern: 'echo *', effect: deny }\n---\nx",
      );
    },
  );
  await work.trust();
  await work.run("look");
  const looking = work.server.calls.at(-1);
  assert.equal(looking?.model, "looking");
  assert.deepEqual(looking.tools.toSorted(), ["glob", "grep", "read"]);
  assert.match(looking.system, /Only look\./);
  const { ended, text } = await work.run("run", { agent: "never" });
  assert.equal(ended, "completed");
  assert.match(text ?? "", /A permission rule denies this call: run echo hello/);
  const nobody = await work.run("x", { agent: "nobody" });
  assert.match(nobody.ended, /^failed/);
  assert.match(nobody.text ?? "", /nobody.*default, looker, never/s);
});

test("permissions: allowed actions need no ask, and denied ones do not happen", async (t) => {
  const work = await startWork(
    t,
    calling("write", { path: "a.txt", content: "a" }),
    (fixture, server) => {
      const allow = { action: "change", pattern: "a.txt", effect: "allow" };
      fixture.write(user, connecting(server, { permissions: [allow] }));
    },
  );
  assert.match((await work.run("write")).text ?? "", /a\.txt/);
  work.fixture.write(project, {
    permissions: [{ action: "change", pattern: "*.txt", effect: "deny" }],
  });
  await work.runtime.maintenance.request({
    kind: "refresh",
    directories: [work.fixture.directory],
  });
  const { text, events } = await work.run("write again");
  assert.match(text ?? "", /A permission rule denies this call: change a\.txt/);
  assert.ok(!events.some(({ type }) => type === "ask.opened"));
});

const sleepingOrListing: Script = (call) =>
  JSON.stringify(call.messages).includes("sleep")
    ? calling("shell", { command: "sleep 60" })(call)
    : asks({ name: "list", input: { path: "." } });

test("limits: steps, cost of a run, and time of a command", async (t) => {
  const work = await startWork(t, sleepingOrListing, (fixture, server) => {
    fixture.write(
      user,
      connecting(server, {
        limits: { maxSteps: 3, shellTimeout: "200ms", stopGrace: "1234ms" },
        permissions: [{ action: "run", pattern: "sleep *", effect: "allow" }],
      }),
    );
  });
  const many = await work.run("list forever");
  assert.match(many.ended, /^failed: /);
  assert.equal(work.server.calls.length, 3);
  const started = many.events.find((event) => event.type === "run.started");
  assert.ok(started?.type === "run.started");
  assert.deepEqual([started.limits.maxSteps, started.limits.stopGrace], [3, 1_234]);
  assert.match((await work.run("sleep")).text ?? "", /timed out after 200 ms/);

  work.fixture.write(project, { limits: { budget: { tokens: 5 } } });
  await work.runtime.maintenance.request({
    kind: "refresh",
    directories: [work.fixture.directory],
  });
  work.server.forget();
  const poor = await work.run("list forever");
  assert.match(poor.ended, /^failed: budget/);
  assert.equal(work.server.calls.length, 1);
});

test("sandbox: folders outside can be read, and pages of this machine fetched, if the config allows it", async (t) => {
  const page = createServer((_, response) =>
    response.setHeader("content-type", "text/plain").end("the page"),
  );
  await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
  t.after(() => page.close());
  const address = page.address();
  assert.ok(typeof address === "object" && address !== null);
  const { port } = address;
  const script: Script = (call) => {
    const wanted = call.messages.at(0)?.text ?? "";
    return wanted.includes("fetch")
      ? calling("fetch", { url: `http://127.0.0.1:${port}/` })(call)
      : calling("read", { path: wanted.trim().split(" ").at(-1) })(call);
  };
  const work = await startWork(t, script, (fixture, server) => {
    fixture.write("shared/notes.txt", "shared notes");
    fixture.write(
      user,
      connecting(server, {
        sandbox: { allowedPaths: ["~/../shared"], privateAddresses: true },
        permissions: [{ action: "fetch", pattern: "127.0.0.1:*", effect: "allow" }],
      }),
    );
  });
  const file = join(work.fixture.root, "shared/notes.txt");
  assert.match((await work.run(`read ${file}`)).text ?? "", /shared notes/);
  assert.match((await work.run("fetch it")).text ?? "", /the page/);

  work.fixture.write(project, { sandbox: { shell: "required", network: false } });
  await work.runtime.maintenance.request({
    kind: "refresh",
    directories: [work.fixture.directory],
  });
  const { current } = await work.setup.host.load(work.fixture.directory);
  const { shell, allowedPaths } = current?.workspace.setup?.toolSettings ?? defaultToolSettings;
  assert.deepEqual(
    [shell.sandbox, shell.network, allowedPaths],
    ["required", false, [join(work.fixture.root, "shared")]],
  );
});

test("instructions: files of the user and of the project are sent to the model", async (t) => {
  const work = await startWork(t, fine, (fixture, server) => {
    fixture.write("config/holdfast/habits.md", "Be brief.");
    fixture.write("project/docs/rules.md", "Write tests.");
    fixture.write(user, connecting(server, { instructions: ["habits.md"] }));
    fixture.write(project, { instructions: ["docs/rules.md"] });
  });
  await work.run("hello");
  assert.match(work.server.calls[0]?.system ?? "", /Be brief\.[^]*Write tests\./);
});

test("commands: the text of the file is sent, with the arguments, to its agent and model", async (t) => {
  const work = await startWork(t, fine, (fixture, server) => {
    fixture.write(user, connecting(server));
    fixture.write("project/.holdfast/agents/fixer.md", "Fix things.");
    fixture.write(
      "project/.holdfast/commands/fix.md",
      "---\nagent: fixer\nmodel: lab/fixing\n---\nFix $1, all: $ARGUMENTS",
    );
  });
  await work.trust();
  const { ended } = await work.run("", { command: { name: "fix", arguments: '"a b" c' } });
  assert.equal(ended, "completed");
  const [call] = work.server.calls;
  assert.equal(call?.model, "fixing");
  assert.match(call.system, /Fix things\./);
  assert.match(call.messages.at(-1)?.text ?? "", /Fix a b, all: "a b" c/);
});

test("reasoning: set for the folder, the model, an agent, a command or the prompt; the later one wins", async (t) => {
  const work = await startWork(t, fine, (fixture, server) => {
    const lab = {
      baseUrl: server.addresses.openaiChat,
      key: "{env:LAB_KEY}",
      models: { own: { effort: "low" } },
    };
    fixture.write(user, { model: "lab/usual", providers: { lab }, effort: "minimal" });
    fixture.write("project/.holdfast/agents/slow.md", "---\neffort: medium\n---\nThink.");
    fixture.write(
      "project/.holdfast/commands/fix.md",
      "---\nagent: slow\nmodel: lab/own\neffort: high\n---\nFix it.",
    );
  });
  await work.trust();
  const command = { name: "fix", arguments: "" };
  await work.run("folder");
  await work.run("model", { model: "lab/own" });
  await work.run("agent", { model: "lab/own", agent: "slow" });
  await work.run("", { command });
  await work.run("", { command, effort: "max" });
  await work.run("", { command, thinking: false });
  assert.deepEqual(
    work.server.calls.map(({ body }) => fields(body)["reasoning_effort"]),
    ["minimal", "low", "medium", "high", "max", "none"],
  );
});

test("MCP servers: their tools are offered and called, from the user's config and a trusted project's", async (t) => {
  const program = join(import.meta.dirname, "../../agent/mcp/servers/good.ts");
  const work = await startWork(t, fine, (fixture, server) => {
    fixture.write(user, connecting(server));
    fixture.write(project, { mcp: { good: { command: [process.execPath, program] } } });
  });
  await work.run("hello");
  assert.deepEqual(
    work.server.calls.at(-1)?.tools.filter((name) => name.startsWith("good")),
    [],
  );
  await work.trust();
  await work.runtime.maintenance.request({
    kind: "refresh",
    directories: [work.fixture.directory],
  });
  await work.run("hello again");
  const tools = work.server.calls.at(-1)?.tools.filter((name) => name.startsWith("good_")) ?? [];
  assert.ok(tools.length > 0, "tools of the server are offered");
});

test("hooks: a trusted project's hooks run around tools and for prompts, with the event as JSON", async (t) => {
  const work = await startWork(t, calling("list", { path: "." }), (fixture, server) => {
    fixture.write(
      user,
      connecting(server, { hooks: { settled: [{ command: "cat >> ../told" }] } }),
    );
    fixture.write(project, {
      hooks: {
        promptAccepted: [{ command: "cat >> ../told" }],
        beforeTool: [{ command: "grep -q forbidden ../told && echo Not today && exit 3; true" }],
        afterTool: [
          { match: "li*", command: "echo Looked at" },
          { match: "x", command: "echo no" },
        ],
      },
    });
  });
  const told = join(work.fixture.root, "told");
  const readTold = (): readonly string[] =>
    existsSync(told) ? readFileSync(told, "utf8").split("\n").slice(0, -1) : [];
  const toldAbout = async (count: number): Promise<readonly unknown[]> => {
    const until = (found: readonly string[]): boolean => found.length >= count;
    const lines = await waitFor(readTold, { describe: `${count} lines of the hooks`, until });
    // The hooks run at the same time.
    return lines.toSorted().map((line) => JSON.parse(line));
  };
  const untrusted = await work.run("one");
  assert.doesNotMatch(untrusted.text ?? "", /Looked at/);
  const { directory } = work.fixture;
  const names = (id: number) => ({
    directory,
    sessionId: `session-${id}`,
    promptId: `prompt-${id}`,
  });
  const done = { status: "completed", reason: null };
  const first = { hook: "settled", ...names(1), ...done, text: untrusted.text };
  assert.deepEqual(await toldAbout(1), [first]);
  await work.trust();
  await work.runtime.maintenance.request({ kind: "refresh", directories: [directory] });
  const trusted = await work.run("two");
  assert.match(trusted.text ?? "", /\[output of a hook\]\nLooked at/);
  assert.deepEqual(await toldAbout(3), [
    { hook: "promptAccepted", ...names(2), text: "two" },
    first,
    { hook: "settled", ...names(2), ...done, text: trusted.text },
  ]);
  appendFileSync(told, '"forbidden"\n');
  assert.match((await work.run("three")).text ?? "", /A hook denied this call[^]*Not today/);
});

test("M7: a run that edits its own config affects the next run, and gains no privileged settings", async (t) => {
  const content = JSON.stringify({
    model: "evil/huge",
    agent: "next",
    hooks: { beforeTool: [{ command: "touch ../hooked" }] },
    permissions: [{ action: "run", pattern: "*", effect: "allow" }],
  });
  const work = await startWork(
    t,
    (call) =>
      call.model === "usual"
        ? calling("write", { path: "holdfast.jsonc", content })(call)
        : calling("list", { path: "." })(call),
    (fixture, server) => {
      const allow = { action: "change", pattern: "**", effect: "allow" };
      const agents = { next: { model: "lab/next" } };
      fixture.write(user, connecting(server, { permissions: [allow], agents }));
    },
  );
  await work.run("edit");
  await work.run("next");
  assert.deepEqual(
    work.server.calls.map(({ model }) => model),
    ["usual", "usual", "next", "next"],
  );
  assert.equal(existsSync(join(work.fixture.root, "hooked")), false);
  const { current } = await work.setup.host.load(work.fixture.directory);
  const rules = current?.workspace.setup?.rules ?? [];
  assert.deepEqual(
    rules.filter(
      ({ action, effect, reads }) => action === "run" && effect === "allow" && reads !== true,
    ),
    [],
  );
});

test("M1: an edit takes effect with the next run; a broken edit leaves the old config in use (M6)", async (t) => {
  const agents = { edited: { model: "lab/edited" } };
  const work = await startWork(t, fine, (fixture, server) =>
    fixture.write(user, connecting(server, { agents })),
  );
  const { directory } = work.fixture;
  const ended = (): Promise<string> =>
    new Promise((resolve) => {
      const stop = work.runtime.maintenance.onChange((action) => {
        if (action.status !== "completed" && action.status !== "failed") return;
        stop();
        resolve(action.status);
      });
    });
  await work.run("one");
  const edited = ended();
  writeFileSync(join(directory, "holdfast.jsonc"), '{ "agent": "edited" }');
  assert.equal(await edited, "completed");
  await work.run("two");
  const broken = ended();
  writeFileSync(join(directory, "holdfast.jsonc"), '{ "agent": "default", }}');
  assert.equal(await broken, "failed");
  await work.run("three");
  assert.deepEqual(
    work.server.calls.map(({ model }) => model),
    ["usual", "edited", "edited"],
  );
});
