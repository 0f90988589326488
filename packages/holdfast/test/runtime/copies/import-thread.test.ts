import assert from "node:assert/strict";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { readInThread } from "../../../src/runtime/copies/import-thread.ts";
import { openSqlitePlace } from "../../runner/support/place.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { waitFor } from "../../support/wait-for.ts";

test("an import that is aborted while its directory is chosen lets the next import start", async (t) => {
  const { holdfast } = (await openSqlitePlace(t)).first;
  const pieces = (await Array.fromAsync(holdfast.exportSession("main"))).map((piece) =>
    Buffer.from(piece),
  );
  const client = new AbortController();
  const aborted = holdfast.importSession({
    document: pieces,
    sessionId: "aborted",
    signal: client.signal,
    chooseDirectory: () => {
      client.abort();
      return neverChosen;
    },
  });
  const next = holdfast.importSession({ document: pieces, sessionId: "next" });
  await assert.rejects(within(aborted, "the aborted import"), { name: "CommandRefused" });
  assert.equal((await within(next, "the next import")).sessionId, "next");
  assert.equal(await holdfast.store.lane("aborted"), null);
});

test("an import whose directory is not chosen in time is refused", async (t) => {
  const { holdfast } = (await openSqlitePlace(t)).first;
  const document = (await Array.fromAsync(holdfast.exportSession("main"))).join("");
  const files = openFiles(t, document);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const read = readInThread({
    ...files,
    secrets: [],
    signal: undefined,
    chooseDirectory: () => {
      t.mock.timers.tick(60_000);
      return neverChosen;
    },
  });
  await assert.rejects(read, {
    refusal: {
      code: "invalid",
      field: "document",
      message: "it took too long to read; import a shorter session",
    },
  });
  t.mock.timers.reset();
});

/** The directory that a file system which does not answer would return. */
const neverChosen = Promise.withResolvers<string>().promise;

function openFiles(t: TestContext, document: string): { file: number; contents: number } {
  const folder = scratchFolder(t, "import");
  const open = (name: string, content: string): number => {
    writeFileSync(join(folder, name), content);
    const file = openSync(join(folder, name), "r+");
    t.after(() => closeSync(file));
    return file;
  };
  return { file: open("document", document), contents: open("contents", "") };
}

/** Fails after the limit of `waitFor` if the work has not ended. */
function within<Value>(work: Promise<Value>, describe: string): Promise<Value> {
  return waitFor(() => work, { describe, until: () => true });
}
