import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { waitFor } from "../../support/wait-for.ts";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { defaultRules } from "../../../src/agent/permissions/default-rules.ts";
import type { Refusal } from "../../../src/kernel/refusal.ts";
import { CommandRefused } from "../../../src/runner/command-refused.ts";
import { ownTool } from "./own-tool.ts";
import { key, openWorld } from "./world.ts";
import { askWarning } from "../../support/needs-sandbox.ts";
import type { World } from "./world.ts";

const base64 = Buffer.from(key).toString("base64");
const forms = [key, base64, base64.replace(/=+$/, ""), Buffer.from(key).toString("hex")];
const [head, tail] = [key.slice(0, 9), key.slice(9)];

test("no key is in any event, body, delta, error or byte of the store, whatever its source", async (t) => {
  const world = await openWorld(t, {
    files: { "config.txt": `before\nkey = ${key}\nafter\n` },
    setup: { rules: defaultRules() },
    script: inOrder(
      {
        parts: [
          { reasoning: `the key is ${head}` },
          { reasoning: tail },
          { text: `It is ${head}` },
          { text: `${tail} and in base64 ${base64.slice(0, 7)}` },
          { text: base64.slice(7) },
          { call: { id: "a", name: "read", input: { path: "config.txt" } } },
          { call: { id: "b", name: "grep", input: { pattern: "key", path: "." } } },
        ],
        finish: "calls",
      },
      asks({
        name: "edit",
        input: { path: "config.txt", edits: [{ old: "before", new: `now ${key}` }] },
      }),
      asks({
        name: "shell",
        input: {
          command:
            `cat config.txt; printf '${head}'; sleep 0.1; printf '${tail}\\n'; echo ${key} >&2; ` +
            "sed -n 's/^key = //p' config.txt | tr -d '\\n' | base64; " +
            "sed -n 's/^key = //p' config.txt | tr -d '\\n' | od -An -tx1 | tr -d ' \\n'",
        },
      }),
      asks({ name: "askUser", input: { question: `Is ${key} yours?` } }),
      asks({ name: "task", input: { prompt: `child: use ${key}` } }),
      says("The child is done."),
      asks({ name: "todo", input: { items: [{ text: `hide ${key}`, status: "open" }] } }),
      { status: 401, message: `Incorrect API key provided: ${key}` },
    ),
  });
  await world.prompt("p1");
  for (let asksSoFar = 0; asksSoFar < 3; asksSoFar += 1) await world.answer("allow");
  const { ended, text } = await world.outcome("p1");
  assert.equal(ended, "failed: badKey");
  assert.match(text ?? "", /\[secret\]/);
  assert.ok(world.server.calls.every(({ headers }) => headers.authorization === `Bearer ${key}`));
  assert.equal(world.read("config.txt").split(key).length, 3, "the file itself has it, twice");
  await scan(world);
});

test("a key in a person's text is masked, and refused in fields that cannot be masked", async (t) => {
  const world = await openWorld(t, {
    settings: { titles: true },
    script: inOrder(asks({ name: "askUser", input: { question: "Which?" } }), says("Thanks.")),
  });
  const holdfast = world.holdfast();
  const prompt = { sessionId: "main", promptId: "p1", text: `Use ${key}, or ${base64}.` };
  await holdfast.prompt(prompt);
  // P3: two prompts are compared by the sent text, not by the stored text, in which secrets are replaced.
  await holdfast.prompt(prompt);
  await assert.rejects(
    holdfast.prompt({ ...prompt, text: "Use [secret], or [secret]." }),
    refusedAs("conflict"),
  );
  await world.answer("allow", { text: `It is ${key}` });
  assert.equal((await world.outcome("p1")).ended, "completed");
  assert.match(world.server.calls[1]?.messages.at(-1)?.text ?? "", /It is \[secret\]/);
  await holdfast.renameSession({ sessionId: "main", title: `About ${key}` });
  await holdfast.placeHold({ sessionId: "main", holdId: "h1", reason: `until ${key} is gone` });
  await world.prompt("p2", { text: "later" });
  await holdfast.editPrompt({ sessionId: "main", promptId: "p2", text: `now ${key}`, revision: 1 });
  const file = { name: "notes", mediaType: "text/plain", content: Buffer.from(`my ${key}`) };
  for (const refused of [
    { promptId: `p-${key}` },
    { promptId: "p3", attachments: [file] },
    { promptId: "p3", attachments: [{ ...file, name: key, content: Buffer.from("none") }] },
  ]) {
    await assert.rejects(holdfast.prompt({ ...prompt, ...refused }), refusedAs("invalid"));
  }
  await assert.rejects(holdfast.prompt({ ...prompt, promptId: "p3", attachments: [file] }), {
    message: 'the attachment "notes" contains a configured key; send it without the key',
  });
  await scan(world);
});

test("an answer whose rule would contain a key applies once, with a warning before the answer", async (t) => {
  const command = `sh -c 'echo ${key} | wc -c'`;
  const world = await openWorld(t, {
    setup: { rules: defaultRules() },
    script: inOrder(
      asks({ name: "shell", input: { command }, id: "a" }),
      asks({ name: "shell", input: { command }, id: "b" }),
      asks({ name: "shell", input: { command: "touch x" }, id: "c" }),
      says("Done."),
    ),
  });
  await world.prompt("p1");
  await world.answer("allow", { remember: "project" });
  await world.answer("deny", { remember: "session" });
  await world.answer("allow", { remember: "session" });
  assert.equal((await world.outcome("p1")).ended, "completed");
  const asked = await Promise.all(
    (await world.log()).flatMap((event) =>
      event.type === "ask.opened" ? [world.body(event.body)] : [],
    ),
  );
  const once = "This answer cannot be remembered: it contains a configured secret.";
  const masked = command.replace(key, "[secret]");
  assert.deepEqual(
    asked.map((body) => [JSON.parse(body).question, JSON.parse(body).extra.remembers]),
    [
      [`May the agent run ${masked}?${askWarning}\n${once}`, []],
      [`May the agent run ${masked}?${askWarning}\n${once}`, []],
      [
        `May the agent run touch x?${askWarning}`,
        [{ action: "run", pattern: "touch *", effect: "allow" }],
      ],
    ],
  );
  const folder = join(dirname(world.file), "permissions");
  assert.equal(readdirSync(folder).length, 1);
  await scan(world);
});

test("a key that a tool prints in two pieces is masked, whatever ends between them", async (t) => {
  const shown = Promise.withResolvers<void>();
  const other = Promise.withResolvers<void>();
  const teller = ownTool("teller", async (_, context) => {
    context.progress(`said ${head}`);
    shown.resolve();
    await other.promise;
    context.progress(`${tail} all`);
    return { status: "completed", output: key };
  });
  const ender = ownTool("ender", async () => {
    await shown.promise;
    return { status: "completed", output: "" };
  });
  const world = await openWorld(t, {
    setup: { tools: [teller, ender] },
    script: inOrder(asks({ name: "teller", input: {} }, { name: "ender", input: {} }), says("Ok.")),
  });
  await world.prompt("p1");
  await world.event(({ type }) => type === "tool.ended");
  other.resolve();
  assert.equal((await world.outcome("p1")).ended, "completed");
  await scan(world);
});

test("a restarted step and an interrupted run reveal no piece of a key", async (t) => {
  const world = await openWorld(t, {
    script: inOrder(
      { parts: [{ text: `shown ${key}` }, { text: head }, { cut: true }] },
      { parts: [{ text: `${tail}. shown ${head}` }, { wait: new Promise(() => {}) }] },
    ),
  });
  await world.prompt("p1");
  await waitFor(() => world.deltas, {
    describe: "two deltas with shown",
    until: (deltas) => deltas.filter(({ text }) => text.includes("shown")).length === 2,
  });
  await world.holdfast().cancel({ sessionId: "main" });
  await world.outcome("p1");
  await scan(world);
});

function refusedAs(code: Refusal["code"]): (error: unknown) => boolean {
  return (error) => error instanceof CommandRefused && error.refusal.code === code;
}

/** Everything that this runtime has written or shown. */
async function scan(world: World): Promise<void> {
  const shown = Map.groupBy(world.deltas, ({ kind, callId }) => `${kind} ${callId}`);
  const streams = [...shown.values()].map((deltas) => deltas.map(({ text }) => text).join(""));
  const texts: Record<string, string> = { errors: inspect(world.errors, { depth: 9 }) };
  for (const [index, stream] of streams.entries()) texts[`stream ${index}`] = stream;
  for (const sessionId of ["main", ...(await children(world))]) {
    texts[`events of ${sessionId}`] = JSON.stringify(await world.log(sessionId));
    const exported = await Array.fromAsync(world.holdfast().exportSession(sessionId));
    texts[`export of ${sessionId}`] = exported.join("");
  }
  // Includes the write-ahead log of the database.
  for (const suffix of ["", "-wal"]) {
    const file = `${world.file}${suffix}`;
    if (existsSync(file)) texts[file] = readFileSync(file, "latin1");
  }
  const folder = join(dirname(world.file), "permissions");
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    texts[name] = readFileSync(join(folder, name), "latin1");
  }
  const found = Object.entries(texts).flatMap(([name, text]) =>
    forms.filter((form) => text.replaceAll(/[\r\n]/g, "").includes(form)).map(() => name),
  );
  assert.deepEqual(found, []);
  assert.ok(Object.values(texts).some((text) => text.includes("[secret]")));
}

async function children(world: World): Promise<string[]> {
  return (await world.log()).flatMap((event) =>
    event.type === "child.linked" ? [event.childSessionId] : [],
  );
}
