import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { defaultServerLimits } from "../../../src/server/limits.ts";
import { keepOwnerToken } from "../../../src/server/security/owner-token.ts";
import { defaultQuotas } from "../../../src/server/security/quotas.ts";
import { createSecurity } from "../../../src/server/security/security.ts";
import type { SecurityOptions, SecurityServices } from "../../../src/server/security/security.ts";
import { listTokens } from "../../../src/server/security/token-record.ts";
import type { Records } from "../../../src/server/security/token-record.ts";
import { tokenIdOf } from "../../../src/server/security/token.ts";
import type { Principal } from "../../../src/server/ports.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { memoryRecords } from "./records.ts";
import { refusal } from "./refusal.ts";

interface Guard extends SecurityServices {
  readonly owner: Principal;
  readonly ownerSecret: string;
  readonly folder: string;
  readonly records: Records;
  readonly enter: (headers: Record<string, string>, method?: string) => Promise<Principal>;
}

const url = "http://127.0.0.1:4747";

/** Security over records in memory, with an owner token. */
async function guard(t: TestContext, options: Partial<SecurityOptions> = {}): Promise<Guard> {
  const folder = scratchFolder(t, "tokens");
  const records = options.records ?? memoryRecords();
  const services = createSecurity({
    records,
    tokensFreshFor: 1_000,
    source: { loopbackOnly: true, names: [], origins: [] },
    quotas: () => Promise.resolve(defaultQuotas),
    limits: defaultServerLimits,
    publicUrl: url,
    port: 4747,
    isGuarded: () => Promise.resolve(false),
    now: Date.now,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  t.after(() => services.close());
  const ownerSecret = await keepOwnerToken(records, {
    dataFolder: join(folder, "data"),
    now: Date.now,
  });
  const enter: Guard["enter"] = (headers, method = "GET") =>
    services.security.authenticate(new Request(url, { method, headers }), { address: "127.0.0.1" });
  const owner = await enter(bearer(ownerSecret));
  return { ...services, folder, records, ownerSecret, owner, enter };
}

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` });

test("the store has only the hash of a token", async (t) => {
  const { tokens, owner, ownerSecret, records } = await guard(t);
  const { secret, token } = await tokens.create(
    { name: "ci", role: "prompt", directories: null },
    owner,
  );
  assert.match(secret, new RegExp(`^hf_${token.tokenId}_[A-Za-z0-9_-]{43}$`));
  const stored = JSON.stringify(await listTokens(records));
  assert.deepEqual([stored.includes(secret), stored.includes(ownerSecret)], [false, false]);
});

test("every actor is named after its token, followed by the client's name", async (t) => {
  const { tokens, owner, enter } = await guard(t);
  const { secret } = await tokens.create({ name: "ci", role: "prompt", directories: null }, owner);
  const { actor, role } = await enter({ ...bearer(secret), "x-holdfast-client": "cli/0.1.0" });
  assert.deepEqual(
    [owner.actor, owner.role, actor, role],
    [{ kind: "client", id: "owner" }, "admin", { kind: "client", id: "ci/cli/0.1.0" }, "prompt"],
  );
  assert.equal(
    await refusal(() => enter({ ...bearer(secret), "x-holdfast-client": "a b" })),
    "invalid",
  );
});

test("invalid tokens are refused: missing, wrong, cut, of another server, in the URL", async (t) => {
  const { enter, ownerSecret, security } = await guard(t);
  const cut = ownerSecret.slice(0, -1);
  const near = cut + (ownerSecret.endsWith("A") ? "B" : "A");
  const cases: Record<string, string>[] = [
    {},
    bearer(""),
    bearer(cut),
    bearer(near),
    bearer(`hf_000000000000_${"A".repeat(43)}`),
    { authorization: `Basic ${ownerSecret}` },
    { authorization: ownerSecret },
    { cookie: `holdfast-4748=${ownerSecret}` },
    // A valid cookie does not replace an invalid token.
    { ...bearer(near), cookie: `holdfast-4747=${ownerSecret}` },
  ];
  const codes = await Promise.all(cases.map((headers) => refusal(() => enter(headers))));
  const inAddress = new Request(`${url}/?token=${ownerSecret}&access_token=${ownerSecret}`);
  codes.push(await refusal(() => security.authenticate(inAddress, { address: null })));
  assert.deepEqual(new Set(codes), new Set(["unauthorized"]));
});

test("revoked token: it is refused from that moment on, and its streams end", async (t) => {
  const { tokens, owner, enter } = await guard(t);
  const { secret, token } = await tokens.create(
    { name: "ci", role: "prompt", directories: null },
    owner,
  );
  const { revoked } = await enter(bearer(secret));
  assert.equal(revoked.aborted, false);
  const answer = await tokens.revoke(token.tokenId);
  assert.equal(revoked.aborted, true);
  assert.equal(typeof answer?.revokedAt, "number");
  assert.equal(await refusal(() => enter(bearer(secret))), "unauthorized");
  assert.deepEqual(await tokens.revoke(token.tokenId), answer, "a second time changes nothing");
  assert.equal(await tokens.revoke("000000000000"), null);
  assert.deepEqual(
    Object.fromEntries(
      (await tokens.list()).map(({ name, revokedAt }) => [name, revokedAt !== null]),
    ),
    { ci: true, owner: false },
  );
});

test("revoked token: another process on the same store learns it within a second", async (t) => {
  const first = await guard(t);
  const { secret, token } = await first.tokens.create(
    { name: "ci", role: "observe", directories: null },
    first.owner,
  );
  let now = Date.now();
  const second = await guard(t, { records: first.records, now: () => now });
  const enter = (): Promise<Principal> =>
    second.security.authenticate(new Request(url, { headers: bearer(secret) }), { address: null });
  assert.equal((await enter()).name, "ci");
  await first.tokens.revoke(token.tokenId);
  now += 1_000;
  assert.equal(await refusal(enter), "unauthorized");
});

test("the owner's token is kept, added to another store, and replaced after it was revoked", async (t) => {
  const { folder, ownerSecret, tokens, owner, records } = await guard(t);
  const dataFolder = join(folder, "data");
  const again = (known: Records): Promise<string> =>
    keepOwnerToken(known, { dataFolder, now: Date.now });
  assert.equal(await again(records), ownerSecret);
  assert.equal(await again(memoryRecords()), ownerSecret);
  assert.ok(owner.tokenId !== null);
  await tokens.revoke(owner.tokenId);
  const next = await again(records);
  assert.notEqual(next, ownerSecret);
  assert.equal(readFileSync(join(dataFolder, "token"), "utf8"), `${next}\n`);
  assert.equal(await again(records), next);
});

test("an owner's token that cannot be written to its file is not stored either", async (t) => {
  const { folder, records, tokens, owner, ownerSecret } = await guard(t);
  const dataFolder = join(folder, "data");
  const file = join(dataFolder, "token");
  await tokens.revoke(owner.tokenId ?? "");
  // A folder takes the place of the token file after the file was read.
  const inTheWay: Records = {
    ...records,
    record: async (...key) => {
      rmSync(file);
      mkdirSync(file);
      return records.record(...key);
    },
  };
  const failing = keepOwnerToken(inTheWay, { dataFolder, now: Date.now });
  await assert.rejects(failing, { syscall: "rename" });
  const known = async (): Promise<string[]> =>
    (await listTokens(records)).map(({ tokenId }) => tokenId);
  assert.deepEqual(await known(), [tokenIdOf(ownerSecret)]);
  assert.deepEqual(readdirSync(dataFolder), ["token"], "no draft is left");
  rmSync(file, { recursive: true });
  const secret = await keepOwnerToken(records, { dataFolder, now: Date.now });
  const wanted = new Set([tokenIdOf(ownerSecret), tokenIdOf(secret)]);
  assert.deepEqual(new Set(await known()), wanted);
});

test("directory limits, path escape: neither .. nor a link nor a similar name leads outside", async (t) => {
  const { folder, security, owner, tokens, enter } = await guard(t);
  const [inside, outside] = [join(folder, "a"), join(folder, "ab")];
  mkdirSync(join(inside, "deep"), { recursive: true });
  mkdirSync(outside);
  symlinkSync(outside, join(inside, "link"));
  symlinkSync(inside, join(folder, "way-in"));
  const input = { name: "ci", role: "prompt", directories: [join(folder, "way-in")] } as const;
  const { secret } = await tokens.create(input, owner);
  const limited = await enter(bearer(secret));
  assert.deepEqual(limited.directories, [inside]);
  const cases: [directory: string, found: string][] = [
    [inside, inside],
    [join(inside, "deep"), join(inside, "deep")],
    [`${inside}/deep/..`, inside],
    [join(folder, "way-in", "deep"), join(inside, "deep")],
    [outside, "forbidden"],
    [folder, "forbidden"],
    [`${inside}/../ab`, "forbidden"],
    [join(inside, "link"), "forbidden"],
    [join(inside, "nowhere"), "forbidden"],
    ["a", "forbidden"],
    [`${inside}\0`, "forbidden"],
    ["/", "forbidden"],
  ];
  const resolve = async (principal: Principal, directory: string): Promise<string> => {
    let found = "";
    const code = await refusal(async () => {
      found = await security.resolveDirectory(principal, directory);
    });
    return code === "none" ? found : code;
  };
  assert.deepEqual(
    await Promise.all(
      cases.map(async ([directory]) => [directory, await resolve(limited, directory)]),
    ),
    cases,
  );
  assert.deepEqual(
    [await resolve(owner, outside), await resolve(owner, join(folder, "nowhere"))],
    [outside, "invalid"],
  );
});

test("role: an admin cannot be limited to directories, because it could remove the limit", async (t) => {
  const { tokens, owner, folder } = await guard(t);
  const create = (role: "admin" | "prompt", directory: string): Promise<string> =>
    refusal(() => tokens.create({ name: "x", role, directories: [directory] }, owner));
  assert.deepEqual(
    [await create("admin", folder), await create("prompt", folder), await create("prompt", "/no")],
    ["invalid", "none", "invalid"],
  );
});

test("P5 requests are limited by token, and without a token by address", async (t) => {
  const { enter, ownerSecret, tokens, owner, security } = await guard(t, {
    now: () => 0,
    limits: {
      ...defaultServerLimits,
      tokenRate: { burst: 3, perSecond: 1 },
      strangerRate: { burst: 2, perSecond: 1 },
    },
  });
  const { secret } = await tokens.create({ name: "ci", role: "prompt", directories: null }, owner);
  const codes = [];
  for (const shown of [ownerSecret, ownerSecret, ownerSecret, secret, "x", "x", "x", secret]) {
    codes.push(await refusal(() => enter(bearer(shown))));
  }
  assert.deepEqual(codes, [
    "none",
    "none",
    "rateLimited",
    "none",
    "unauthorized",
    "unauthorized",
    "rateLimited",
    "none",
  ]);
  const limit = (address: string): Promise<string> =>
    refusal(() => security.limit(new Request(url), { address }));
  const network = "2001:db8:1:2";
  assert.deepEqual(
    [await limit(`${network}::1`), await limit(`${network}::2`), await limit(`${network}::3`)],
    ["none", "none", "rateLimited"],
  );
});

test("headers: every response has the security headers, and CORS only for configured origins", async (t) => {
  const origin = "https://page.example";
  const { security } = await guard(t, {
    source: { loopbackOnly: true, names: [], origins: [origin] },
  });
  const headersFor = (from: string): Record<string, string> => {
    const headers = new Headers();
    security.decorate(new Request(url, { headers: { origin: from } }), headers);
    return Object.fromEntries(headers);
  };
  const plain = {
    "cache-control": "no-store",
    "content-security-policy":
      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
      "img-src 'self' data:; object-src 'none'; style-src 'self' 'unsafe-inline'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
  assert.deepEqual(headersFor("https://other.example"), plain);
  assert.deepEqual(headersFor(origin), {
    ...plain,
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "x-request-id, retry-after",
    "cross-origin-resource-policy": "cross-origin",
    vary: "origin",
  });
  const ask = (from: string): number | null => {
    const headers = { origin: from, "access-control-request-method": "POST" };
    return security.preflight(new Request(url, { method: "OPTIONS", headers }))?.status ?? null;
  };
  assert.deepEqual([ask(origin), ask("https://other.example")], [204, null]);
});
