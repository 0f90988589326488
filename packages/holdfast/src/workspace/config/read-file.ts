import { lstat, opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../base/folders.ts";
import { FileProblem, readWhole } from "../../agent/tools/files.ts";
import { isInside, reasonOf } from "../../agent/tools/paths.ts";

export interface ReadFileOptions {
  /** Its real path must be in this folder; null for anywhere. */
  readonly within: string | null;
  readonly maxBytes: number;
}

export type FileText =
  | { readonly status: "read"; readonly text: string; readonly realPath: string }
  | { readonly status: "missing" }
  /** What is wrong with it, in words that follow its name. */
  | { readonly status: "unusable"; readonly message: string };

/** The text of a file that may be anything: hostile, huge, binary, a pipe, or not there at all. */
export async function readText(path: string, options: ReadFileOptions): Promise<FileText> {
  const { within, maxBytes } = options;
  try {
    const realPath = await realpath(path);
    if (within !== null && !isInside(realPath, within)) {
      return unusable("is a symbolic link that leads out of the project; put the file itself here");
    }
    const content = await readWhole(realPath, maxBytes);
    if (content === null) return { status: "missing" };
    const [first, second] = content.bytes;
    const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    if (isUtf16) return unusable("is not text in UTF-8 but in UTF-16; save it as UTF-8");
    if (content.bytes.includes(0)) return unusable("is a binary file; it must be text in UTF-8");
    // A byte order mark at the start is left out.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content.bytes);
    return { status: "read", text, realPath };
  } catch (error) {
    if (isMissing(error)) return (await isLink(path)) ? danglingLink : { status: "missing" };
    if (error instanceof TypeError) return unusable("is not text in UTF-8; save it as UTF-8");
    if (error instanceof FileProblem) return unusable(`can't be read: ${error.message}`);
    return unusable(`can't be read: ${reasonOf(error)}`);
  }
}

/** The names in a folder that end in `.md`, sorted; of a folder that is not there, none. */
export async function markdownNames(
  folder: string,
  options: { within: string | null },
): Promise<{ names: readonly string[]; message: string | null }> {
  const { within } = options;
  const names: string[] = [];
  try {
    const real = await realpath(folder);
    if (within !== null && !isInside(real, within)) {
      return { names, message: "is a symbolic link that leads out of the project" };
    }
    let seen = 0;
    for await (const entry of await opendir(real)) {
      seen += 1;
      if (seen > maxEntries) return { names: [], message: `has more than ${maxEntries} files` };
      if (entry.name.endsWith(".md") && !entry.name.startsWith(".")) names.push(entry.name);
    }
  } catch (error) {
    if (isMissing(error)) return { names, message: null };
    const code = error instanceof Error && "code" in error ? error.code : null;
    const message =
      code === "ENOTDIR" ? "is a file; it must be a folder" : `can't be read: ${reasonOf(error)}`;
    return { names, message };
  }
  if (names.length > maxFiles) return { names: [], message: `has more than ${maxFiles} files` };
  return { names: names.toSorted(), message: null };
}

const maxEntries = 5_000;
const maxFiles = 200;

/** `~` and relative paths, as people write them in a config. */
export function pathFrom(written: string, options: { folder: string; home: string }): string {
  const { folder, home } = options;
  if (written === "~") return home;
  if (written.startsWith("~/")) return join(home, written.slice(2));
  return written.startsWith("/") ? written : join(folder, written);
}

const danglingLink = unusable("is a symbolic link that leads nowhere");

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stat) => stat.isSymbolicLink(),
    () => false,
  );
}

function unusable(message: string): FileText {
  return { status: "unusable", message };
}
