import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../client.ts";

/** Ctrl-G: edits the draft in $EDITOR. */
export async function editInProgram(client: Client): Promise<void> {
  const { VISUAL, EDITOR } = client.options.environment;
  const program = VISUAL ?? EDITOR ?? "vi";
  const folder = await mkdtemp(join(tmpdir(), "holdfast-draft-"));
  const file = join(folder, "prompt.md");
  try {
    await writeFile(file, client.editor.getExpandedText(), { mode: 0o600 });
    const code = await client.options.lend(() => exitOf(program, file));
    if (code !== 0) return client.say(`${program} ended with ${code}; the draft is unchanged`);
    client.editor.setText((await readFile(file, "utf8")).replace(/\n$/, ""));
  } catch (error) {
    client.fail(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
    client.changed();
  }
}

function exitOf(program: string, file: string): Promise<number | string> {
  return new Promise((resolve, reject) => {
    // Use a shell, because the user's editor command may contain options, such as "code --wait".
    const child = spawn("/bin/sh", ["-c", `${program} "$1"`, "sh", file], { stdio: "inherit" });
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(signal ?? code ?? 0));
  });
}
