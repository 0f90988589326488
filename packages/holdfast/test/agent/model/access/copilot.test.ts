import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  SignInStore,
  SignInTokens,
} from "../../../../src/agent/model/access/sign-in-store.ts";
import { githubHosts } from "../../../../src/agent/model/access/github-hosts.ts";
import { offerOf } from "../../../../src/agent/model/offer.ts";
import type { Provider } from "../../../../src/agent/model/known-providers.ts";
import { ask, providerAt, serve } from "./ask.ts";
import { clientId, openGithub } from "./github-server.ts";
import type { GithubServer } from "./github-server.ts";

function copilotAt({ root }: GithubServer, more: Partial<Provider> = {}): Provider {
  return providerAt({ name: "copilot", baseUrl: root, key: "ghu_first", ...more });
}

function storeOf(tokens: SignInTokens): SignInStore & { tokens: SignInTokens } {
  const store = {
    tokens,
    read: async () => store.tokens,
    write: async (_: string, renewed: SignInTokens) => {
      store.tokens = renewed;
    },
  };
  return store;
}

const exchange = "/copilot_internal/v2/token";

test("the GitHub token is exchanged once, and only the short-lived one goes to the API", async (t) => {
  const github = await openGithub(t);
  const provider = copilotAt(github);
  const learned: string[] = [];
  const learn = (secrets: readonly string[]): void => void learned.push(...secrets);
  assert.equal(await ask(provider, { model: "claude-sonnet-4.5", learn }), "Hello.");
  assert.equal(await ask(provider, { model: "gpt-5.2-codex" }), "Hello.");
  assert.deepEqual(
    github.requests.map(({ url, headers }) => `${url} ${headers.authorization}`),
    [`${exchange} token ghu_first`, "/chat/completions Bearer tid=1", "/responses Bearer tid=1"],
  );
  assert.equal(github.requests[1]?.headers["x-initiator"], "user");
  assert.deepEqual(learned, ["tid=1"]);
});

test("a Copilot token that expires in mid-run is exchanged again", async (t) => {
  const github = await openGithub(t);
  const provider = copilotAt(github);
  await ask(provider);
  github.copilot = 2;
  assert.equal(await ask(provider), "Hello.");
  assert.equal(github.requests.filter(({ url }) => url === exchange).length, 2);
});

test("an expired sign-in is renewed and stored; a revoked one says how to sign in again", async (t) => {
  const github = await openGithub(t);
  const signIns = storeOf({ key: "ghu_old", refresh: "ghr_first", clientId });
  const learned: string[] = [];
  const learn = (secrets: readonly string[]): void => void learned.push(...secrets);
  const options = { signIns, learn };
  const provider = copilotAt(github, { key: "ghu_old", isSignedIn: true });
  assert.equal(await ask(provider, options), "Hello.");
  assert.deepEqual(signIns.tokens, { key: "ghu_first+", refresh: "ghr_first+", clientId });
  assert.deepEqual(learned, ["ghu_first+", "ghr_first+", "tid=1"]);
  Object.assign(github, { github: "gone", refresh: "gone", copilot: 2 });
  assert.equal(
    await ask(provider, options),
    "badKey: copilot: GitHub rejected the sign-in. Sign in again: holdfast connect copilot",
  );
});

test("a sign-in that another process has renewed is taken from the file", async (t) => {
  const github = await openGithub(t);
  const signIns = storeOf({ key: "ghu_first", refresh: "used up", clientId });
  const provider = copilotAt(github, { key: "ghu_old", isSignedIn: true });
  assert.equal(await ask(provider, { signIns }), "Hello.");
});

test("a token that is not exchanged is sent as it is, and a rejected one is an error", async (t) => {
  const github = await openGithub(t);
  github.isDirect = true;
  assert.equal(await ask(copilotAt(github)), "Hello.");
  assert.match(
    await ask(copilotAt(github, { key: "github_pat_other" })),
    /^badKey: copilot: GitHub rejected the sign-in/,
  );
});

test("a token without the permission is an error that names the permission", async (t) => {
  const server = await serve(t, () => ({
    status: 403,
    body: { message: "Resource not accessible by personal access token" },
  }));
  assert.equal(
    await ask(providerAt({ name: "copilot", baseUrl: server.root, key: "k" })),
    "badKey: copilot: GitHub does not allow this token to use Copilot (Resource not accessible by personal access token). " +
      'A fine-grained token needs the permission "Copilot Requests".',
  );
});

test("an API address on a foreign host is ignored, so the token stays at GitHub", async (t) => {
  const github = await openGithub(t);
  const thief = await serve(t, () => null);
  github.api = thief.root;
  assert.equal(await ask(copilotAt(github)), "Hello.");
  assert.deepEqual(thief.requests, []);
  const { isOwn } = githubHosts("https://api.githubcopilot.com");
  const hosts = ["api.business.githubcopilot.com", "githubcopilot.com.evil.example"];
  assert.deepEqual(hosts.map(isOwn), [true, false]);
  const { web, api } = githubHosts("https://copilot-api.acme.ghe.com");
  assert.deepEqual([web, api], ["https://acme.ghe.com", "https://api.acme.ghe.com"]);
});

test("the list of models is requested with the short-lived token", async (t) => {
  const github = await openGithub(t);
  const { problem } = await offerOf(copilotAt(github), { timeout: 60_000 });
  assert.equal(problem?.kind, "noList");
  assert.equal(github.requests[1]?.headers.authorization, "Bearer tid=1");
});
