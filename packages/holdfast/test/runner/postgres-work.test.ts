import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sharedPostgres } from "../support/postgres.ts";
import type { SharedPostgres } from "../support/postgres.ts";
import { openPostgresPlace } from "./support/place.ts";
import { createWorkbench } from "./support/workbench.ts";

const sessionId = "main";

let server: SharedPostgres;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.stop());

test("M8 L3 if the requester dies, another node executes its queued operation; a started one is ended", async (t) => {
  const bench = createWorkbench();
  const url = await server.createDatabase();
  const place = await openPostgresPlace(t, { url, runtimes: 1, leaseTtl: 1_500 });
  const requester = place.first;
  const input = { files: ["x"] };
  // A process that is shutting down accepts the request, but starts no operation.
  await requester.holdfast.drain();
  await requester.holdfast.queueWork({ sessionId, workId: "w1", name: "tidy", input });
  await requester.crash();

  const works = { tidy: bench.handler };
  const second = await place.open({ works });
  const piece = await bench.next();
  assert.deepEqual([piece.context.workId, piece.context.input], ["w1", input]);
  piece.context.signal.addEventListener("abort", () => piece.end(null));
  await second.crash();
  assert.equal(piece.context.signal.aborted, true);

  // Another process cannot continue an operation: it is released, and the next one may start.
  const third = await place.open({ works });
  const released = await third.holdfast.waitWork({ sessionId, workId: "w1" });
  await third.holdfast.queueWork({ sessionId, workId: "w2", name: "tidy", input: null });
  (await bench.next()).end("mine");
  const mine = await third.holdfast.waitWork({ sessionId, workId: "w2" });
  assert.deepEqual(
    [released?.cause, released?.result, mine?.cause, mine?.result],
    ["takeover", null, "done", { status: "completed", value: "mine" }],
  );
});
