import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { defaultServerLimits } from "../../../src/server/limits.ts";
import { keepOwnerToken } from "../../../src/server/security/owner-token.ts";
import { defaultQuotas } from "../../../src/server/security/quotas.ts";
import { createSecurity } from "../../../src/server/security/security.ts";
import type { SecurityServices } from "../../../src/server/security/security.ts";
import type { Records } from "../../../src/server/security/token-record.ts";
import type { Principal } from "../../../src/server/ports.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { refusal } from "./refusal.ts";
import { memoryRecords } from "./records.ts";

const url = "http://127.0.0.1:4747";
const day = 24 * 60 * 60_000;

interface Guard extends SecurityServices {
  readonly enter: (headers: Record<string, string>) => Promise<Principal>;
  readonly owner: Principal;
}

async function guard(t: TestContext, records: Records, now: () => number): Promise<Guard> {
  const services = createSecurity({
    records,
    tokensFreshFor: 1_000,
    source: { loopbackOnly: true, names: [], origins: [] },
    quotas: () => Promise.resolve(defaultQuotas),
    limits: defaultServerLimits,
    publicUrl: url,
    port: 4747,
    isGuarded: () => Promise.resolve(false),
    now,
    onError: (error) => {
      throw error;
    },
  });
  t.after(() => services.close());
  const secret = await keepOwnerToken(records, { dataFolder: scratchFolder(t, "life"), now });
  const enter: Guard["enter"] = (headers) =>
    services.security.authenticate(new Request(url, { headers }), { address: "127.0.0.1" });
  return { ...services, enter, owner: await enter(bearer(secret)) };
}

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

async function signIn({ links }: Guard, by: Principal): Promise<Record<string, string>> {
  const { url: link } = await links.create(by);
  const { cookie, key } = await links.open(new URL(link).hash.slice(1));
  return { cookie: `other=1; ${cookie.split(";")[0]}`, "x-holdfast-key": key };
}

async function used({ tokens }: Guard): Promise<(number | null)[]> {
  const byName = (await tokens.list()).toSorted((a, b) => a.name.localeCompare(b.name));
  return byName.map(({ lastUsedAt }) => lastUsedAt);
}

test("an expired token is refused, and so are browsers signed in with it", async (t) => {
  let now = day;
  const guarded = await guard(t, memoryRecords(), () => now);
  const { tokens, enter, owner } = guarded;
  const input = { name: "guest", role: "admin", directories: null } as const;
  const past = await refusal(() => tokens.create({ ...input, expiresAt: now }, owner));
  assert.equal(past, "invalid");
  const { secret, token } = await tokens.create({ ...input, expiresAt: 2 * day }, owner);
  assert.equal(token.expiresAt, 2 * day);
  const browser = await signIn(guarded, await enter(bearer(secret)));
  now = 2 * day - 1;
  assert.equal((await enter(bearer(secret))).name, "guest");
  assert.equal((await enter(browser)).name, "guest/web");
  now = 2 * day;
  assert.equal(await refusal(() => enter(bearer(secret))), "unauthorized");
  assert.equal(await refusal(() => enter(browser)), "unauthorized");
});

test("a browser stays signed in for 30 days", async (t) => {
  let now = day;
  const guarded = await guard(t, memoryRecords(), () => now);
  const browser = await signIn(guarded, guarded.owner);
  now = 31 * day - 1;
  assert.equal((await guarded.enter(browser)).role, "admin");
  now = 31 * day;
  assert.equal(await refusal(() => guarded.enter(browser)), "unauthorized");
});

test("tokens and browsers are listed with their last use, even after a restart", async (t) => {
  let now = day;
  const records = memoryRecords();
  const first = await guard(t, records, () => now);
  const browser = await signIn(first, first.owner);
  assert.deepEqual(await used(first), [day, null]);
  now = day + 5_000;
  await first.enter(browser);
  // A request with a stolen cookie does not count as a use.
  now = day + 6_000;
  await refusal(() => first.enter({ ...browser, "x-holdfast-key": "hfk_guess" }));
  assert.deepEqual(await used(first), [day, day + 5_000]);
  await first.close();
  const later = await guard(t, records, () => 3 * day);
  assert.deepEqual((await used(later)).at(-1), day + 5_000);
});
