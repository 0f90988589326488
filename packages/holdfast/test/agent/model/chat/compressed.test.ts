import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { openChatModel } from "../../../../src/agent/model/chat/chat-model.ts";
import { ModelError } from "../../../../src/agent/model/model.ts";
import { serveWeb } from "./web-server.ts";

test("an answer that is compressed although the request forbids it is refused with the reason", async (t) => {
  const asked: unknown[] = [];
  const baseURL = await serveWeb(t, ({ headers }, response) => {
    asked.push(headers["accept-encoding"]);
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync("data: [DONE]\n\n"));
  });
  const model = openChatModel({ name: "local", model: "m", settings: { baseURL } });
  const { stream } = await model.doStream({ prompt: [] });
  await assert.rejects(
    async () => stream[Symbol.asyncIterator]().next(),
    (error) => {
      const told = "local: the server compresses its answers although the request asked it not to";
      const advice = "the provider rejected the request";
      assert(error instanceof ModelError);
      assert.deepEqual(
        { kind: error.kind, message: error.message, asked },
        { kind: "invalid", message: `${told} (${advice})`, asked: ["identity"] },
      );
      return true;
    },
  );
});
