import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDemoAgent } from "../../src/agent/demo/demo-agent.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import { examine } from "../../src/store/doctor/doctor.ts";
import type { Examination } from "../../src/store/doctor/doctor.ts";
import { openSqliteReader } from "../../src/store/sqlite/reader.ts";

/** A valid store with all kinds of data. Tests damage copies of it. */
export interface SoundStore {
  readonly folder: string;
  readonly file: string;
  readonly childId: string;
  readonly backgroundId: string;
  close(): void;
}

export async function makeSoundStore(): Promise<SoundStore> {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
  const file = join(folder, "sound.db");
  const holdfast = await createRuntime({
    agent: createDemoAgent({ faults: true }),
    store: file,
    titles: false,
  });
  const sessionId = "main";
  await holdfast.createSession({ sessionId, directory: folder });
  const tell = async (promptId: string, text: string): Promise<void> => {
    await holdfast.prompt({ sessionId, promptId, text });
    await holdfast.wait({ sessionId, promptId });
  };
  const asked = tell("asked", "ask Is it?; tool read x");
  for await (const event of holdfast.events({ sessionId })) {
    if (event.type !== "ask.opened") continue;
    await holdfast.answer({ sessionId, askId: event.askId, verdict: "allow", text: "it is" });
    break;
  }
  await asked;
  await tell("parent", "child { say from the child }");
  await tell("behind", "background { say from behind }");
  const links: string[] = [];
  let childPrompt = "";
  for await (const event of holdfast.events({ sessionId })) {
    if (event.type === "child.linked") {
      links.push(event.childSessionId);
      childPrompt = event.childPromptId;
    }
    if (event.type === "prompt.settled" && event.promptId === `result:${childPrompt}`) break;
  }
  await tell("failing", "fail badKey");
  await holdfast.close();
  const [childId = "", backgroundId = ""] = links;
  assert.ok(childId !== "" && backgroundId !== "");
  return {
    folder,
    file,
    childId,
    backgroundId,
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** Runs the SQL on a copy of the store and returns the violations that doctor finds there. */
export async function examineAfter(store: SoundStore, sql: string): Promise<Examination> {
  const file = join(store.folder, "sick.db");
  copyFileSync(store.file, file);
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  const reader = await openSqliteReader({ file });
  try {
    return await examine(reader);
  } finally {
    await reader.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
  }
}
