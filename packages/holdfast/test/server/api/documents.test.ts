import assert from "node:assert/strict";
import { test } from "node:test";
import { routeEntries } from "../../../src/contract/routes.ts";
import { ApiError } from "../../../src/server/errors.ts";
import type { Links } from "../../../src/server/ports.ts";
import { docsPage } from "../../../src/server/docs-page.ts";
import { openapiDocument } from "../../../src/server/openapi.ts";
import { sdkTypes } from "../../../../../scripts/sdk-types/sdk-types.ts";
import { openDesk } from "./desk.ts";

const document = openapiDocument("1.2.3");

test("the OpenAPI document has every route, and every reference leads somewhere", () => {
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

test("requests refuse what they do not know, answers may have more than a client knows", () => {
  const { AnswerInput, PromptInput, Prompt, Session } = document.components.schemas;
  assert.equal(PromptInput?.additionalProperties, false);
  assert.deepEqual(AnswerInput?.required, ["verdict"]);
  assert.equal(Session?.additionalProperties, undefined);
  assert.deepEqual(
    Prompt?.oneOf?.map((entry) => entry.properties?.["status"]?.const),
    ["queued", "running", "settled"],
  );
});

test("the page of the API shows every operation, loads nothing and runs nothing", () => {
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

test("the documents are served, and need no token", async (t) => {
  const { ask } = await openDesk(t);
  const openapi = await ask("GET", "/openapi.json");
  assert.deepEqual([openapi.status, openapi.json.info.version], [200, "1.2.3"]);
  for (const path of ["/docs", "/"]) {
    const { status, headers, text } = await ask("GET", path);
    assert.deepEqual([status, headers.get("content-type")], [200, "text/html; charset=utf-8"]);
    assert.match(text, /^<!doctype html>/);
  }
});

const used = new ApiError("badLink", "this link was used already");
const closedLinks: Links = {
  create: () => Promise.reject(used),
  open: () => Promise.reject(used),
};
const visit = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

test("a person who opens a used link is told by a page how to get another, a program by a code", async (t) => {
  const { ask, app } = await openDesk(t, { links: closedLinks });
  const person = await app.fetch(new Request("http://127.0.0.1/open?code=x", { headers: visit }));
  assert.deepEqual(
    [person.status, person.headers.get("content-type")],
    [410, "text/html; charset=utf-8"],
  );
  assert.match(await person.text(), /^<!doctype html>[^]*holdfast link/);
  const program = await ask("GET", "/open?code=x", { headers: { accept: "*/*" } });
  assert.deepEqual([program.status, program.code], [410, "badLink"]);
  assert.match((await ask("GET", "/")).text, /sign this browser in[^]*holdfast link/);
});

test("who only looks ahead at a link does not use it up", async (t) => {
  const opened: string[] = [];
  const links: Links = {
    ...closedLinks,
    open: async (code) => {
      opened.push(code);
      return { cookie: "a=b" };
    },
  };
  const { ask } = await openDesk(t, { links });
  const head = await ask("HEAD", "/open?code=x");
  assert.deepEqual([head.status, head.headers.get("allow"), opened], [405, "GET", []]);
  assert.equal((await ask("GET", "/open?code=x")).status, 303);
  assert.deepEqual(opened, ["x"]);
});

test("where the web page is built, it tells of a used link", async (t) => {
  const web = { page: async () => new Response("the web page"), file: async () => null };
  const { ask } = await openDesk(t, { links: closedLinks, web });
  const sent = await ask("GET", "/open?code=x", { headers: visit });
  assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/?link=used"]);
});

test("the SDK's types name every route", () => {
  const text = sdkTypes();
  for (const [, { method, path }] of routeEntries())
    assert.ok(text.includes(`"${method} ${path}": {`));
  assert.doesNotMatch(text, /\bany\b[;[\]|]/);
});
