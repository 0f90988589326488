import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answered } from "../security/test-server.ts";
import { openTestServer } from "../security/test-server.ts";
import { waitFor } from "../../support/wait-for.ts";
import { createDevice, startPushService } from "./device.ts";

test("attack: a viewer's token neither reads, tests nor removes the devices of another person", async (context) => {
  const service = await startPushService(context);
  const server = await openTestServer(context, { allowPrivateWebhooks: true, pushGrace: 0 });
  const { ask, owner } = server;
  const viewer = await server.token("observe");
  const device = createDevice();
  const body = { endpoint: `${service.origin}/secret-path`, keys: device.keys, name: "Phone" };
  const added = await ask("POST", "/v1/push", { token: owner, body });
  assert.equal(added.status, 201, added.text);
  const { subscriptionId } = parsed(added);
  const path = `/v1/push/${subscriptionId}`;
  assert.deepEqual(parsed(await ask("GET", "/v1/push", { token: viewer.secret })).items, []);
  for (const [method, address] of [
    ["DELETE", path],
    ["POST", `${path}/test`],
  ] as const) {
    const { code } = await ask(method, address, { token: viewer.secret });
    assert.equal(code, "unknownSubscription");
  }
  assert.equal(service.arrived.length, 0);

  // The owner sees the host of the push service, but not the address, with which anybody could send to the device.
  const listed = await ask("GET", "/v1/push", { token: owner });
  assert.doesNotMatch(listed.text, /secret-path/);
  assert.deepEqual([parsed(listed).items.length, parsed(listed).items[0]?.name], [1, "Phone"]);
  const tried = await ask("POST", `${path}/test`, { token: owner });
  assert.deepEqual(JSON.parse(tried.text), { response: 201, problem: null });

  // The owner is still notified of a session that the viewer has muted or marked as seen.
  await server.session("main", "a");
  await ask("POST", "/v1/sessions/main/seen", { token: viewer.secret, body: { seq: 10_000 } });
  const muting = { mute: ["main"] };
  await ask("PATCH", "/v1/notifications", { token: viewer.secret, body: muting });
  await ask("POST", "/v1/sessions/main/prompts", { token: owner, body: { text: "hello" } });
  await service.until(2);
  const kinds = service.arrived.map((each) => JSON.parse(device.decrypt(each.body)).kind);
  assert.deepEqual(kinds, ["test", "finished"]);
});

test("attack: a revoked token cannot list devices, and a limited token cannot mark sessions of others as seen", async (context) => {
  const service = await startPushService(context);
  const server = await openTestServer(context, { allowPrivateWebhooks: true, pushGrace: 0 });
  const { ask, owner } = server;
  const other = await server.token("prompt", [`${server.folder}/a`]);
  const body = { endpoint: `${service.origin}/phone`, keys: createDevice().keys };
  await ask("POST", "/v1/push", { token: other.secret, body });
  await server.session("theirs", "b");
  const marked = await ask("POST", "/v1/sessions/theirs/seen", {
    token: other.secret,
    body: { seq: 1 },
  });
  assert.equal(marked.code, "unknownSession");
  await ask("DELETE", `/v1/tokens/${other.id}`, { token: owner });
  const refused = await waitFor(() => ask("GET", "/v1/push", { token: other.secret }), {
    describe: "the refusal of the revoked token",
    until: ({ status }) => status === 401,
  });
  assert.equal(refused.code, "unauthorized");
  const bad = { quietHours: { from: "22:00", to: "25:00", timeZone: "Mars/Olympus" } };
  const never = { quietHours: { from: "22:00", to: "22:00", timeZone: "UTC" } };
  for (const body of [bad, never]) {
    const wrong = await ask("PATCH", "/v1/notifications", { token: owner, body });
    assert.equal(wrong.code, "invalid");
  }
});

interface Parsed {
  readonly subscriptionId: string;
  readonly items: readonly { readonly name: string }[];
}

function parsed({ text }: Answered): Parsed {
  return JSON.parse(text);
}
