import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { program } from "../../support/program.ts";
import { openTestServer } from "./test-server.ts";

test("after 260 requests without a token, probes, the owner's page and the owner's CLI still work", async (t) => {
  // Hardly refilled, because on a busy machine the requests take a minute.
  const testServer = await openTestServer(t, {
    limits: { strangerRate: { burst: 200, perSecond: 0.01 } },
  });
  const { ask, owner, settings } = testServer;
  const { hash } = new URL(await testServer.serving.link());
  const signIn = await ask("POST", "/v1/sign-in", {
    body: { code: hash.slice(1) },
    headers: { origin: testServer.url, "sec-fetch-site": "same-origin" },
  });
  const [cookie = ""] = signIn.headers["set-cookie"]?.[0]?.split("; ") ?? [];
  const floods = [{}, { token: `hf_${"0".repeat(12)}_${"A".repeat(43)}` }, { token: "guess" }];
  const refused = new Set<string>();
  for (let sent = 0; sent < 260; sent += 1) {
    const answer = await ask("GET", sent % 2 === 0 ? "/v1/sessions" : "/docs", floods[sent % 3]);
    refused.add(answer.code ?? "none");
  }
  assert.ok(refused.has("rateLimited"), "the flood itself is refused in the end");
  const strangers = await ask("GET", "/");
  assert.equal(strangers.code, "rateLimited");

  for (let sent = 0; sent < 300; sent += 1) {
    assert.equal((await ask("GET", "/readyz")).status, 200);
    assert.equal((await ask("GET", "/healthz")).status, 200);
  }
  for (const path of ["/", "/docs", "/v1/sessions"]) {
    assert.equal((await ask("GET", path, { token: owner })).status, 200, path);
  }
  for (let sent = 0; sent < 20; sent += 1) {
    const page = await ask("GET", "/", { headers: { cookie } });
    assert.equal(page.status, 200, "the page by its cookie");
  }

  const command = spawn(
    process.execPath,
    [program, "server", "status", "--store", settings.store],
    {
      env: { PATH: process.env["PATH"], HOME: testServer.folder, HOLDFAST_LOG: "silent" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  for (const stream of [command.stdout, command.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  }
  const [code]: unknown[] = await once(command, "close");
  assert.equal(code, 0, said);
});
