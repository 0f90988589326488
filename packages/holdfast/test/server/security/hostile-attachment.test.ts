import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "./test-server.ts";

test("hostile attachment: no content type that a browser executes or renders is sent", async (t) => {
  const { url, owner } = await openTestServer(t);
  const authorization = `Bearer ${owner}`;
  const contentTypeOf = async (type: string): Promise<string> => {
    const headers = { authorization, "content-type": type };
    const body = `<script>${type}</script>`;
    const sent = await fetch(`${url}/v1/attachments?name=x`, { method: "POST", headers, body });
    const { hash, mediaType }: { hash: string; mediaType: string } = JSON.parse(await sent.text());
    assert.equal(mediaType, type);
    const got = await fetch(`${url}/v1/attachments/${hash}`, { headers: { authorization } });
    await got.body?.cancel();
    assert.match(got.headers.get("content-disposition") ?? "", /^attachment;/);
    assert.equal(got.headers.get("x-content-type-options"), "nosniff");
    assert.equal(got.headers.get("content-security-policy"), "sandbox; default-src 'none'");
    return got.headers.get("content-type") ?? "";
  };
  const hostile = [
    "text/html",
    "TEXT/HTML",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/xml",
    "application/pdf",
    "text/javascript",
    "application/wasm",
    "text/css",
    "multipart/x-mixed-replace",
    "text/plain; charset=utf-8, text/html",
  ];
  const harmless = ["image/png", "image/jpeg", "text/plain", "text/plain;charset=utf-8"];
  const sent: string[] = [];
  for (const type of hostile) sent.push(await contentTypeOf(type));
  assert.deepEqual(new Set(sent), new Set(["application/octet-stream"]));
  for (const type of harmless) assert.equal(await contentTypeOf(type), type);
});
