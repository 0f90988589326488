import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionDetail } from "@holdfast/sdk";
import { statusRow } from "../../src/panels/status-line.ts";
import type { StatusOptions } from "../../src/panels/status-line.ts";
import { createLook } from "../../src/screen/look.ts";

/** The status line of a session with this cost, of which a quarter belongs to the active run. */
function row(options: Partial<StatusOptions>, cost = 0): string {
  const active = { kind: "run", usage: { cost: cost / 4 } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the row reads only the cost
  const detail = { usage: { cost: (3 * cost) / 4 }, active } as SessionDetail;
  return statusRow({
    directory: "/srv/shop",
    detail,
    mode: "ask",
    model: "acme/large",
    agent: null,
    context: null,
    connection: "connected",
    needsYou: 0,
    hint: null,
    look: createLook("plain", false),
    columns: 80,
    ...options,
  });
}

test("the status line shows context use in tokens and percent, cost and connection", () => {
  const context = { used: 12_345, size: 200_000 };
  assert.equal(
    row({ context }, 0.0421),
    "acme/large · /srv/shop · context 6 % (12.3k of 200k) · $0.042 · ●",
  );
  assert.equal(
    row({ context: { used: 980, size: null } }),
    "acme/large · /srv/shop · 980 tokens · ●",
  );
  assert.equal(
    row({ connection: "away", context: { used: 1_100_000, size: 1_000_000 } }),
    "acme/large · /srv/shop · context 100 % (1.1M of 1M) · ○ reconnecting",
  );
});

test("a narrow status line shortens the context, then leaves out the directory, cost and context", () => {
  const context = { used: 12_345, size: 200_000 };
  const texts = [50, 36, 24, 13].map((columns) => row({ context, mode: "plan", columns }, 1.5));
  assert.deepEqual(texts, [
    "plan · acme/large · context 6 % · $1.50 · ●",
    "plan · acme/large · context 6 % · ●",
    "plan · acme/large · ●",
    "plan · ●",
  ]);
});
