import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openConfigFixture } from "./config-fixture.ts";

function provider(key: string): object {
  return { providers: { acme: { baseUrl: "http://localhost:1/v1", key } } };
}

test("{env:NAME} and {file:path} are replaced in keys, headers, variables and addresses", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", {
    providers: {
      acme: {
        baseUrl: "http://{env:HOST}/v1",
        key: "{env:A}{file:b.txt}",
        headers: { authorization: "Bearer {env:A}" },
      },
    },
    mcp: { s: { command: ["x"], env: { BOTH: "{env:A}-{file:~/deep/b.txt}" } } },
  });
  fixture.write("user/b.txt", "\uFEFFbee\r\n");
  fixture.write("home/deep/b.txt", "two\nlines\n");
  const { config, secrets, files } = await fixture.read({
    environment: { A: " aye\n", HOST: "localhost:1" },
  });
  const { baseUrl, key, headers } = config.providers.get("acme") ?? {};
  assert.deepEqual(
    [baseUrl, key, headers],
    ["http://localhost:1/v1", "ayebee", { authorization: "Bearer aye" }],
  );
  const server = config.mcp.get("s");
  assert.deepEqual(server?.type === "stdio" && server.env, { BOTH: "aye-two\nlines" });
  assert.deepEqual(secrets, ["aye", "two\nlines", "localhost:1", "Bearer aye", "bee"]);
  assert.ok(files.includes(join(fixture.userFolder, "b.txt")));
  assert.ok(files.includes(join(fixture.root, "home/deep/b.txt")));
});

const failures: readonly (readonly [key: string, message: string])[] = [
  [
    "{env:NOBODY}",
    "the environment variable NOBODY is not set in the Holdfast process; set it and restart the server (`holdfast server stop`)",
  ],
  [
    "{env:EMPTY}",
    "the environment variable EMPTY is not set in the Holdfast process; set it and restart the server (`holdfast server stop`)",
  ],
  [
    "{env:constructor}",
    "the environment variable constructor is not set in the Holdfast process; set it and restart the server (`holdfast server stop`)",
  ],
  ["{env:}", "has a reference without a variable name; write it as {env:NAME}"],
  ["{env:A B}", "has a reference without a variable name; write it as {env:NAME}"],
  ["{file:}", "has a reference without a file name; write it as {file:path}"],
  ["{file:none}", "the file user/none does not exist"],
  ["{file:empty}", "the file user/empty is empty"],
  ["{file:.}", "the file user cannot be read: it is a folder, not a file"],
  ["{file:big}", "the file user/big cannot be read: it has 70000 bytes; the limit is 65536"],
  ["{file:binary}", "the file user/binary is a binary file; it must be UTF-8 text"],
  ["{file:lines}", "is resolved to a text with spaces or line breaks, which is not a key"],
];

for (const [key, message] of failures) {
  test(`M6: ${key} fails with its position, and shows nothing of the referenced content`, async (t) => {
    const fixture = openConfigFixture(t);
    fixture.write("user/config.jsonc", provider(key));
    fixture.write("user/empty", " \n");
    fixture.write("user/big", "x".repeat(70_000));
    fixture.write("user/binary", Buffer.from("secret\0"));
    fixture.write("user/lines", "secret one\nsecret two");
    assert.deepEqual(await fixture.errors({ EMPTY: " " }), [
      `user/config.jsonc:1:63: providers.acme.key: ${message}`,
    ]);
  });
}

test("a missing file of a reference is watched, and creating it fixes the config", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", provider("{file:key}"));
  await assert.rejects(fixture.read(), (error: Error & { files: string[] }) =>
    error.files.includes(join(fixture.userFolder, "key")),
  );
});

test("references of disabled or untrusted settings are not resolved", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", {
    mcp: { s: { command: ["x"], env: { A: "{env:NOBODY}" } } },
  });
  fixture.write("project/holdfast.jsonc", {
    mcp: { s: { enabled: false }, t: { command: ["x"], env: { A: "{env:NOBODY}" } } },
  });
  assert.deepEqual([...(await fixture.read()).config.mcp], []);
});

test("a reference in the arguments of a command is not replaced, and a warning says so", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", { mcp: { s: { command: ["x", "--key={env:A}"] } } });
  assert.deepEqual(await fixture.warnings({ A: "b" }), [
    "user/config.jsonc:1:29: mcp.s.command[1]: references are not replaced here: every user of this machine can see command arguments; put the secret into env",
  ]);
});

test("values that look like secrets are redacted even if they are not references", async (t) => {
  const fixture = openConfigFixture(t);
  fixture.write("user/config.jsonc", {
    mcp: {
      s: { command: ["x"], env: { API_TOKEN: "plain", LEVEL: "debug" } },
      t: { url: "https://me:pass%20word@example.org/" },
    },
  });
  assert.deepEqual((await fixture.read()).secrets, ["plain", "pass%20word", "pass word"]);
});
