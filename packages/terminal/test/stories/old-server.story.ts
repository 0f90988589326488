import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { keys } from "../support/pty.ts";
import { countOf, openStory } from "../support/story.ts";

test("a client that is newer than its server says so and what to do, and the conversation works", async (t) => {
  const story = await openStory(t);
  const real = new URL(story.serving.server.url);
  // This proxy in front of the server reports an old version, and does not know the route of the model list.
  const old = createServer((incoming, outgoing) => {
    const { url = "", method, headers } = incoming;
    if (url.startsWith("/v1/models")) {
      outgoing.writeHead(404, { "content-type": "application/json" });
      const error = { code: "unknownRoute", message: "there is no GET /v1/models", requestId: "1" };
      return outgoing.end(JSON.stringify({ error }));
    }
    const { hostname: host, port } = real;
    const passed = request({ host, port, path: url, method, headers }, (answer) => {
      if (url !== "/healthz") {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        return answer.pipe(outgoing);
      }
      const health = { status: "ok", name: "holdfast", version: "0.0.9", proof: null };
      answer.resume();
      outgoing.writeHead(200, { "content-type": "application/json" });
      return outgoing.end(JSON.stringify(health));
    });
    outgoing.on("close", () => passed.destroy());
    passed.on("error", () => outgoing.destroy());
    return incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => old.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    old.closeAllConnections();
    old.close();
  });
  const address = old.address();
  assert.ok(typeof address === "object" && address !== null);
  const token = (await readFile(join(story.folder, "data/holdfast/token"), "utf8")).trim();
  const terminal = story.open({
    columns: 120,
    environment: {
      HOLDFAST_SERVER: `http://127.0.0.1:${address.port}`,
      HOLDFAST_TOKEN: token,
    },
  });
  await terminal.contains(
    /■ The server at \S+ has version 0\.0\.9, and this command has the newer/,
  );
  await terminal.contains(/some\s+functions\s+may\s+fail\s+until\s+the\s+server\s+is\s+updated/);
  terminal.type(`say it works${keys.enter}`);
  await terminal.contains("● [demo agent] it works");
  await terminal.hides("Esc stops");
  terminal.type(`/model${keys.enter}`);
  await terminal.contains(
    "■ The server does not support this, because it is older than this client",
  );
  await terminal.contains("holdfast server stop");
  assert.equal(countOf(terminal.all(), "has version 0.0.9"), 1);
});
