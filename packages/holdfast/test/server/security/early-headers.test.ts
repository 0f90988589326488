import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { securityHeaders } from "../../../src/server/security/headers.ts";
import { openTestServer } from "./test-server.ts";

/** The response to raw bytes, until the connection is closed. */
function answerTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    socket.once("error", reject).once("end", () => resolve(text));
  });
}

test("early answers: a request that is refused before it is read gets the security headers", async (t) => {
  const { serving } = await openTestServer(t);
  const { port } = serving.server;
  const refused = {
    malformed: "GARBAGE\r\n\r\n",
    "header too large": `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"x".repeat(70_000)}\r\n\r\n`,
    proxy: "CONNECT example.org:443 HTTP/1.1\r\nhost: example.org\r\n\r\n",
    "bad host": "GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n",
    "no host": "GET / HTTP/1.1\r\nconnection: close\r\n\r\n",
  };
  const missing: string[] = [];
  for (const [name, bytes] of Object.entries(refused)) {
    const answer = (await answerTo(port, bytes)).toLowerCase();
    assert.match(answer, /^http\/1\.1 4\d\d /, name);
    for (const [header, value] of [...securityHeaders, ["cache-control", "no-store"] as const]) {
      if (!answer.includes(`${header}: ${value.toLowerCase()}`)) missing.push(`${name}: ${header}`);
    }
  }
  assert.deepEqual(missing, []);
});
