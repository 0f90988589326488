import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { openTestServer } from "../security/test-server.ts";
import { readStream } from "../stream/reader.ts";
import { dial } from "./tiny-server.ts";

test("P5 idle connections above the limit are closed, and a run and its reader continue", async (t) => {
  const { serving, session, ask, owner, url } = await openTestServer(t, {
    limits: { maxConnections: 50 },
  });
  await session("s", "a");
  const headers = { authorization: `Bearer ${owner}` };
  const stream = await fetch(`${url}/v1/sessions/s/events`, { headers });
  const text = "words 20 every 20ms";
  const sent = { token: owner, body: { promptId: "p", text } };
  assert.equal((await ask("POST", "/v1/sessions/s/prompts", sent)).status, 202);
  const idle = await Promise.all(Array.from({ length: 400 }, () => dial(serving.server)));
  assert.ok(serving.server.connections() <= 50, `${serving.server.connections()} are open`);
  const prompt = await ask("GET", "/v1/sessions/s/prompts/p?wait=30", { token: owner });
  assert.match(prompt.text, /"status":"completed"/);
  await serving.server.stop();
  const events = await stream.text();
  assert.match(events, /event: prompt\.settled\n/);
  for (const { socket } of idle) socket.destroy();
});

test("M9 readers get the events until the deadline, and then `closed: draining`", async (t) => {
  const { serving, session, ask, owner, url } = await openTestServer(t);
  await session("s", "a");
  const headers = { authorization: `Bearer ${owner}` };
  const streams = await Promise.all(
    ["/v1/sessions/s/events", "/v1/events"].map((path) => fetch(url + path, { headers })),
  );
  const readers = streams.map(({ body }) => readStream(body));
  for (const reader of readers) await reader.until("live");
  const sent = { token: owner, body: { promptId: "p", text: "stall" } };
  await ask("POST", "/v1/sessions/s/prompts", sent);
  await waitFor(() => ask("GET", "/v1/sessions/s/prompts/p", { token: owner }), {
    describe: "a running prompt",
    until: ({ text }) => text.includes('"status":"running"'),
  });
  await ask("POST", "/v1/stop", { token: owner, body: { deadline: 300_000 } });
  await ask("POST", "/v1/sessions/s/cancel", { token: owner, body: {} });
  await serving.server.closed;
  for (const reader of readers) {
    const seen = await reader.until("closed");
    const names = seen.map(({ event }) => event);
    const notice = names.indexOf("draining");
    assert.ok(notice >= 0 && names.indexOf("prompt.settled") > notice, names.join(" "));
    assert.match(JSON.stringify(seen.at(-1)?.data), /^\{"reason":"draining"/);
  }
});
