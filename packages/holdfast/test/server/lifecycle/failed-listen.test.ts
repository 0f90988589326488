import assert from "node:assert/strict";
import { test } from "node:test";
import { startServer } from "../../../src/server/serve.ts";
import { served } from "./tiny-server.ts";

test("a server that cannot listen leaves no interval", async (t) => {
  const begun = t.mock.method(globalThis, "setInterval").mock;
  const ended = t.mock.method(globalThis, "clearInterval").mock;
  const starting = startServer({
    host: "192.0.2.1",
    port: 0,
    version: "",
    discoveryFile: "/nowhere/server.json",
    stopCommand: () => "",
    announce: () => Promise.reject(new Error("it does not start")),
    isBackground: false,
    deadline: 0,
    open: () => Promise.resolve(served()),
  });
  await assert.rejects(starting, { code: "listen" });
  assert.equal(begun.callCount(), 1);
  assert.equal(ended.calls[0]?.arguments[0], begun.calls[0]?.result);
});
