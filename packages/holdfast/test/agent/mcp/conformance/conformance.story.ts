import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { scratchFolder } from "../../../support/scratch-folder.ts";
import { drive } from "./drive.ts";
import type { Task } from "./drive.ts";

// The official suite. It runs servers and checks the requests of our client.

/** Scenarios that the suite runs for information, and why they do not apply to Holdfast. */
const notApplicable = new Map([
  ["auth/client-credentials-jwt", "an extension for services without a user"],
  ["auth/client-credentials-basic", "an extension for services without a user"],
  ["auth/enterprise-managed-authorization", "an extension for managed identities"],
  ["auth/dpop", "an extension: tokens that are bound to a key"],
  ["auth/dpop-nonce", "an extension: tokens that are bound to a key"],
  ["auth/wif-jwt-bearer", "an extension for workload identities"],
  ["json-schema-2020-12-preservation", "schemas are converted to a form that every model accepts"],
]);

const suite = join(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
  "../dist/index.js",
);

for (const revision of ["2025-11-25", "2026-07-28"]) {
  test(`the client passes all applicable scenarios of MCP ${revision}`, async (t) => {
    const port = await listen(t);
    const stub = join(import.meta.dirname, "client-stub.mjs");
    const command = `${process.execPath} ${stub} ${port}`;
    const child = spawn(
      process.execPath,
      [suite, "client", "--requirements", revision, "--command", command, "--timeout", "20000"],
      { cwd: scratchFolder(t, "suite"), stdio: ["ignore", "pipe", "ignore"] },
    );
    const output = await text(child.stdout);
    const lines = output.split("\n").filter((line) => /^[✓✗] \S+: \d+ passed/.test(line));
    const failed = lines.flatMap((line) => /^✗ (\S+):/.exec(line)?.[1] ?? []);
    assert.ok(lines.length > 20, output);
    assert.deepEqual(
      failed.filter((name) => !notApplicable.has(name)),
      [],
      output,
    );
  });
}

async function listen(t: TestContext): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    text(socket)
      .then(async (task: string) => {
        const parsed: Task = JSON.parse(task);
        return drive(parsed);
      })
      .then(
        () => socket.end("ok\n"),
        (error: unknown) => socket.end(`${error instanceof Error ? error.message : ""}\n`),
      );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
