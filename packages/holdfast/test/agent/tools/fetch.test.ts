import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { isOwnAddress, isPrivateAddress, isPrivateHost } from "../../../src/agent/tools/address.ts";
import { fetchTool } from "../../../src/agent/tools/fetch.ts";
import { htmlToText } from "../../../src/agent/tools/html-text.ts";
import { defaultToolSettings } from "../../../src/agent/tools/tool.ts";
import type { ToolSettings } from "../../../src/agent/tools/tool.ts";
import { processorTime } from "../../support/processor-time.ts";
import { workbench } from "./workbench.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(t: TestContext, handler: Handler): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return `http://127.0.0.1:${address.port}`;
}

function settings(fetch: Partial<ToolSettings["fetch"]>): { settings: ToolSettings } {
  const own = { ...defaultToolSettings.fetch, allowPrivate: true, timeout: 60_000, ...fetch };
  return { settings: { ...defaultToolSettings, fetch: own } };
}

const page = `<!doctype html><html><head><title>A page</title><style>p { color: red }</style>
<script>if (a < b) document.write("<p>no</p>")</script></head>
<body><h2>Head&shy;ing &amp; more</h2><p>Some  <b>bold</b>
text&#44; <a href="/next?a=1&amp;b=2">next</a> <a href="javascript:x()">js</a></p><!-- <p>hidden</p> -->
<ul><li>one<li>two</ul>3 < 4</body></html>`;

test("a page is returned as its text, or unchanged if it is not HTML", async (t) => {
  const { use } = workbench(t, settings({}));
  const base = await serve(t, (_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  assert.deepEqual(await use(fetchTool, { url: base }), {
    status: "completed",
    output: [
      "A page",
      "## Head&shy;ing & more",
      `Some bold text, next (${base}/next?a=1&b=2) js`,
      "- one",
      "- two",
      "3 < 4",
    ].join("\n"),
    extra: { truncated: false, status: 200 },
  });
  assert.equal((await use(fetchTool, { url: base, raw: true })).output, page);
});

test("every page is converted to text quickly", async () => {
  const base = new URL("http://a/");
  const took = await processorTime(() => {
    for (const piece of ["<a href=", "<script>", "<!--", "<", "&#", "<p ", '<a href="']) {
      htmlToText(piece.repeat(100_000), base);
    }
  });
  assert.ok(took < 5_000, `${took} ms`);
});

test("size, time, type and redirects are limited", async (t) => {
  const { use } = workbench(t, settings({ maxBytes: 1_000 }));
  const base = await serve(t, ({ url }, response) => {
    const text = { "content-type": "text/plain" };
    if (url === "/large") response.writeHead(200, text).end("x".repeat(5_000));
    if (url === "/bomb") {
      response.writeHead(200, { ...text, "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(10_000_000, "y")));
    }
    if (url === "/image") response.writeHead(200, { "content-type": "image/png" }).end("x");
    if (url === "/missing") response.writeHead(404, text).end("not here");
    if (url === "/loop") response.writeHead(302, { location: "/loop" }).end();
    if (url === "/near") response.writeHead(301, { location: "missing" }).end();
    if (url === "/away") response.writeHead(302, { location: "http://example.com/x" }).end();
    if (url === "/file") response.writeHead(302, { location: "file:///etc/passwd" }).end();
  });
  const get = async (path: string): Promise<string> => {
    const { status, output } = await use(fetchTool, { url: base + path });
    return `${status}: ${output.replaceAll(base, "")}`;
  };
  assert.deepEqual(
    await Promise.all(
      ["/large", "/bomb", "/image", "/missing", "/loop", "/near", "/away", "/file"].map(get),
    ),
    [
      `completed: ${"x".repeat(1_000)}\n[only the first 1000 bytes were read]`,
      `completed: ${"y".repeat(1_000)}\n[only the first 1000 bytes were read]`,
      "failed: /image is image/png, not text (status 200)",
      "failed: status 404\nnot here",
      "failed: /loop redirects more than 5 times",
      "failed: status 404\nnot here",
      "failed: /away redirects to another host: http://example.com/x",
      "failed: /file redirects: Only HTTP and HTTPS URLs are supported.",
    ],
  );
});

test("addresses of this machine and of private networks are refused, by number and by name", async (t) => {
  let reached = 0;
  const base = await serve(t, (_, response) => {
    reached += 1;
    response.end();
  });
  const { port } = new URL(base);
  const { use } = workbench(t);
  const outputs = await Promise.all(
    [
      base,
      `http://localhost:${port}`,
      `http://0x7f.1:${port}`,
      `http://[::ffff:127.0.0.1]:${port}`,
    ].map(async (url) => (await use(fetchTool, { url })).output),
  );
  for (const output of outputs) {
    assert.match(output, /is an address of this machine or of a private network$/);
  }
  assert.equal(reached, 0);
  const closed =
    "10.1.2.3 172.31.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 255.255.255.255 ::1 :: fe80::1 fd00::1 ::ffff:10.0.0.1 ::ffff:0:10.0.0.1 ::ffff:0:8.8.8.8 64:ff9b::a00:1 2002:a00:1::";
  const open = "8.8.8.8 172.32.0.1 1.1.1.1 2606:4700::1111 ::ffff:8.8.8.8";
  assert.deepEqual(
    closed.split(" ").filter((address) => !isPrivateAddress(address)),
    [],
  );
  assert.deepEqual(open.split(" ").filter(isPrivateAddress), []);
  assert.equal(isPrivateHost("[::1]"), true);
});

test("other kinds of addresses are refused before a person is asked", async (t) => {
  const { use, context } = workbench(t);
  const urls = ["file:///etc/passwd", "ftp://a/b", "nonsense", "http://me:pw@example.com/"];
  for (const url of urls) {
    assert.equal(await fetchTool.permission({ url }, context), null);
    assert.equal((await use(fetchTool, { url })).status, "failed");
  }
  assert.deepEqual(await fetchTool.permission({ url: "HTTPS://Example.com/a b" }, context), {
    action: "fetch",
    subject: "https://example.com/a%20b",
    preview: "Get https://example.com/a%20b",
  });
});

test("an answer that does not arrive or does not end times out", async (t) => {
  const { use } = workbench(t, settings({ timeout: 100 }));
  const base = await serve(t, ({ url }, response) => {
    if (url === "/slow") response.writeHead(200, { "content-type": "text/plain" }).write("never");
  });
  assert.deepEqual(
    await Promise.all(["/slow", "/silent"].map((path) => use(fetchTool, { url: base + path }))),
    [
      { status: "failed", output: `${base}/slow: no answer within 100 ms` },
      { status: "failed", output: `${base}/silent: no answer within 100 ms` },
    ],
  );
});

test("fetch stops when the signal aborts", async (t) => {
  const stop = new AbortController();
  const base = await serve(t, () => stop.abort());
  const { use } = workbench(t, { ...settings({}), signal: stop.signal });
  assert.deepEqual(await use(fetchTool, { url: base }), {
    status: "failed",
    output: "The run stopped before the call ended.",
  });
});

test("fetch and webhooks: public addresses of this machine and services of clouds count as private", () => {
  const card = { netmask: "", mac: "", internal: false, cidr: null };
  const interfaces = {
    eth0: [
      { ...card, family: "IPv4" as const, address: "203.0.113.7" },
      { ...card, family: "IPv6" as const, address: "2001:db8:7::1", scopeid: 0 },
    ],
  };
  const own = ["203.0.113.7", "::ffff:203.0.113.7", "2001:db8:7::1", "2001:db8:7:0::1"];
  assert.deepEqual(
    own.filter((address) => !isOwnAddress(address, interfaces)),
    [],
  );
  assert.equal(isOwnAddress("203.0.113.8", interfaces), false);
  const clouds = ["168.63.129.16", "169.254.169.254", "100.100.100.200", "192.0.0.192"];
  assert.deepEqual(
    [...clouds, "fd00:ec2::254", "161.26.0.6"].filter((each) => !isPrivateAddress(each)),
    [],
  );
  for (const found of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
    assert.equal(isPrivateAddress(found.address), true, found.address);
  }
});
