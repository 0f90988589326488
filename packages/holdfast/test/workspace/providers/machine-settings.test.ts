import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ProviderConfig } from "../../../src/workspace/config/config.ts";
import type { Credential } from "../../../src/workspace/providers/credentials.ts";
import { withMachineSettings } from "../../../src/workspace/providers/machine-settings.ts";
import { mergeProviders } from "../../../src/workspace/providers/merge.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

const connected: Credential = {
  status: "connected",
  at: 1,
  key: null,
  baseUrl: null,
  protocol: null,
  defaultModel: null,
};

const configured: ProviderConfig = {
  protocol: "bedrock",
  baseUrl: null,
  key: null,
  headers: {},
  defaultModel: null,
  models: new Map(),
};

test("the region and the project come from the vendors' files if a provider needs them", async (t) => {
  const folder = scratchFolder(t, "machine");
  const aws = join(folder, "config");
  const google = join(folder, "google.json");
  writeFileSync(aws, "[default]\nregion = us-west-2\n[profile work]\nregion = eu-central-1\n");
  writeFileSync(google, JSON.stringify({ type: "service_account", project_id: "project-7" }));
  const environment = {
    AWS_CONFIG_FILE: aws,
    AWS_PROFILE: "work",
    GOOGLE_APPLICATION_CREDENTIALS: google,
    OTHER: "not for a sign-in",
  };
  const none = { credentials: new Map(), config: new Map() };
  assert.deepEqual(await withMachineSettings(environment, none), environment);
  for (const sources of [
    { ...none, named: new Set(["bedrock", "vertex"]) },
    {
      credentials: new Map([["vertex", connected]]),
      config: new Map([["bedrock", configured]]),
    },
  ]) {
    const known = await withMachineSettings(environment, sources);
    const found = mergeProviders({ environment: known, ...sources });
    assert.deepEqual(
      Object.fromEntries(found.map(({ provider }) => [provider.name, provider.baseUrl])),
      {
        bedrock: "https://bedrock-runtime.eu-central-1.amazonaws.com",
        vertex: "https://aiplatform.googleapis.com/v1beta1/projects/project-7/locations/global",
      },
    );
    const bedrock = found.find(({ provider }) => provider.name === "bedrock");
    assert.deepEqual(bedrock?.provider.environment, {
      AWS_CONFIG_FILE: aws,
      AWS_PROFILE: "work",
      AWS_REGION: "eu-central-1",
    });
  }
});

test("a second Bedrock provider with its own name and region uses the same credentials", () => {
  const baseUrl = "https://bedrock-runtime.ap-south-1.amazonaws.com";
  const [found] = mergeProviders({
    environment: { AWS_ACCESS_KEY_ID: "id", AWS_REGION: "us-east-1", HOME: "/own" },
    credentials: new Map(),
    config: new Map([["bedrock-south", { ...configured, baseUrl }]]),
  });
  assert.equal(found?.provider.baseUrl, baseUrl);
  assert.deepEqual(found?.provider.environment, {
    AWS_ACCESS_KEY_ID: "id",
    AWS_REGION: "us-east-1",
    HOME: "/own",
  });
});

test("a key that is connected is not sent as a token, even if the environment has a token", () => {
  const [found] = mergeProviders({
    environment: { ANTHROPIC_AUTH_TOKEN: "t" },
    credentials: new Map([["anthropic", { ...connected, key: "sk-1" }]]),
    config: new Map(),
  });
  assert.deepEqual([found?.provider.key, found?.provider.bearer], ["sk-1", undefined]);
});

test("the region and the project come from the vendors' files if the environment has a key", async (t) => {
  const folder = scratchFolder(t, "machine-key");
  const aws = join(folder, "config");
  const google = join(folder, "google.json");
  writeFileSync(aws, "[default]\nregion = us-west-2\n");
  writeFileSync(google, JSON.stringify({ type: "service_account", project_id: "project-7" }));
  const environment = {
    AWS_CONFIG_FILE: aws,
    AWS_BEARER_TOKEN_BEDROCK: "key-1",
    GOOGLE_APPLICATION_CREDENTIALS: google,
    GOOGLE_VERTEX_API_KEY: "key-2",
  };
  const known = await withMachineSettings(environment, {
    credentials: new Map(),
    config: new Map(),
  });
  assert.equal(known["AWS_REGION"], "us-west-2");
  assert.equal(known["GOOGLE_CLOUD_PROJECT"], "project-7");
});
