import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { post } from "../../../../src/agent/model/chat/post.ts";
import type { Posted, Posting } from "../../../../src/agent/model/chat/post.ts";
import { serveWeb } from "./web-server.ts";
import type { Seen } from "./web-server.ts";

const headers = { Authorization: "Bearer key", "content-type": "application/json" };

test("a redirect is followed within the host; another host gets neither the key nor the prompt", async (t) => {
  const seen: string[] = [];
  const note = ({ method, url, headers: { authorization }, body }: Seen): void =>
    void seen.push(`${method} ${url} ${authorization} ${body}`);
  const other = await serveWeb(t, (request, response) => {
    note(request);
    response.end("there");
  });
  const own = await serveWeb(t, (request, response) => {
    note(request);
    const location = request.url === "/v1" ? "/v2" : `${other}/v3`;
    response.writeHead(request.url === "/v1" ? 308 : 301, { location }).end("moved");
  });
  await assert.rejects(posted(own + "/v1"), {
    message:
      `${own} redirects to ${other}, and the API key is meant for ${own} only. ` +
      "If the new address is right, set it as the base URL.",
  });
  assert.deepEqual(seen, ["POST /v1 Bearer key words", "POST /v2 Bearer key words"]);
});

test("a redirect loop ends with an error", async (t) => {
  const url = await serveWeb(t, (_, response) => {
    response.writeHead(307, { location: "/again" }).end();
  });
  await assert.rejects(posted(url), { message: `${url} redirects more than 5 times` });
});

test("a connection that was closed while idle is replaced by a new one", async (t) => {
  let requests = 0;
  const url = await serveWeb(t, (_, response) => {
    requests += 1;
    if (requests === 2) response.socket?.destroy();
    else response.end("ok");
  });
  const bodies: string[] = [];
  for (let round = 0; round < 2; round += 1) bodies.push(await read((await posted(url)).body));
  assert.deepEqual({ bodies, requests }, { bodies: ["ok", "ok"], requests: 3 });
});

test("an answer that breaks off on a reused connection is not requested again", async (t) => {
  let requests = 0;
  const begun = Promise.withResolvers<ServerResponse>();
  const url = await serveWeb(t, (_, response) => {
    requests += 1;
    if (requests !== 2) return void response.end("ok");
    response.write("half");
    begun.resolve(response);
  });
  assert.equal(await read((await posted(url)).body), "ok");
  const { body } = await posted(url);
  const chunks = body[Symbol.asyncIterator]();
  assert.equal(String((await chunks.next()).value), "half");
  (await begun.promise).socket?.resetAndDestroy();
  await assert.rejects(chunks.next(), { code: "ECONNRESET" });
  // A repeated request would arrive before this one.
  assert.equal(await read((await posted(url)).body), "ok");
  assert.equal(requests, 3);
});

test("a connection that is closed before its first answer is an error", async (t) => {
  const url = await serveWeb(t, (_, response) => void response.socket?.destroy());
  await assert.rejects(posted(url), { code: "ECONNRESET" });
});

test("C5 an abort cuts the answer off, before it begins and in its middle", async (t) => {
  const begun = Promise.withResolvers<ServerResponse>();
  const url = await serveWeb(t, ({ body }, response) => {
    if (body === "words") response.write("first");
    begun.resolve(response);
  });
  const [early, late, never] = [1, 2, 3].map(() => new AbortController());
  assert(early !== undefined && late !== undefined && never !== undefined);

  early.abort(new Error("too early"));
  await assert.rejects(posted(url, { signals: [never.signal, early.signal] }), /too early/);

  const { body } = await posted(url, { signals: [late.signal, never.signal] });
  const chunks = body[Symbol.asyncIterator]();
  const { value } = await chunks.next();
  assert.equal(String(value), "first");
  late.abort(new Error("late"));
  await assert.rejects(chunks.next());
  const response = await begun.promise;
  if (!response.destroyed) await new Promise((resolve) => response.once("close", resolve));

  const waiting = new AbortController();
  const unanswered = posted(url, { body: "silence", signals: [waiting.signal] });
  waiting.abort(new Error("no patience"));
  await assert.rejects(unanswered, /no patience/);
});

test("an abort in the last chunk of an answer causes no unhandled error", async (t) => {
  const url = await serveWeb(t, (_, response) => void response.end("whole"));
  const controller = new AbortController();
  const { body } = await posted(url, { signals: [controller.signal] });
  const tooLong = new Error("too long");
  const reading = async (): Promise<void> => {
    for await (const _ of body) {
      controller.abort(tooLong);
      throw tooLong;
    }
  };
  await assert.rejects(reading(), tooLong);
  // The socket would report its error in one of the next ticks.
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await read((await posted(url)).body), "whole");
});

function posted(url: string, more: Partial<Posting> = {}): Promise<Posted> {
  return post({ url, headers, body: "words", signals: [], ...more });
}

async function read(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
