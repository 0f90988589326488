import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Mutant {
  /** A copy of the source tree in which one protection is removed. */
  readonly source: string;
  remove(): void;
}

/** Copies the source tree and replaces one text in it, which must be there exactly once. */
export function makeMutant(change: { file: string; from: string; to: string }): Mutant {
  const root = join(import.meta.dirname, "../../..");
  const folder = mkdtempSync(join(tmpdir(), "holdfast-mutant-"));
  const source = join(folder, "src");
  cpSync(join(root, "src"), source, { recursive: true });
  symlinkSync(join(root, "../../node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const file = join(source, change.file);
  const parts = readFileSync(file, "utf8").split(change.from);
  if (parts.length !== 2) {
    rmSync(folder, { recursive: true });
    throw new Error(
      `${change.file} has ${parts.length - 1} places with the text to take out; name it anew:\n${change.from}`,
    );
  }
  writeFileSync(file, parts.join(change.to));
  return { source, remove: () => rmSync(folder, { recursive: true }) };
}
