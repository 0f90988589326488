import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../agent/coding/until.ts";
import { openHouse } from "../security/house.ts";
import { dial } from "./tiny-server.ts";

test("P5 idle connections beyond the limit are ended, and a run and its reader go on", async (t) => {
  const { serving, session, ask, owner, url } = await openHouse(t, {
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

test("M9 readers get what a run still does in its time, and then `closed: draining`", async (t) => {
  const { serving, session, ask, owner, url } = await openHouse(t);
  await session("s", "a");
  const headers = { authorization: `Bearer ${owner}` };
  const streams = await Promise.all(
    ["/v1/sessions/s/events", "/v1/events"].map((path) => fetch(url + path, { headers })),
  );
  const texts = streams.map((stream) => stream.text());
  const sent = { token: owner, body: { promptId: "p", text: "wait 100ms; say the end" } };
  await ask("POST", "/v1/sessions/s/prompts", sent);
  await until(async () => {
    const { text } = await ask("GET", "/v1/sessions/s/prompts/p", { token: owner });
    return text.includes('"status":"running"');
  });
  await ask("POST", "/v1/stop", { token: owner, body: { deadline: 5_000 } });
  await serving.server.closed;
  for (const text of await Promise.all(texts)) {
    const names = [...text.matchAll(/^event: (?<name>.+)$/gm)].map(
      ({ groups }) => groups?.["name"],
    );
    const settled = names.indexOf("prompt.settled");
    const told = names.indexOf("draining");
    assert.ok(told > 0 && settled > told, text);
    assert.equal(names.at(-1), "closed");
    assert.match(text, /event: closed\ndata: \{"reason":"draining"/);
  }
});
