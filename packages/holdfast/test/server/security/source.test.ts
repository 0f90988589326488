import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSource } from "../../../src/server/security/source.ts";
import type { SourcePolicy } from "../../../src/server/security/source.ts";

const local: SourcePolicy = { loopbackOnly: true, names: [], origins: [] };
const exposed: SourcePolicy = {
  loopbackOnly: false,
  names: ["holdfast.example"],
  origins: ["https://page.example"],
};

/** The code of the problem with these headers, or null. */
function said(
  policy: SourcePolicy,
  headers: Record<string, string>,
  method = "GET",
): string | null {
  const request = new Request("http://127.0.0.1:4747/v1/sessions", { method, headers });
  return checkSource(request, policy)?.code ?? null;
}

test("DNS rebinding: only host names and addresses of this server are accepted", () => {
  const cases: [host: string, local: string | null, exposed: string | null][] = [
    ["127.0.0.1:4747", null, null],
    ["localhost:4747", null, null],
    ["LOCALHOST", null, null],
    ["localhost.:4747", null, null],
    ["[::1]:4747", null, null],
    ["127.9.9.9", null, null],
    // A tunnel uses its own port.
    ["localhost:8080", null, null],
    ["attacker.example:4747", "badHost", "badHost"],
    ["localhost.attacker.example", "badHost", "badHost"],
    ["127.0.0.1.attacker.example", "badHost", "badHost"],
    ["127.0.0.1@attacker.example", "badHost", "badHost"],
    ["", "badHost", "badHost"],
    ["a b", "badHost", "badHost"],
    ["192.168.1.7:4747", "badHost", null],
    ["[fe80::1]:4747", "badHost", null],
    ["holdfast.example", "badHost", null],
    ["holdfast.example:443", "badHost", null],
    ["sub.holdfast.example", "badHost", "badHost"],
  ];
  assert.deepEqual(
    cases.map(([host]) => [host, said(local, { host }), said(exposed, { host })]),
    cases,
  );
});

test("cross-origin: a page of another origin is refused, by Origin or by Sec-Fetch-Site", () => {
  const host = "localhost:4747";
  const visit = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  const cases: [headers: Record<string, string>, method: string, code: string | null][] = [
    [{}, "POST", null],
    [{ origin: "http://localhost:4747" }, "POST", null],
    [{ origin: "http://localhost:3000" }, "POST", "badOrigin"],
    [{ origin: "http://localhost" }, "POST", "badOrigin"],
    [{ origin: "http://127.0.0.1:4747" }, "POST", "badOrigin"],
    [{ origin: "https://attacker.example" }, "GET", "badOrigin"],
    [{ origin: "null" }, "POST", "badOrigin"],
    [{ origin: "file://" }, "POST", "badOrigin"],
    [{ "sec-fetch-site": "same-origin" }, "GET", null],
    [{ "sec-fetch-site": "none" }, "GET", null],
    [{ "sec-fetch-site": "same-site" }, "GET", "badOrigin"],
    [{ "sec-fetch-site": "cross-site" }, "GET", "badOrigin"],
    [{ "sec-fetch-site": "cross-site", ...visit }, "GET", null],
    [{ "sec-fetch-site": "cross-site", ...visit }, "POST", "badOrigin"],
    [{ "sec-fetch-site": "cross-site", ...visit, "sec-fetch-dest": "iframe" }, "GET", "badOrigin"],
  ];
  assert.deepEqual(
    cases.map(([headers, method]) => [headers, method, said(local, { host, ...headers }, method)]),
    cases,
  );
});

test("cross-origin: exactly the configured origins may call", () => {
  const host = "holdfast.example";
  const codes = [
    "https://page.example",
    "http://page.example",
    "https://page.example:8443",
    "https://sub.page.example",
    "https://page.example.attacker.example",
    "https://holdfast.example",
  ].map((origin) => said(exposed, { host, origin, "sec-fetch-site": "cross-site" }, "POST"));
  assert.deepEqual(codes, [null, "badOrigin", "badOrigin", "badOrigin", "badOrigin", null]);
});
