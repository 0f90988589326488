import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { openTestServer } from "./test-server.ts";
import type { Asked } from "./test-server.ts";

const json = { "content-type": "application/json" };
const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

const cases: [
  name: string,
  method: string,
  path: string,
  asked: Asked,
  expected: [number, string],
][] = [
  ["malformed JSON", "POST", "/v1/sessions", { body: bytes("{"), headers: json }, [400, "badJson"]],
  ["an empty body", "POST", "/v1/sessions", { headers: json }, [400, "invalid"]],
  ["no object", "POST", "/v1/sessions", { body: [1] }, [400, "invalid"]],
  ["null", "POST", "/v1/sessions", { body: null }, [400, "invalid"]],
  ["a wrong type", "POST", "/v1/sessions", { body: { directory: 5 } }, [400, "invalid"]],
  [
    "an unknown field",
    "POST",
    "/v1/sessions",
    { body: { directory: "/", x: 1 } },
    [400, "invalid"],
  ],
  [
    "__proto__",
    "POST",
    "/v1/sessions",
    { body: bytes('{"directory":"/","__proto__":{}}'), headers: json },
    [400, "invalid"],
  ],
  [
    "invalid UTF-8",
    "POST",
    "/v1/sessions",
    { body: bytes('{"directory":"/\xff"}'), headers: json },
    [400, "badJson"],
  ],
  [
    "half a surrogate",
    "POST",
    "/v1/sessions/main/prompts",
    { body: bytes('{"text":"\\ud800"}'), headers: json },
    [400, "invalid"],
  ],
  ["NUL in a directory", "POST", "/v1/sessions", { body: { directory: "/\0" } }, [400, "invalid"]],
  [
    "a relative directory",
    "POST",
    "/v1/sessions",
    { body: { directory: "tmp" } },
    [400, "invalid"],
  ],
  [
    "a control character in a title",
    "PATCH",
    "/v1/sessions/main",
    { body: { title: "a\x1b[2J" } },
    [400, "invalid"],
  ],
  ["nothing to change", "PATCH", "/v1/sessions/main", { body: {} }, [400, "invalid"]],
  [
    "an id of dots",
    "POST",
    "/v1/sessions",
    { body: { directory: "/", sessionId: ".." } },
    [400, "invalid"],
  ],
  [
    "a form",
    "POST",
    "/v1/sessions",
    { body: bytes("a=b"), headers: { "content-type": "application/x-www-form-urlencoded" } },
    [415, "badContentType"],
  ],
  ["no content type", "POST", "/v1/sessions", { body: bytes("{}") }, [415, "badContentType"]],
  [
    "another charset",
    "POST",
    "/v1/sessions",
    { body: bytes("{}"), headers: { "content-type": "application/json; charset=utf-16" } },
    [415, "badContentType"],
  ],
  [
    "a compressed body",
    "POST",
    "/v1/sessions",
    { body: bytes("x"), headers: { ...json, "content-encoding": "gzip" } },
    [415, "badContentType"],
  ],
  [
    "nesting without end",
    "POST",
    "/v1/sessions/import?directory=/",
    { body: bytes(`{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`), headers: json },
    [400, "invalid"],
  ],
  ["an unknown route", "GET", "/v2/sessions", {}, [404, "unknownRoute"]],
  ["a slash too many", "GET", "/v1/sessions/", {}, [404, "unknownRoute"]],
  ["an unknown session", "GET", "/v1/sessions/nobody", {}, [404, "unknownSession"]],
  [
    "an unknown session's prompts",
    "GET",
    "/v1/sessions/nobody/prompts",
    {},
    [404, "unknownSession"],
  ],
  [
    "an unknown session's prompt",
    "GET",
    "/v1/sessions/nobody/prompts/a",
    {},
    [404, "unknownSession"],
  ],
  ["an unknown prompt", "DELETE", "/v1/sessions/main/prompts/nothing", {}, [404, "unknownPrompt"]],
  ["an escaped slash", "GET", "/v1/sessions/a%2Fb", {}, [400, "invalid"]],
  ["an escaped way up", "GET", "/v1/sessions/..%2F..%2Fetc%2Fpasswd", {}, [400, "invalid"]],
  ["a way up", "GET", "/v1/sessions/../../etc/passwd", {}, [404, "unknownRoute"]],
  ["an escaped dot segment", "GET", "/v1/sessions/%2e%2e", {}, [404, "unknownRoute"]],
  ["NUL in an id", "GET", "/v1/sessions/main%00", {}, [400, "invalid"]],
  ["a bad escape", "GET", "/v1/sessions/%E0%A4%A", {}, [400, "invalid"]],
  ["a long id", "GET", `/v1/sessions/${"a".repeat(201)}`, {}, [400, "invalid"]],
  ["an id twice escaped", "GET", "/v1/sessions/%252F", {}, [400, "invalid"]],
  ["a number that is none", "GET", "/v1/sessions?limit=1e2", {}, [400, "invalid"]],
  ["a number too large", "GET", "/v1/sessions?limit=501", {}, [400, "invalid"]],
  ["an empty number", "GET", "/v1/sessions?limit=", {}, [400, "invalid"]],
  ["a flag that is none", "GET", "/v1/sessions?archived=yes", {}, [400, "invalid"]],
  ["a name twice", "GET", "/v1/sessions?limit=1&limit=2", {}, [400, "invalid"]],
  ["an unknown name", "GET", "/v1/sessions?wiat=5", {}, [400, "invalid"]],
  ["event 0", "GET", "/v1/sessions/main/events/0", {}, [400, "invalid"]],
  ["a hash that is none", "GET", "/v1/attachments/abc", {}, [400, "invalid"]],
  ["a bad cursor of prompts", "GET", "/v1/sessions/main/prompts?after=x", {}, [400, "badCursor"]],
  ["a bad cursor of messages", "GET", "/v1/sessions/main/messages?after=x", {}, [400, "badCursor"]],
  ["a bad cursor of runs", "GET", "/v1/sessions/main/runs?after=-1", {}, [400, "badCursor"]],
  ["a bad cursor of asks", "GET", "/v1/sessions/main/asks?after=x", {}, [400, "badCursor"]],
  ["a bad cursor of all asks", "GET", "/v1/asks?after=x", {}, [400, "badCursor"]],
  [
    "a large body",
    "POST",
    "/v1/sessions",
    { body: { directory: `/${"a".repeat(70_000)}` } },
    [413, "tooLarge"],
  ],
];

test("bad requests are refused with a code, over a socket and in process", async (t) => {
  const { ask, askSocket } = await openTestServer(t);
  for (const [name, method, path, asked, expected] of cases) {
    // Over a socket the path is sent unchanged; in process it is normalised first.
    for (const way of [ask, askSocket]) {
      const { status, code } = await way(method, path, asked);
      assert.deepEqual([status, code], expected, name);
    }
  }
  const { json: sessions } = await ask("GET", "/v1/sessions");
  assert.equal(sessions.items.length, 1);
});

test("validation errors are in plain words", async (t) => {
  const { ask } = await openTestServer(t);
  const prompts = "/v1/sessions/main/prompts";
  const exporting = "`holdfast export` and GET /v1/sessions/{sessionId}/export write them";
  const said: [method: string, path: string, body: unknown, message: string][] = [
    ["GET", `${prompts}/a?wait=-1`, undefined, "wait: must be a whole number from 0 to 3600"],
    ["GET", "/v1/sessions?limit=0", undefined, "limit: must be a whole number from 1 to 500"],
    ["GET", "/v1/sessions/main/events/x", undefined, "seq: must be a whole number from 1 on"],
    ["GET", "/v1/sessions?archived=yes", undefined, "archived: must be true or false"],
    ["GET", "/v1/sessions?wiat=5", undefined, 'the query: unknown field "wiat"'],
    ["PATCH", "/v1/sessions/main", { title: "" }, "title: must not be empty"],
    ["PATCH", "/v1/sessions/main", { title: 5 }, "title: must be a string, not a number"],
    ["POST", "/v1/sessions/import", {}, `this is not an exported session; ${exporting}`],
    ["POST", "/v1/sessions", {}, "directory: is missing"],
    ["POST", "/v1/sessions", [1], "the body: must be an object, not a list"],
    ["POST", prompts, { text: "a", maxRunTime: 0.5 }, wholeTime],
    ["POST", prompts, { text: "a", delivery: "now" }, `delivery: must be one of ${deliveries}`],
    ["POST", prompts, { text: "a", maxRunTime: -1 }, "maxRunTime: must be at least 0"],
    [
      "POST",
      prompts,
      { text: "a", attachments: Array(21).fill("a") },
      "attachments: must have at most 20 entries",
    ],
  ];
  for (const [method, path, body, message] of said) {
    const { json } = await ask(method, path, body === undefined ? {} : { body });
    assert.equal(json.error.message, message);
  }
});

const deliveries = "queue, steer, interrupt, ifIdle";
const wholeTime = "maxRunTime: must be a whole number, not a fraction";

test("an unsupported method gets the list of supported ones", async (t) => {
  const { ask } = await openTestServer(t);
  const tries = [
    ["PUT", "/v1/sessions", "POST, GET, HEAD"],
    ["POST", "/v1/sessions/main", "GET, HEAD, PATCH, DELETE"],
    ["DELETE", "/docs", "GET, HEAD"],
  ];
  for (const [method = "", path = "", allow] of tries) {
    const { status, code, headers } = await ask(method, path);
    assert.deepEqual([status, code, headers.get("allow")], [405, "methodNotAllowed", allow]);
  }
  const asked = await ask("OPTIONS", "/v1/sessions/main");
  assert.deepEqual(
    [asked.status, asked.headers.get("allow"), asked.text],
    [204, "GET, HEAD, PATCH, DELETE", ""],
  );
  const head = await ask("HEAD", "/v1/sessions/main/events");
  assert.deepEqual([head.status, head.headers.get("allow")], [405, "GET"]);
  const found = await ask("HEAD", "/v1/sessions/main");
  assert.deepEqual([found.status, found.text], [200, ""]);
});

test("an incomplete request changes nothing, and the next one is answered", async (t) => {
  const { ask, port, place } = await openTestServer(t);
  const lines = [
    "POST /v1/sessions/main/prompts HTTP/1.1",
    "host: localhost",
    "content-type: application/json",
    "content-length: 1000",
    "",
    '{"promptId":"half","text":"hel',
  ];
  const socket = connect(port, "127.0.0.1");
  socket.write(lines.join("\r\n"));
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  socket.destroy();
  assert.equal((await ask("GET", "/v1/sessions/main/prompts")).json.items.length, 0);
  assert.deepEqual(await place.types(), ["session.created"]);
});

test("a body without a length is not read past the limit", async (t) => {
  const { app } = await openTestServer(t);
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      pulled += 1;
      controller.enqueue(new Uint8Array(16 * 1024).fill(32));
    },
  });
  const init = { method: "POST", body, duplex: "half", headers: json } as const;
  const response = await app.fetch(new Request("http://localhost/v1/sessions", init));
  assert.equal(response.status, 413);
  assert.ok(pulled < 10, `${pulled} pieces were read`);
});
