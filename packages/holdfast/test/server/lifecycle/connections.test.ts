import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import type { RunningServer } from "../../../src/server/serve.ts";
import { codeIn, dial, served, startTiny } from "./tiny-server.ts";
import type { TinyOptions } from "./tiny-server.ts";

const question = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

test("P5 the number of idle connections is limited, and a new client is answered", async (t) => {
  const server = await startTiny(t, { limits: { maxConnections: 100 } });
  await server.ready;
  const lines = [];
  for (let count = 0; count < 2_000; count += 1) lines.push(await dial(server));
  const line = await dial(server, question);
  assert.match(await line.until("here"), /^HTTP\/1.1 200 /);
  assert.ok(server.connections() <= 100, `${server.connections()} are open`);
  for (const { socket } of lines) socket.destroy();
});

test("P5 if every connection is busy, a new one gets an error response", async (t) => {
  const going = Promise.withResolvers<Response>();
  const arrived = Promise.withResolvers<void>();
  let requests = 0;
  const server = await startTiny(t, {
    limits: { maxConnections: 2 },
    open: () =>
      Promise.resolve(
        served(() => {
          requests += 1;
          if (requests === 2) arrived.resolve();
          return going.promise.then((response) => response.clone());
        }),
      ),
  });
  await server.ready;
  const [one, two] = await Promise.all([dial(server, question), dial(server, question)]);
  await arrived.promise;
  const refused = await (await dial(server, question)).ended;
  assert.match(refused, /^HTTP\/1.1 503 Service Unavailable\r\n(.*\r\n)*retry-after: 1\r\n/);
  assert.deepEqual([codeIn(refused), requests], ["tooManyConnections", 2]);
  going.resolve(new Response("done"));
  assert.match(await one.until("done"), / 200 /);
  assert.match(await two.until("done"), / 200 /);
});

test("bad input: half a request, endless headers and garbage are answered and closed", async (t) => {
  const start = async (limits: TinyOptions["limits"]): Promise<RunningServer> => {
    const server = await startTiny(t, {
      limits: { maxHeaderBytes: 4_096, ...limits },
      open: () => Promise.resolve(served(async (request) => new Response(await request.text()))),
    });
    await server.ready;
    return server;
  };
  const impatient = await start({ headersTimeout: 100, requestTimeout: 200 });
  // On a slow machine, even a complete request may take longer than 100 ms.
  const patient = await start({});
  const body = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf";
  const cases: [words: string, status: number, code: string][] = [
    ["", 408, "timeout"],
    ["GET / HTTP/1.1\r\nHost: loc", 408, "timeout"],
    [body, 408, "timeout"],
    [`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(5_000)}`, 431, "headersTooLarge"],
    ["nonsense\r\n\r\n", 400, "invalid"],
    ["GET / HTTP/1.1\r\n\r\n", 400, "invalid"],
    ["GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "invalid"],
    ["CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, "methodNotAllowed"],
  ];
  const answered = cases.map(async ([words, status]) => {
    const line = await dial(status === 408 ? impatient : patient, words);
    const answer = await line.until("}}");
    line.socket.end();
    await line.ended;
    return [words, Number(answer.split(" ")[1]), codeIn(answer)];
  });
  assert.deepEqual(await Promise.all(answered), cases);
});

test("P5 a body that stops arriving is cut off, and one that makes progress is not", async (t) => {
  const server = await startTiny(t, {
    // A second, because the server cannot know whether the client pauses or the whole machine.
    limits: { bodyTimeout: 1_000, bodyProgress: 1_000 },
    open: () => Promise.resolve(served(async (request) => new Response(await request.text()))),
  });
  await server.ready;
  const head = "POST / HTTP/1.1\r\nHost: localhost\r\n";
  const [steady, dribbling] = await Promise.all([
    dial(server, `${head}Transfer-Encoding: chunked\r\n\r\n`),
    dial(server, `${head}Content-Length: 600000\r\n\r\n`),
  ]);
  let refused: string | null = null;
  void dribbling.ended.then((answer) => (refused = answer));
  // Send until the other request is cut off, and then for twice as long again.
  const startedAt = performance.now();
  let until = Infinity;
  await waitFor(
    () => {
      steady.socket.write(chunk("x".repeat(2_000)));
      if (refused === null) dribbling.socket.write("x");
      else if (until === Infinity) until = performance.now() + 2 * (performance.now() - startedAt);
      return performance.now() > until;
    },
    { describe: "the slow body to be cut off, and three times as long" },
  );
  steady.socket.write(`${chunk("y")}0\r\n\r\n`);
  assert.match(await steady.until("xy"), /^HTTP\/1.1 200 /);
  assert.equal(codeIn(refused ?? ""), "timeout");
});

function chunk(words: string): string {
  return `${words.length.toString(16)}\r\n${words}\r\n`;
}

test("P5 a response that nobody reads is dropped, and its memory is freed", async (t) => {
  const server = await startTiny(t, {
    limits: { readTimeout: 100 },
    open: () => Promise.resolve(served(() => new Response("x".repeat(16 * 1024 * 1024)))),
  });
  await server.ready;
  const line = await dial(server);
  line.socket.pause();
  line.socket.write(question);
  await waitFor(() => server.connections(), {
    describe: "no connection",
    until: (count) => count === 0,
  });
  line.socket.destroy();
});
