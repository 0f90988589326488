import assert from "node:assert/strict";
import { test } from "node:test";
import { routeEntries } from "../../../src/contract/routes.ts";
import type { Links } from "../../../src/server/ports.ts";
import { docsPage } from "../../../src/server/docs-page.ts";
import { openapiDocument } from "../../../src/server/openapi.ts";
import { sdkTypes } from "../../../../../scripts/sdk-types/sdk-types.ts";
import { openTestServer } from "./test-server.ts";

const document = openapiDocument("1.2.3");

test("the OpenAPI document has every route, and every reference resolves", () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
  );
  const names = routeEntries().map(
    ([name, { method, path }]) => `${name} ${method.toLowerCase()} ${path}`,
  );
  assert.deepEqual(new Set(operations), new Set(names));
  assert.equal(operations.length, names.length);
  const text = JSON.stringify(document);
  const known = Object.keys(document.components.schemas);
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name = ""]) => name,
  );
  assert.ok(references.length > 100);
  assert.deepEqual(
    references.filter((name) => !known.includes(name)),
    [],
  );
  assert.doesNotMatch(text, /#\/\$defs/);
  const tags = new Set(document.tags.map(({ name }) => name));
  assert.deepEqual(
    routeEntries().filter(([, { tag }]) => !tags.has(tag)),
    [],
  );
});

test("requests refuse unknown fields, answers may have more fields than a client knows", () => {
  const { AnswerInput, PromptInput, Prompt, Session } = document.components.schemas;
  assert.equal(PromptInput?.additionalProperties, false);
  assert.deepEqual(AnswerInput?.required, ["verdict"]);
  assert.equal(Session?.additionalProperties, undefined);
  assert.deepEqual(
    Prompt?.oneOf?.map((entry) => entry.properties?.["status"]?.const),
    ["queued", "running", "settled"],
  );
});

test("the API page shows every operation, and has no scripts or external resources", () => {
  const page = docsPage(document);
  for (const [name, { path, summary }] of routeEntries()) {
    assert.ok(page.includes(`<article id="${name}">`), name);
    assert.ok(page.includes(path.split("{")[0] ?? path), path);
    assert.ok(page.includes(summary.split("'")[0] ?? summary), summary);
  }
  assert.doesNotMatch(page, /<script|<link|<img|@import|url\(|src=/);
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, target = ""]) => target);
  const anchors = new Set([...page.matchAll(/id="([^"]+)"/g)].map(([, id = ""]) => `#${id}`));
  assert.deepEqual(
    links.filter((target) => !anchors.has(target) && target !== "/" && target !== "/openapi.json"),
    [],
  );
});

test("the documents are served without a token", async (t) => {
  const { ask } = await openTestServer(t);
  const openapi = await ask("GET", "/openapi.json");
  assert.deepEqual([openapi.status, openapi.json.info.version], [200, "1.2.3"]);
  for (const path of ["/docs", "/"]) {
    const { status, headers, text } = await ask("GET", path);
    assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    assert.match(text, /^<!doctype html>/);
  }
});

test("opening a link does not use it up: only the page sends its code", async (t) => {
  const opened: string[] = [];
  const links: Links = {
    create: () => Promise.reject(new Error("not asked for here")),
    open: async (code) => {
      opened.push(code);
      return { cookie: "a=b", key: "k" };
    },
    signOut: () => Promise.reject(new Error("not asked for here")),
  };
  const { ask } = await openTestServer(t, { links });
  assert.deepEqual(
    [(await ask("HEAD", "/open")).status, (await ask("GET", "/open")).status, opened],
    [200, 200, []],
  );
  const signedIn = await ask("POST", "/v1/sign-in", { body: { code: "x" } });
  assert.deepEqual(
    [signedIn.status, signedIn.json, signedIn.headers.get("set-cookie"), opened],
    [201, { key: "k" }, "a=b", ["x"]],
  );
});

test("the SDK's types contain every route", () => {
  const text = sdkTypes();
  for (const [, { method, path }] of routeEntries())
    assert.ok(text.includes(`"${method} ${path}": {`));
  assert.doesNotMatch(text, /\bany\b[;[\]|]/);
});
