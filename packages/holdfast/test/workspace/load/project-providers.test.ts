import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder, says } from "../../../../../gauntlet/model-server/script.ts";
import { openWorkspaceFixture } from "./workspace-fixture.ts";

test("a provider of a project's config is available there once the config is trusted", async (t) => {
  const fixture = await openWorkspaceFixture(t, {
    script: inOrder(says("ok")),
    environment: { LAB_KEY: "sk-lab-0123456789abcdef", LAB_URL: "http://127.0.0.1:1/v1" },
  });
  const { directory, server, setup } = fixture;
  const { providers, configs } = setup;
  const names = async (place: string | null): Promise<object> => {
    const { items, model, untrusted } = await providers.list(place);
    return { known: items.map(({ name, key }) => `${name} ${key}`), model, untrusted };
  };
  const lab = { baseUrl: server.addresses.openaiChat, key: "{env:LAB_KEY}", defaultModel: "fast" };
  fixture.write("project/holdfast.jsonc", { model: "lab/fast", providers: { lab } });
  const nothing = { known: [], model: null, untrusted: [] };
  assert.deepEqual(
    [await names(null), await names(directory)],
    [nothing, { known: [], model: null, untrusted: ["lab"] }],
  );
  assert.deepEqual(await providers.test("lab", directory), {
    works: false,
    problem:
      "this provider is defined only in the project's config, which is not trusted yet; run `holdfast trust`",
    field: null,
    models: [],
  });
  const { powers } = await configs.read(directory);
  await configs.trust(directory, powers.digest);
  assert.deepEqual(
    [await names(null), await names(directory)],
    [nothing, { known: ["lab …cdef"], model: "lab/fast", untrusted: [] }],
  );
  const tested = await providers.test("lab", directory);
  assert.deepEqual([tested?.works, await providers.test("lab", null)], [true, null]);
  // Trust covers only the exact settings that were trusted: another address needs trust again.
  fixture.write("project/holdfast.jsonc", {
    providers: { lab: { ...lab, baseUrl: "{env:LAB_URL}" } },
  });
  assert.deepEqual(await names(directory), { known: [], model: null, untrusted: ["lab"] });
});
