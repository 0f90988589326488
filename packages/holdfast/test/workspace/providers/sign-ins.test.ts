import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { createCredentials } from "../../../src/workspace/providers/credentials.ts";
import { mergeProviders } from "../../../src/workspace/providers/merge.ts";
import { signInStore } from "../../../src/workspace/providers/sign-in-store.ts";
import { createSignIns } from "../../../src/workspace/providers/sign-ins.ts";
import type { SignIns } from "../../../src/workspace/providers/sign-ins.ts";
import { clientId, openGithub } from "../../agent/model/access/github-server.ts";
import type { GithubServer } from "../../agent/model/access/github-server.ts";
import { serve } from "../../agent/model/access/ask.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

interface Fixture {
  readonly github: GithubServer;
  readonly signIns: SignIns;
  readonly file: string;
  readonly learned: string[];
}

async function open(t: TestContext): Promise<Fixture> {
  const github = await openGithub(t);
  const file = join(scratchFolder(t, "sign-in"), "credentials.json");
  const learned: string[] = [];
  const signIns = createSignIns({
    credentials: createCredentials(file),
    environment: { HOLDFAST_COPILOT_CLIENT_ID: clientId, COPILOT_API_URL: github.root },
    learn: (secrets) => void learned.push(...secrets),
    now: () => 7,
    patience: 2_000,
  });
  return { github, signIns, file, learned };
}

const { signal } = new AbortController();

test("a person types the code, and the tokens are stored where only the owner can read them", async (t) => {
  const { github, signIns, file, learned } = await open(t);
  const started = await signIns.start("copilot", { defaultModel: "gpt-5" });
  assert.ok(!("problem" in started));
  assert.deepEqual([started.userCode, started.url], ["WDJB-MJHT", `${github.root}/login/device`]);
  assert.doesNotMatch(JSON.stringify(started), /device-secret/);
  github.polls.push({ error: "authorization_pending" }, { error: "slow_down", interval: 0 });
  assert.deepEqual(await signIns.wait("copilot", signal), { status: "signedIn" });
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const { providers } = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual(providers.copilot, {
    status: "connected",
    at: 7,
    key: "ghu_first",
    baseUrl: null,
    protocol: "copilot",
    defaultModel: "gpt-5",
    signIn: { refresh: "ghr_first", clientId },
  });
  assert.deepEqual(learned, ["device-secret-1", "ghu_first", "ghr_first"]);
  assert.equal(await signIns.wait("copilot", signal), null);
});

test("a cancelled sign-in and an expired code end it, and nothing is stored", async (t) => {
  const { github, signIns, file } = await open(t);
  for (const [error, problem] of [
    ["access_denied", "the sign-in was cancelled"],
    ["expired_token", "the code has expired; start again"],
  ]) {
    await signIns.start("copilot", {});
    github.polls.push({ error });
    assert.deepEqual(await signIns.wait("copilot", signal), { status: "failed", problem });
  }
  assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
});

test("a request that waits for a sign-in returns while the person is still typing, and can be repeated", async (t) => {
  const { github, signIns } = await open(t);
  await signIns.start("copilot", {});
  github.polls.push({ error: "slow_down", interval: 60 });
  assert.deepEqual(await signIns.wait("copilot", signal), { status: "waiting" });
  assert.deepEqual(await signIns.wait("copilot", signal), { status: "waiting" });
  assert.equal(github.requests.length, 2);
});

test("a sign-in page on another host, and a redirect to one, are refused", async (t) => {
  const { signIns } = await open(t);
  const thief = await serve(t, () => ({ status: 200 }));
  const page = { device_code: "d", user_code: "u", verification_uri: `${thief.root}/login` };
  const server = await serve(t, () => ({ status: 200, body: page }));
  const away = await serve(t, () => ({ status: 307, headers: { location: thief.root } }));
  const problems = [];
  for (const { root: baseUrl } of [server, away]) {
    const started = await signIns.start("copilot", { baseUrl });
    problems.push("problem" in started ? started.problem : "started");
  }
  assert.match(problems[0] ?? "", /named a sign-in page on another host/);
  assert.match(problems[1] ?? "", /redirect/);
  assert.deepEqual(thief.requests, []);
});

test("without a client id, and for other providers, the problem says what to do", async (t) => {
  const { signIns } = await open(t);
  assert.deepEqual(await signIns.start("openai", {}), {
    problem: "The provider openai has no sign-in. Give an API key.",
  });
  const none = createSignIns({
    credentials: createCredentials(join(scratchFolder(t, "none"), "credentials.json")),
    environment: {},
    learn: () => {},
    now: () => 1,
  });
  const started = await none.start("copilot", {});
  assert.match("problem" in started ? started.problem : "", /HOLDFAST_COPILOT_CLIENT_ID/);
  assert.match("problem" in started ? started.problem : "", /"Copilot Requests"/);
});

test("a renewed sign-in replaces the stored one, but does not connect a disconnected provider", async (t) => {
  const { github, signIns, file } = await open(t);
  await signIns.start("copilot", {});
  await signIns.wait("copilot", signal);
  const credentials = createCredentials(file);
  const store = signInStore(credentials);
  assert.deepEqual(await store.read("copilot"), {
    key: "ghu_first",
    refresh: "ghr_first",
    clientId,
  });
  await store.write("copilot", { key: "new", refresh: "newer", clientId });
  const [found] = mergeProviders({
    environment: { COPILOT_API_URL: github.root },
    credentials: await credentials.read(),
    config: new Map(),
  });
  assert.deepEqual([found?.provider.key, found?.provider.isSignedIn], ["new", true]);
  assert.deepEqual(await credentials.keys(), ["new", "newer"]);
  await credentials.put("copilot", { status: "disconnected", at: 9 });
  await store.write("copilot", { key: "late", refresh: null, clientId });
  assert.equal((await credentials.read()).get("copilot")?.status, "disconnected");
});
