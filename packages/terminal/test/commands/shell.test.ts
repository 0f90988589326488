import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { waitFor } from "../../../holdfast/test/support/wait-for.ts";
import { runShell } from "../../src/commands/shell.ts";
import { createKeyHandler } from "../../src/keys.ts";
import { openClient } from "../support/client.ts";

test("a shell command shows its output while it runs, and Esc stops all its processes", async (t) => {
  const { client, text } = openClient(t, { directory: tmpdir() });
  const notes: string[] = [];
  client.outbox.note = (note) => void notes.push(note);
  const ended = runShell(client, "echo it begins; sleep 600; echo never");
  await waitFor(() => / {2}it begins/.test(text()), { describe: "the output" });
  assert.match(text(), /! echo .* · Esc stops/);
  createKeyHandler(client).take("\u001b");
  // The command ends only when no process has its output open.
  await ended;
  assert.deepEqual(client.shell, null);
  assert.match(notes[0] ?? "", /\(ended by SIGTERM\)/);
});
