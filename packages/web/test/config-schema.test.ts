import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { schemaCompletions, schemaProblems } from "../src/model/config-schema.ts";
import type { Schema } from "../src/model/config-schema.ts";

const file = join(import.meta.dirname, "../../holdfast/config.schema.json");
const schema: Schema = JSON.parse(readFileSync(file, "utf8"));

function problems(text: string): readonly string[] {
  return schemaProblems(text, schema).map(
    ({ from, to, problem }) => `${problem.kind}: ${text.slice(from, to)}`,
  );
}

test("mistakes in a config are found at their place, and comments and trailing commas are allowed", () => {
  assert.deepEqual(problems('// mine\n{ "model": "lab/usual", /* why */ "thinking": true, }'), []);
  assert.deepEqual(problems(""), []);
  assert.deepEqual(
    problems(`{
      "modle": "x",
      "model": 3,
      "effort": "huge",
      "thinking": "yes",
      "providers": { "lab": { "protocol": "telnet", "baseUrl": "" } },
      "limits": { "maxSteps": 0 }
    }`),
    [
      'unknownKey: "modle"',
      "wrongType: 3",
      'notOneOf: "huge"',
      'wrongType: "yes"',
      'notOneOf: "telnet"',
      'empty: ""',
      "tooLow: 0",
    ],
  );
  assert.deepEqual(problems('{ "model" "x" }')[0]?.split(":")[0], "syntax");
});

test("names of built-in object properties, such as constructor, are unknown settings", () => {
  assert.deepEqual(problems('{ "__proto__": 1, "constructor": 1 }'), [
    'unknownKey: "__proto__"',
    'unknownKey: "constructor"',
  ]);
});

/** Completions at the mark | in the text. */
function completions(marked: string): { from: number; to: number; labels: readonly string[] } {
  const offset = marked.indexOf("|");
  const { from, to, items } = schemaCompletions(marked.replace("|", ""), offset, schema);
  return { from, to, labels: items.map(({ label }) => label) };
}

test("keys and values are completed from the schema, without keys that are there already", () => {
  const top = completions('{ "model": "x", "ef|" }');
  assert.deepEqual([top.from, top.to], [16, 20]);
  assert.ok(top.labels.includes('"effort"') && !top.labels.includes('"model"'));
  assert.ok(completions('{ "providers": { "lab": { "|" } } }').labels.includes('"baseUrl"'));
  assert.deepEqual(completions('{ "thinking": | }').labels, ["true", "false"]);
  assert.ok(completions('{ "effort": "|" }').labels.includes('"high"'));
  assert.deepEqual(completions('{ "nothing": { "|" } }').labels, []);
});
