import assert from "node:assert/strict";
import { createVerify, generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type {
  RawAnswer,
  RawRequest,
} from "../../../../../../gauntlet/model-server/model-server.ts";
import { fields } from "../../../../../../gauntlet/model-server/protocol.ts";
import type { Provider } from "../../../../src/agent/model/known-providers.ts";
import { offerOf } from "../../../../src/agent/model/offer.ts";
import { scratchFolder } from "../../../support/scratch-folder.ts";
import { ask, providerAt, serve } from "./ask.ts";
import type { Served } from "./ask.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const email = "holdfast@project-1.iam.gserviceaccount.com";

/** Google's token server and Vertex. Tokens are numbered; only the newest one that is not revoked is valid. */
interface Google extends Served {
  issued: number;
  revoked: number;
}

async function openGoogle(
  t: TestContext,
  check: (form: URLSearchParams, root: string) => RawAnswer | null,
): Promise<Google> {
  const state = { issued: 0, revoked: 0 };
  const answer = (request: RawRequest): RawAnswer | null => {
    if (request.url === "/token") {
      const refusal = check(new URLSearchParams(request.body), server.root);
      if (refusal !== null) return refusal;
      state.issued += 1;
      return {
        status: 200,
        body: { access_token: `ya29.token-${state.issued}`, expires_in: 3_599 },
      };
    }
    const token = Number(
      /^Bearer ya29\.token-(\d+)$/.exec(request.headers.authorization ?? "")?.[1],
    );
    if (token > state.revoked && token <= state.issued) return null;
    const message = "Request had invalid authentication credentials.";
    return { status: 401, body: { error: { code: 401, message, status: "UNAUTHENTICATED" } } };
  };
  const server = await serve(t, answer);
  return Object.assign(state, server);
}

function vertexAt(server: Served, file: string): Provider {
  return providerAt({
    name: "vertex",
    baseUrl: `${server.root}/v1beta1/projects/project-1/locations/global`,
    environment: { GOOGLE_APPLICATION_CREDENTIALS: file },
  });
}

function keyFile(t: TestContext, content: object): string {
  const file = join(scratchFolder(t, "google"), "key.json");
  writeFileSync(file, JSON.stringify(content));
  return file;
}

function serviceAccount(t: TestContext, { root }: Served, more: object = {}): string {
  return keyFile(t, {
    type: "service_account",
    project_id: "project-1",
    private_key_id: "key-1",
    private_key: privateKey,
    client_email: email,
    token_uri: `${root}/token`,
    ...more,
  });
}

/** Checks the assertion as Google does. */
function assertionProblem(form: URLSearchParams, root: string): RawAnswer | null {
  const [header = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
  const isSigned = createVerify("RSA-SHA256")
    .update(`${header}.${claims}`)
    .verify(publicKey, signature, "base64url");
  const { iss, aud, scope, iat, exp } = decoded(claims);
  const now = Date.now() / 1_000;
  const isRight =
    isSigned &&
    decoded(header)["alg"] === "RS256" &&
    form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
    iss === email &&
    aud === `${root}/token` &&
    scope === "https://www.googleapis.com/auth/cloud-platform" &&
    Number(iat) <= now + 1 &&
    Number(exp) > now &&
    Number(exp) - Number(iat) <= 3_600;
  if (isRight) return null;
  return {
    status: 400,
    body: { error: "invalid_grant", error_description: "Invalid JWT Signature." },
  };
}

function decoded(part: string): Readonly<Record<string, unknown>> {
  return fields(JSON.parse(Buffer.from(part, "base64url").toString("utf8")));
}

test("a service account signs its token request, and all calls share the token", async (t) => {
  const google = await openGoogle(t, assertionProblem);
  const provider = vertexAt(google, serviceAccount(t, google));
  const learned: string[] = [];
  const learn = (secrets: readonly string[]): void => void learned.push(...secrets);
  assert.equal(await ask(provider, { model: "gemini-3-pro", learn }), "Hello.");
  assert.equal(await ask(provider, { model: "claude-sonnet-4-5@20250929" }), "Hello.");
  const base = "/projects/project-1/locations/global/publishers";
  assert.deepEqual(
    google.requests.map(({ url }) => url),
    [
      "/token",
      `/v1beta1${base}/google/models/gemini-3-pro:streamGenerateContent?alt=sse`,
      `/v1${base}/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict`,
    ],
  );
  const { model, anthropic_version: version, stream } = fields(google.calls[1]?.body);
  assert.deepEqual([model, version, stream], [undefined, "vertex-2023-10-16", true]);
  assert.equal(google.requests[1]?.headers["x-goog-api-key"], undefined);
  assert.deepEqual(learned, ["ya29.token-1"]);
});

test("an expired token is renewed once in mid-run; then the error says what to do", async (t) => {
  const google = await openGoogle(t, assertionProblem);
  const provider = vertexAt(google, serviceAccount(t, google));
  const learned: string[] = [];
  const learn = ([secret = ""]: readonly string[]): void => {
    const isUsed = google.requests.some(({ headers }) => headers.authorization?.endsWith(secret));
    learned.push(`${secret} ${isUsed ? "after" : "before"} its first use`);
  };
  assert.equal(await ask(provider, { learn }), "Hello.");
  google.revoked = 1;
  assert.equal(await ask(provider, { learn }), "Hello.");
  assert.equal(google.issued, 2);
  assert.deepEqual(learned, [
    "ya29.token-1 before its first use",
    "ya29.token-2 before its first use",
  ]);
  google.revoked = Infinity;
  const problem = await ask(provider);
  assert.match(problem, /^badKey: vertex: the credentials have expired and could not be renewed/);
  assert.match(problem, /gcloud auth application-default login$/);
  assert.equal(google.issued, 3);
});

test("the key of another account is rejected, with Google's reason", async (t) => {
  const google = await openGoogle(t, assertionProblem);
  const other = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const file = serviceAccount(t, google, { private_key: other.privateKey });
  assert.match(
    await ask(vertexAt(google, file)),
    /^badKey: Google rejected the credentials \(invalid_grant: Invalid JWT Signature\.\)/,
  );
});

test("the sign-in of gcloud is renewed with its refresh token and names the paying project", async (t) => {
  const google = await openGoogle(t, (form) =>
    form.get("refresh_token") === "refresh-1" && form.get("client_secret") === "secret-1"
      ? null
      : { status: 400, body: { error: "invalid_grant" } },
  );
  const file = keyFile(t, {
    type: "authorized_user",
    client_id: "id-1",
    client_secret: "secret-1",
    refresh_token: "refresh-1",
    quota_project_id: "payer",
    token_uri: `${google.root}/token`,
  });
  assert.equal(await ask(vertexAt(google, file)), "Hello.");
  assert.equal(google.requests[1]?.headers["x-goog-user-project"], "payer");
});

test("a missing permission is not taken for an expired token", async (t) => {
  const message = "Permission 'aiplatform.endpoints.predict' denied on resource";
  const server = await serve(t, ({ url }) =>
    url === "/token"
      ? { status: 200, body: { access_token: "ya29.x", expires_in: 3_599 } }
      : { status: 403, body: { error: { code: 403, message, status: "PERMISSION_DENIED" } } },
  );
  const provider = vertexAt(server, serviceAccount(t, server));
  assert.match(
    await ask(provider),
    /^badKey: vertex: Permission 'aiplatform.* \(check the API key/,
  );
  assert.equal(server.requests.length, 2);
});

test("a credentials file that cannot be used is named, without its content", async (t) => {
  const google = await openGoogle(t, assertionProblem);
  const bad = serviceAccount(t, google, { private_key: "secret-text" });
  const away = serviceAccount(t, google, { token_uri: "http://example.com/token" });
  const external = keyFile(t, { type: "external_account" });
  const problems = [];
  for (const file of [bad, away, external, "/nowhere.json"]) {
    problems.push((await ask(vertexAt(google, file))).replaceAll(file, "FILE"));
  }
  assert.match(problems[0] ?? "", /^badKey: .*private_key in FILE is not a valid key/);
  assert.match(problems[1] ?? "", /^badKey: .*token_uri in FILE is not an HTTPS address/);
  assert.match(problems[2] ?? "", /^badKey: .*FILE has the type "external_account"/);
  assert.match(problems[3] ?? "", /^badKey: .*FILE cannot be read/);
  assert.doesNotMatch(problems.join("\n"), /secret-text/);
  assert.equal(google.requests.length, 0);
});

test("a machine on Google Cloud gets its token from the metadata server", async (t) => {
  const server = await serve(t, ({ url, headers }) => {
    if (url !== "/computeMetadata/v1/instance/service-accounts/default/token") {
      return headers.authorization === "Bearer ya29.machine" ? null : { status: 401 };
    }
    assert.equal(headers["metadata-flavor"], "Google");
    return { status: 200, body: { access_token: "ya29.machine", expires_in: 600 } };
  });
  const provider = providerAt({
    name: "vertex",
    baseUrl: `${server.root}/v1beta1/projects/p/locations/global`,
    environment: {
      HOME: scratchFolder(t, "google"),
      GCE_METADATA_HOST: server.root.replace("http://", ""),
    },
  });
  assert.equal(await ask(provider), "Hello.");
});

test("the list of models is requested with the token", async (t) => {
  const google = await openGoogle(t, assertionProblem);
  const provider = vertexAt(google, serviceAccount(t, google));
  const { problem } = await offerOf(provider, { timeout: 60_000 });
  assert.equal(problem?.kind, "noList");
  assert.equal(google.requests[1]?.url, "/v1beta1/publishers/google/models?pageSize=200");
});
