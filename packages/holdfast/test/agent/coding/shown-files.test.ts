import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall } from "../../../../../gauntlet/model-server/script.ts";
import { codingTools } from "../../../src/agent/tools/all.ts";
import { ownTool } from "./own-tool.ts";
import { key, openWorld } from "./world.ts";
import type { World, WorldOptions } from "./world.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const gif = Buffer.from("R0lGODlhAQABAAAAACw=", "base64");
const seeing = { accepts: { images: true, documents: true } };
const what = (name: string, bytes: number): string =>
  `${name} is a PNG image of 1 x 1 pixels, ${bytes} bytes`;
const whatItIs = `${what("look.png", png.length)}.`;

/** A tool call whose result is an image, as an MCP server may return it. */
const snap = ownTool("snap", async () => ({
  status: "completed",
  output: "Snapped.",
  files: [{ name: null, mediaType: "image/gif", content: gif }],
}));

async function open(
  t: Parameters<typeof openWorld>[0],
  options: Partial<WorldOptions>,
): Promise<World> {
  const calls = asks(
    { name: "read", input: { path: "look.png" }, id: "a" },
    { name: "snap", input: {}, id: "b" },
  );
  const world = await openWorld(t, {
    script: inOrder(calls, says("I see."), says("Still there.")),
    setup: { tools: [...codingTools(), snap] },
    ...options,
  });
  writeFileSync(join(world.directory, "look.png"), png);
  return world;
}

/** Content that the model gets, message by message. The protocol of Google has its own form for results. */
function seen({ messages }: ModelCall): unknown {
  return messages
    .filter(({ role }) => role !== "assistant")
    .map(({ role, files }) => [role, files.map(({ mediaType, content }) => [mediaType, content])]);
}

const picture = ["image/png", png.toString("base64")];
const snapshot = ["image/gif", gif.toString("base64")];
const shown = {
  openaiChat: [
    ["tool", []],
    ["tool", []],
    ["user", [picture, snapshot]],
  ],
  openaiResponses: [
    ["tool", [picture]],
    ["tool", [snapshot]],
  ],
  anthropic: [["tool", [picture, snapshot]]],
  google: [["tool", [picture, snapshot]]],
} as const;

for (const protocol of ["openaiChat", "openaiResponses", "anthropic", "google"] as const) {
  test(`T1 files from tool results are sent over ${protocol}, even after a restart and in a fork`, async (t) => {
    const world = await open(t, { protocol, facts: seeing });
    await world.prompt("p1");
    assert.equal((await world.outcome("p1")).text, "I see.");
    const [, second] = world.server.calls;
    assert(second !== undefined);
    assert.deepEqual(seen(second), [["user", []], ...shown[protocol]]);
    await world.restart();
    const holdfast = world.holdfast();
    await holdfast.forkSession({ sessionId: "main", newSessionId: "fork" });
    await world.prompt("p2", { sessionId: "fork" });
    assert.equal((await world.outcome("p2", "fork")).text, "Still there.");
    const last = world.server.calls.at(-1);
    assert(last !== undefined);
    assert.deepEqual(seen(last), [["user", []], ...shown[protocol], ["user", []]]);
  });
}

test("a model without image input gets a note instead of the image", async (t) => {
  const world = await open(t, {});
  await world.prompt("p1");
  await world.outcome("p1");
  const results = world.server.calls[1]?.messages.flatMap((message) => message.results);
  const blind = "but this model cannot see images. Tell the user if it matters.]";
  assert.deepEqual(results, [
    {
      id: "a",
      text: `${whatItIs}\n\n[The file "look.png" (image/png, ${png.length} bytes) is attached, ${blind}`,
    },
    {
      id: "b",
      text: `Snapped.\n\n[The file "unnamed" (image/gif, ${gif.length} bytes) is attached, ${blind}`,
    },
  ]);
});

test("an image that the provider rejects is described in text", async (t) => {
  const world = await open(t, {
    protocol: "anthropic",
    facts: seeing,
    script: ({ messages, index }) => {
      if (index === 0) return asks({ name: "read", input: { path: "look.png" }, id: "a" });
      return messages.some(({ files }) => files.length > 0)
        ? { status: 400, message: "messages.2.content.0.tool_result: Could not process image" }
        : says("Never mind.");
    },
  });
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).text, "Never mind.");
  const [result] = world.server.calls.at(-1)?.messages.at(-1)?.results ?? [];
  const refused = "is attached, but the provider rejected it. Tell the user if it matters.]";
  assert.equal(
    result?.text,
    `${whatItIs}\n\n[The file "look.png" (image/png, ${png.length} bytes) ${refused}`,
  );
});

test("files that are too large or too many are not shown", async (t) => {
  const large = Buffer.concat([png, Buffer.alloc(4_900_000)]);
  const four = ownTool("four", async () => ({
    status: "completed",
    output: "Four.",
    files: ["1", "2", "3", "4"].map((name) => ({
      name,
      mediaType: "image/png",
      content: Buffer.concat([large, Buffer.from(name)]),
    })),
  }));
  const world = await open(t, {
    facts: { ...seeing, limits: { context: 1_000_000, output: 1_000 } },
    setup: { tools: [...codingTools(), four] },
    script: inOrder(
      asks(
        { name: "four", input: {}, id: "a" },
        { name: "read", input: { path: "look.png" }, id: "b" },
        { name: "read", input: { path: "huge.png" }, id: "c" },
      ),
      says("Oh."),
    ),
  });
  writeFileSync(join(world.directory, "look.png"), large);
  writeFileSync(join(world.directory, "huge.png"), Buffer.concat([large, large, large]));
  await world.prompt("p1");
  assert.equal((await world.outcome("p1")).text, "Oh.");
  const messages = world.server.calls[1]?.messages ?? [];
  const left = `[The file "look.png" (image/png, ${large.length} bytes) is not shown: the limit for files in one request is reached.]`;
  assert.deepEqual(
    messages.flatMap(({ results }) => results.map(({ text }) => text)),
    [
      "Four.",
      `${what("look.png", large.length)}.\n\n${left}`,
      `${what("huge.png", 3 * large.length)}, too large to show (over 10000000 bytes).`,
    ],
  );
  assert.equal(messages.flatMap(({ files }) => files).length, 4);
});

test("an image that contains a key is not stored", async (t) => {
  const world = await open(t, { protocol: "anthropic", facts: seeing });
  writeFileSync(join(world.directory, "look.png"), Buffer.concat([png, Buffer.from(key)]));
  await world.prompt("p1");
  await world.outcome("p1");
  const [first] = world.server.calls[1]?.messages.at(-1)?.results ?? [];
  const last = world.server.calls[1];
  assert(last !== undefined);
  assert.deepEqual(seen(last), [
    ["user", []],
    ["tool", [snapshot]],
  ]);
  const secret = "[A file is not shown because it contains a secret.]";
  assert.equal(first?.text, `${what("look.png", png.length + key.length)}.\n${secret}`);
});

test("an exported session contains the files that its calls have shown", async (t) => {
  const world = await open(t, { protocol: "anthropic", facts: seeing });
  await world.prompt("p1");
  await world.outcome("p1");
  const holdfast = world.holdfast();
  let text = "";
  for await (const piece of holdfast.exportSession("main")) text += piece;
  await holdfast.importSession({ document: [Buffer.from(text)], sessionId: "copy" });
  await world.prompt("p2", { sessionId: "copy" });
  await world.outcome("p2", "copy");
  const last = world.server.calls.at(-1);
  assert(last !== undefined);
  assert.deepEqual(seen(last), [["user", []], ...shown.anthropic, ["user", []]]);
});
