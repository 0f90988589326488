import assert from "node:assert/strict";
import { test } from "node:test";
import { asks, inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import type { ModelCall } from "../../../../../gauntlet/model-server/script.ts";
import { openWorld } from "./world.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n");
const picture = { name: "screen.png", mediaType: "image/png", content: png };
const paper = { name: "paper.pdf", mediaType: "application/pdf", content: pdf };
const notes = { name: 'a "b".txt', mediaType: "text/plain", content: Buffer.from("ein Maß\n") };
const everything = { accepts: { images: true, documents: true } };

const told = 'Look.\n\n<file name="a \\"b\\".txt">\nein Maß\n</file>';

for (const protocol of ["openaiChat", "openaiResponses", "anthropic", "google"] as const) {
  test(`attachments of a prompt are sent over ${protocol}, and again with every later request`, async (t) => {
    const world = await openWorld(t, {
      protocol,
      facts: everything,
      script: inOrder(
        asks({ name: "list", input: {}, id: "a" }),
        says("I see."),
        says("Still there."),
      ),
    });
    await world.prompt("p1", { text: "Look.", attachments: [picture, notes, paper] });
    assert.equal((await world.outcome("p1")).text, "I see.");
    await world.restart();
    await world.prompt("p2", { text: "And now?" });
    assert.equal((await world.outcome("p2")).text, "Still there.");
    const names = protocol === "google" ? [null, null] : [null, "paper.pdf"];
    const expected = {
      text: told,
      files: [
        { mediaType: "image/png", name: names[0], content: png.toString("base64") },
        { mediaType: "application/pdf", name: names[1], content: pdf.toString("base64") },
      ],
    };
    assert.deepEqual(world.server.calls.map(firstMessage), [expected, expected, expected]);
  });
}

test("a model without image input gets a note for each image, and a note for each file of an unsupported type", async (t) => {
  const world = await openWorld(t, { script: () => says("Well.") });
  await world.prompt("p1", {
    text: "What is this?",
    attachments: [
      picture,
      paper,
      // The media type does not match the content: a provider would reject it in this and each later request.
      { name: "fake.png", mediaType: "image/png", content: Buffer.from("no image") },
      { name: null, mediaType: "application/zip", content: Buffer.from("PK\u0003\u0004rest") },
      { name: "x\ny", mediaType: "application/x", content: Buffer.from([1, 0, 2]) },
    ],
  });
  assert.equal((await world.outcome("p1")).ended, "completed");
  assert.deepEqual(world.server.calls.map(firstMessage), [
    {
      text: [
        "What is this?",
        `[The file "screen.png" (image/png, ${png.length} bytes) is attached, but this model cannot see images. Tell the user if it matters.]`,
        `[The file "paper.pdf" (application/pdf, ${pdf.length} bytes) is attached, but this model cannot read documents. Tell the user if it matters.]`,
        '<file name="fake.png">\nno image\n</file>',
        '[The file "unnamed" (application/zip, 8 bytes) is attached, but it is a ZIP archive and cannot be shown.]',
        '[The file "x\\ny" (application/x, 3 bytes) is attached, but it is neither text nor an image and cannot be shown.]',
      ].join("\n\n"),
      files: [],
    },
  ]);
});

test("an image above the provider's limit is scaled down; an image that cannot be scaled is not sent", async (t) => {
  const world = await openWorld(t, {
    facts: { ...everything, limits: { context: 1_000_000, output: 1_000 } },
    settings: { acceptLimits: { maxQueue: 10, maxBytes: 10_000_000, draining: false } },
    script: () => says("Oh."),
  });
  const image = Buffer.concat([png, Buffer.alloc(5_000_000)]);
  const bomb = Buffer.from(png);
  bomb.writeUInt32BE(40_000, 16);
  bomb.writeUInt32BE(40_000, 20);
  const text = Buffer.from("x".repeat(300_000));
  await world.prompt("p1", {
    attachments: [
      { ...picture, content: image },
      { ...picture, name: "bomb.png", content: bomb },
      { ...notes, name: "long", content: text },
    ],
  });
  assert.equal((await world.outcome("p1")).ended, "completed");
  const said = [
    "text of p1",
    `[The file "bomb.png" (image/png, ${bomb.length} bytes) is attached, but it is too large to show. Make a smaller copy.]`,
    `<file name="long">\n${"x".repeat(256 * 1024)}\n[cut here: 300000 characters in all]\n</file>`,
  ];
  const message = world.server.calls[0]?.messages[0];
  assert.equal(message?.text, said.join("\n\n"));
  assert.deepEqual(
    message.files.map(({ mediaType, content }) => [mediaType, content.length < 1_000]),
    [["image/png", true]],
  );
});

test("images above 10 MB and documents of 20 MiB are sent", async (t) => {
  const world = await openWorld(t, {
    facts: { ...everything, limits: { context: 1_000_000, output: 1_000 } },
    settings: { acceptLimits: { maxQueue: 10, maxBytes: 100_000_000, draining: false } },
    script: () => says("Oh."),
  });
  await world.prompt("p1", {
    attachments: [
      { ...picture, content: filled(png, 10_000_001) },
      { ...paper, content: filled(pdf, 20 * 1024 * 1024) },
    ],
  });
  assert.equal((await world.outcome("p1")).ended, "completed");
  const message = world.server.calls[0]?.messages[0];
  assert.equal(message?.text, "text of p1");
  assert.deepEqual(
    message.files.map(({ mediaType }) => mediaType),
    ["image/png", "application/pdf"],
  );
});

test("a summary keeps the files of the prompt that is being answered, and the names of other files", async (t) => {
  const long = "word ".repeat(3_000);
  const world = await openWorld(t, {
    facts: { ...everything, limits: { context: 12_000, output: 1_000 } },
    script: ({ messages, index }) => {
      if (messages[0]?.text.startsWith("The conversation below")) return says("A summary.");
      return index === 0 ? says(`First. ${long}`) : says("Answered.");
    },
  });
  await world.prompt("p1", { text: "One.", attachments: [picture] });
  await world.outcome("p1");
  await world.prompt("p2", { text: `Two. ${long}${long}`, attachments: [paper] });
  assert.equal((await world.outcome("p2")).text, "Answered.");
  const [, summing, last] = world.server.calls;
  assert.match(firstMessage(summing)?.text ?? "", /One\.\n\[shown: screen\.png\]/);
  assert.deepEqual(
    last?.messages.map(({ files }) => files.map(({ mediaType }) => mediaType)),
    [[], ["application/pdf"]],
  );
});

function filled(content: Buffer, bytes: number): Buffer {
  return Buffer.concat([content, Buffer.alloc(bytes - content.length)]);
}

function firstMessage(call: ModelCall | undefined): { text: string; files: unknown } | undefined {
  const message = call?.messages[0];
  return message === undefined ? undefined : { text: message.text, files: message.files };
}

test("a file that the provider rejects is described in text, and later prompts do not fail because of it", async (t) => {
  const broken = { ...picture, name: "half.png", content: png.subarray(0, 40) };
  const half = broken.content.toString("base64");
  const world = await openWorld(t, {
    protocol: "anthropic",
    facts: everything,
    script: ({ messages }) =>
      messages.some(({ files }) => files.some(({ content }) => content === half))
        ? { status: 400, message: "messages.2.content.1.image: Could not process image" }
        : says(`Images: ${messages.flatMap(({ files }) => files).length}.`),
  });
  await world.prompt("p1", { text: "Look.", attachments: [picture] });
  assert.equal((await world.outcome("p1")).text, "Images: 1.");
  await world.prompt("p2", { text: "And here.", attachments: [broken] });
  assert.equal((await world.outcome("p2")).text, "Images: 1.");
  const last = world.server.calls.at(-1)?.messages.at(-1);
  assert.equal(
    last?.text,
    'And here.\n\n[The file "half.png" (image/png, 40 bytes) is attached, ' +
      "but the provider rejected it. Tell the user if it matters.]",
  );
  // The refusal is remembered: the next request does not contain the file.
  await world.prompt("p3", { text: "Go on." });
  assert.equal((await world.outcome("p3")).text, "Images: 1.");
  assert.equal(world.server.calls.length, 4);
  // Another process does not know of the refusal yet.
  await world.restart();
  await world.prompt("p4", { text: "Still there?" });
  assert.equal((await world.outcome("p4")).ended, "completed");
});
