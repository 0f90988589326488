import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { configJsonSchema } from "../../../src/workspace/config/json-schema.ts";
import { openConfigFixture } from "./config-fixture.ts";

const repository = join(import.meta.dirname, "../../../../..");
const page = readFileSync(join(repository, "docs/CONFIG.md"), "utf8");
const examples = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(
    ([, text = ""]) => text,
  );

test("every example of the documentation is a valid config", async (t) => {
  const jsonc = examples("jsonc");
  assert.ok(jsonc.length >= 7);
  for (const text of jsonc) {
    const fixture = openConfigFixture(t);
    fixture.write("user/config.jsonc", text);
    const environment: Record<string, string> = {};
    for (const [, name = ""] of text.matchAll(/\{env:(\w+)\}/g)) environment[name] = "value";
    for (const [, path = ""] of text.matchAll(/\{file:~\/([^}]+)\}/g)) {
      fixture.write(`home/${path}`, "value");
    }
    fixture.write("user/docs/CONVENTIONS.md", "conventions");
    assert.deepEqual(await fixture.warnings(environment), []);
  }
  const [agent = "", command = "", ...others] = examples("md");
  const fixture = openConfigFixture(t);
  fixture.write("project/.holdfast/agents/reviewer.md", agent);
  fixture.write("project/.holdfast/commands/fix.md", command);
  const { config, notices, powers } = await fixture.read();
  assert.deepEqual([notices, powers.list, others], [[], [], []]);
  assert.deepEqual([config.agents.size, config.commands.size], [1, 1]);
});

test("every key of the schema is explained in the documentation and in editors", () => {
  const missing: string[] = [];
  const look = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    for (const [key, part] of Object.entries(schema)) {
      if (key === "properties" && typeof part === "object" && part !== null) {
        for (const name of Object.keys(part)) {
          if (!isTold(name)) missing.push(`${path}.${name}`);
        }
      }
      look(part, key === "properties" ? path : `${path}.${key}`);
    }
  };
  look(configJsonSchema(), "");
  assert.deepEqual(missing, []);
});

function isTold(key: string): boolean {
  return new RegExp(`[\`.\\s"]${key.replace("$", "\\$")}[\`".]`).test(page);
}
