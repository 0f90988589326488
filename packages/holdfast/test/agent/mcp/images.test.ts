import assert from "node:assert/strict";
import { test } from "node:test";
import { toToolResult } from "../../../src/agent/mcp/call-result.ts";

const png = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.alloc(24),
]);

function image(content: Buffer, mimeType = "image/png"): object {
  return { type: "image", data: content.toString("base64"), mimeType };
}

test("images in a result are recognized by their content, not by their media type", () => {
  const content = [{ type: "text", text: "Here:" }, image(png, "image/x-screen"), image(png)];
  const file = { name: null, mediaType: "image/png", content: png };
  assert.deepEqual(toToolResult({ content }, 1_000), {
    status: "completed",
    output: "Here:\n[image, image/x-screen, 32 bytes]\n[image, image/png, 32 bytes]",
    files: [file, file],
  });
});

test("an image resource is shown, and another resource is described by its type", () => {
  const blob = { blob: png.toString("base64"), mimeType: "image/png" };
  const other = { blob: Buffer.from("sound").toString("base64"), mimeType: "audio/wav" };
  const content = [
    { type: "resource", resource: blob },
    { type: "resource", resource: other },
  ];
  assert.deepEqual(toToolResult({ content }, 1_000), {
    status: "completed",
    output: "[image, image/png, 32 bytes]\n[audio/wav, 5 bytes, cannot be shown]",
    files: [{ name: null, mediaType: "image/png", content: png }],
  });
});

test("data that is not an image, is too large, or comes with a failure is described in text", () => {
  const large = Buffer.concat([png, Buffer.alloc(10_000_000)]);
  const content = [image(Buffer.from("no image")), image(large)];
  assert.deepEqual(toToolResult({ content }, 1_000), {
    status: "completed",
    output:
      "[image, image/png, 8 bytes, cannot be shown]\n" +
      "[image, image/png, 10000032 bytes, cannot be shown]",
  });
  assert.deepEqual(toToolResult({ content: [image(png)], isError: true }, 1_000), {
    status: "failed",
    output: "[image, image/png, 32 bytes]",
  });
});

test("of very many images only the first ones are shown", () => {
  const { output, files } = toToolResult(
    { content: Array.from({ length: 10 }, () => image(png)) },
    1_000,
  );
  const told = "[image, image/png, 32 bytes]";
  const left = `${told} [not shown: too many images]`;
  assert.deepEqual(
    [output.split("\n"), files?.length],
    [[...Array.from({ length: 8 }, () => told), left, left], 8],
  );
});
