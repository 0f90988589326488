import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { offerOf } from "../../../../src/agent/model/offer.ts";
import { scratchFolder } from "../../../support/scratch-folder.ts";
import { ask, providerAt, serve } from "./ask.ts";

const key = "sk-only-for-one-host";

const providers = [
  { name: "local", path: "/v1", model: "m" },
  { name: "openai", path: "/v1", model: "gpt-5" },
  { name: "anthropic", path: "/v1", model: "claude-sonnet-4-5" },
  { name: "google", path: "/v1beta", model: "gemini-2.5-pro" },
  { name: "azure", path: "", model: "m" },
  { name: "azure", path: "?api-version=2024-10-21", model: "m" },
  { name: "bedrock", path: "", model: "m" },
  { name: "vertex", path: "/v1beta1/projects/p/locations/l", model: "gemini" },
  { name: "vertex", path: "/v1beta1/projects/p/locations/l", model: "claude" },
] as const;

test("a redirect to another host gets neither the key nor the prompt, at any provider", async (t) => {
  const thief = await serve(t, () => null);
  const server = await serve(t, ({ url }) => ({
    status: 307,
    headers: { location: `${thief.root}${url}` },
  }));
  for (const { name, path, model } of providers) {
    const provider = providerAt({ name, baseUrl: `${server.root}${path}`, key });
    const problem = await ask(provider, { model });
    assert.match(
      problem,
      /^invalid: .* redirects to http:\/\/127\.0\.0\.1:\d+, and the API key/,
      name,
    );
  }
  assert.deepEqual(thief.requests, []);
});

test("a check of a key names both hosts of a redirect, and the other host gets no key", async (t) => {
  const thief = await serve(t, () => null);
  const server = await serve(t, ({ url }) => ({
    status: 307,
    headers: { location: `${thief.root}${url}` },
  }));
  const provider = providerAt({ name: "local", baseUrl: `${server.root}/v1`, key });
  const { problem } = await offerOf(provider, { timeout: 60_000 });
  assert.deepEqual(problem, {
    kind: "trouble",
    message: `${server.root} redirects to ${thief.root}, and the API key is meant for ${server.root} only. If the new address is right, set it as the base URL.`,
  });
  assert.deepEqual(thief.requests, []);
});

test("a redirect within the host is followed, a loop is not", async (t) => {
  const server = await serve(t, ({ url }) => {
    if (url.includes("/loop/")) return { status: 308, headers: { location: url } };
    return url.startsWith("/old/") ? { status: 308, headers: { location: url.slice(4) } } : null;
  });
  for (const name of ["local", "openai"]) {
    assert.equal(await ask(providerAt({ name, baseUrl: `${server.root}/old/v1`, key })), "Hello.");
    const looping = providerAt({ name, baseUrl: `${server.root}/loop/v1`, key });
    assert.match(await ask(looping), /^invalid: .* redirects more than 5 times/);
  }
});

test("a token request that is redirected fails the run without a retry", async (t) => {
  const thief = await serve(t, () => ({ status: 200, body: { access_token: "x", expires_in: 9 } }));
  const server = await serve(t, () => ({ status: 307, headers: { location: thief.root } }));
  const { root } = server;
  const home = scratchFolder(t, "home");
  const file = join(home, "key.json");
  const account = { client_id: "i", client_secret: "s", refresh_token: "r" };
  const token = { type: "authorized_user", token_uri: `${root}/token` };
  writeFileSync(file, JSON.stringify({ ...account, ...token }));
  const google = { GOOGLE_APPLICATION_CREDENTIALS: file };
  const aws = { HOME: home, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${root}/c`, AWS_REGION: "r-1" };
  const vertex = `${root}/v1beta1/projects/p/locations/l`;
  const accounts = [
    providerAt({ name: "vertex", baseUrl: vertex, environment: google }),
    providerAt({ name: "bedrock", baseUrl: root, environment: aws }),
    providerAt({ name: "copilot", baseUrl: root, key }),
  ];
  const problems = [];
  for (const provider of accounts) problems.push(await ask(provider));
  const problem =
    `badKey: ${root} redirects the token request to ${thief.root}, and the credentials are meant for ${root} only. ` +
    "Check the address of the token server and the network proxy.";
  assert.deepEqual(problems, [problem, problem, problem]);
  assert.deepEqual([thief.requests.length, server.requests.length], [0, 3]);
});

test("a redirect of Google's metadata server means that there are no credentials", async (t) => {
  const server = await serve(t, () => ({ status: 302, headers: { location: "http://portal/" } }));
  const environment = {
    HOME: scratchFolder(t, "home"),
    GCE_METADATA_HOST: server.root.replace("http://", ""),
  };
  const baseUrl = `${server.root}/v1beta1/projects/p/locations/l`;
  assert.match(
    await ask(providerAt({ name: "vertex", baseUrl, environment })),
    /^badKey: No Google credentials: .* Set GOOGLE_APPLICATION_CREDENTIALS/,
  );
});

test("an error with status 200 is an error, at any provider", async (t) => {
  const error = { code: 401, message: "Invalid API key" };
  const server = await serve(t, () => ({ status: 200, body: { error } }));
  for (const { name, path, model } of providers) {
    const provider = providerAt({ name, baseUrl: `${server.root}${path}`, key });
    assert.match(await ask(provider, { model }), /^badKey: .*Invalid API key/, name);
  }
});
