import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exceptionFrame } from "../../../../../../gauntlet/model-server/event-stream.ts";
import type {
  RawAnswer,
  RawRequest,
} from "../../../../../../gauntlet/model-server/model-server.ts";
import { offerOf } from "../../../../src/agent/model/offer.ts";
import { scratchFolder } from "../../../support/scratch-folder.ts";
import { ask, providerAt, serve } from "./ask.ts";
import { sigV4Problem } from "./verify-sigv4.ts";
import type { AwsKeys } from "./verify-sigv4.ts";

const region = "eu-west-1";
const model = "anthropic.claude-sonnet-4-5-20250929-v1:0";
const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCY" };
const variables = {
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: keys.accessKeyId,
  AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
};

/** A mock of AWS that accepts one key. */
function aws(held: AwsKeys): (request: RawRequest) => RawAnswer | null {
  return (request) => {
    const problem = sigV4Problem(request, { keys: held, region });
    return problem === null ? null : { status: 403, body: { message: problem } };
  };
}

test("requests to Bedrock are signed with SigV4, over a path that needs encoding", async (t) => {
  const server = await serve(t, aws(keys));
  const provider = providerAt({ name: "bedrock", baseUrl: server.root, environment: variables });
  assert.equal(await ask(provider, { model }), "Hello.");
  assert.equal(server.requests[0]?.url, `/model/${encodeURIComponent(model)}/converse-stream`);
  assert.deepEqual(server.calls[0]?.tools, ["look"]);
});

test("a wrong secret is rejected, with the message of AWS", async (t) => {
  const server = await serve(t, aws({ ...keys, secretAccessKey: "another" }));
  const provider = providerAt({ name: "bedrock", baseUrl: server.root, environment: variables });
  assert.match(await ask(provider), /^badKey: bedrock: the signature does not match \(check/);
  assert.equal(server.requests.length, 1);
});

test("a Bedrock API key is sent as a bearer token, and nothing is signed", async (t) => {
  const server = await serve(t, ({ headers }) =>
    headers.authorization === "Bearer bedrock-api-key-1" && headers["x-amz-date"] === undefined
      ? null
      : { status: 403, body: { message: "no" } },
  );
  const given = { name: "bedrock", baseUrl: server.root, key: "bedrock-api-key-1" };
  assert.equal(await ask(providerAt(given)), "Hello.");
});

test("a profile and its session token are read from the files of the AWS CLI", async (t) => {
  const folder = scratchFolder(t, "aws");
  const config = join(folder, "config");
  const credentials = join(folder, "credentials");
  writeFileSync(config, `[default]\nregion = us-east-1\n\n[profile work]\nregion=${region}\n`);
  writeFileSync(
    credentials,
    `# keys\n[work]\naws_access_key_id = ${keys.accessKeyId}\naws_secret_access_key=${keys.secretAccessKey}\naws_session_token = session-1==\n`,
  );
  const server = await serve(t, aws({ ...keys, sessionToken: "session-1==" }));
  const environment = {
    AWS_REGION: region,
    AWS_PROFILE: "work",
    AWS_CONFIG_FILE: config,
    AWS_SHARED_CREDENTIALS_FILE: credentials,
  };
  const learned: string[] = [];
  const said = await ask(providerAt({ name: "bedrock", baseUrl: server.root, environment }), {
    learn: (secrets) => void learned.push(...secrets),
  });
  assert.equal(said, "Hello.");
  assert.deepEqual(learned, [keys.secretAccessKey, "session-1=="]);
});

test("expired credentials are loaded again once, then the error says what to do", async (t) => {
  const folder = scratchFolder(t, "aws");
  const counter = join(folder, "count");
  const config = join(folder, "config");
  const credentials = `{"Version":1,"AccessKeyId":"${keys.accessKeyId}","SecretAccessKey":"${keys.secretAccessKey}","SessionToken":"session-%s"}`;
  writeFileSync(
    config,
    `[default]\ncredential_process = echo x >> ${counter}; printf '${credentials}' "$(wc -l < ${counter} | tr -d ' ')"\n`,
  );
  let valid = "session-2";
  const server = await serve(t, (request) => {
    const token = request.headers["x-amz-security-token"];
    if (token === valid) return aws({ ...keys, sessionToken: valid })(request);
    return {
      status: 403,
      body: { message: "The security token included in the request is expired" },
    };
  });
  const environment = { AWS_REGION: region, AWS_CONFIG_FILE: config, HOME: folder };
  const provider = providerAt({ name: "bedrock", baseUrl: server.root, environment });
  assert.equal(await ask(provider), "Hello.");
  assert.equal(server.requests.length, 2);
  valid = "none";
  const problem = await ask(provider);
  assert.match(problem, /^badKey: bedrock: the credentials have expired and could not be renewed/);
  assert.match(problem, /Sign in to AWS again, for example with: aws sso login$/);
  assert.equal(server.requests.length, 4);
});

test("credentials of a container are requested with its token", async (t) => {
  const server = await serve(t, (request) => {
    if (request.url !== "/credentials") return aws({ ...keys, sessionToken: "pod" })(request);
    assert.equal(request.headers.authorization, "pod-token");
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey } = keys;
    const Expiration = new Date(Date.now() + 3_600_000).toISOString();
    return { status: 200, body: { AccessKeyId, SecretAccessKey, Token: "pod", Expiration } };
  });
  const environment = {
    AWS_REGION: region,
    HOME: scratchFolder(t, "aws"),
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${server.root}/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: "pod-token",
  };
  const provider = providerAt({ name: "bedrock", baseUrl: server.root, environment });
  assert.equal(await ask(provider), "Hello.");
  const away = { ...environment, AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://example.com/c" };
  assert.match(
    await ask(providerAt({ name: "bedrock", baseUrl: server.root, environment: away })),
    /^badKey: No AWS credentials: the container's address .* is neither HTTPS nor local/,
  );
});

test("without credentials the error names the places to set them", async (t) => {
  const environment = { AWS_REGION: region, HOME: scratchFolder(t, "aws"), PATH: "" };
  const baseUrl = "http://127.0.0.1:9";
  assert.match(
    await ask(providerAt({ name: "bedrock", baseUrl, environment })),
    /^badKey: No AWS credentials: .*Set AWS_ACCESS_KEY_ID, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK\.$/,
  );
});

test("exceptions in the stream are classified, and a broken checksum is not an answer", async (t) => {
  const frames = [
    exceptionFrame("throttlingException", "Too many requests"),
    exceptionFrame("validationException", "Input is too long for requested model."),
    Buffer.from(exceptionFrame("throttlingException", "x")).fill(0, 8, 12),
  ];
  const server = await serve(
    t,
    () => null,
    () => ({ parts: [{ text: "He" }, { raw: frames.shift() ?? "" }] }),
  );
  const provider = providerAt({ name: "bedrock", baseUrl: server.root, key: "k" });
  assert.match(await ask(provider), /^transient: bedrock: .*Too many requests/);
  assert.match(await ask(provider), /^contextTooLong: bedrock: .*Input is too long/);
  assert.match(await ask(provider), /^transient: bedrock: /);
});

test("the list of models is requested with a signature too", async (t) => {
  const server = await serve(t, (request) => {
    const refusal = aws(keys)(request);
    if (refusal !== null || request.url !== "/foundation-models") return refusal;
    return { status: 200, body: { modelSummaries: [{ modelId: "amazon.nova-pro-v1:0" }] } };
  });
  const provider = providerAt({ name: "bedrock", baseUrl: server.root, environment: variables });
  const { models, problem } = await offerOf(provider, { timeout: 60_000 });
  assert.deepEqual({ models, problem }, { models: ["amazon.nova-pro-v1:0"], problem: null });
});
