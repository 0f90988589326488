import { lstat, opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../base/folders.ts";
import { FileProblem, readWhole } from "../../agent/tools/files.ts";
import { isInside, reasonOf } from "../../agent/tools/paths.ts";

export interface ReadFileOptions {
  /** Folder that must contain the real path of the file. Null: any folder. */
  readonly root: string | null;
  readonly maxBytes: number;
}

export type FileText =
  | { readonly status: "read"; readonly text: string; readonly realPath: string }
  | { readonly status: "missing" }
  /** The file cannot be used. The message is shown after the file name. */
  | { readonly status: "unusable"; readonly message: string };

/** Reads a file that may be hostile, huge, binary, a pipe, or missing. */
export async function readText(path: string, options: ReadFileOptions): Promise<FileText> {
  const { root, maxBytes } = options;
  try {
    const realPath = await realpath(path);
    if (root !== null && !isInside(realPath, root)) {
      return unusable(
        "is a symbolic link to a place outside of the project; put the file itself here",
      );
    }
    const content = await readWhole(realPath, maxBytes);
    if (content === null) return { status: "missing" };
    const [first, second] = content.bytes;
    const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    if (isUtf16) return unusable("is UTF-16 text; save it as UTF-8");
    if (content.bytes.includes(0)) return unusable("is a binary file; it must be UTF-8 text");
    // Decoding also removes a byte order mark.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content.bytes);
    return { status: "read", text, realPath };
  } catch (error) {
    if (isMissing(error)) return (await isLink(path)) ? danglingLink : { status: "missing" };
    if (error instanceof TypeError) return unusable("is not UTF-8 text; save it as UTF-8");
    if (error instanceof FileProblem) return unusable(`cannot be read: ${error.message}`);
    return unusable(`cannot be read: ${reasonOf(error)}`);
  }
}

/** Returns the sorted names of `.md` files in a folder. Empty if the folder does not exist. */
export async function markdownNames(
  folder: string,
  options: { root: string | null },
): Promise<{ names: readonly string[]; message: string | null }> {
  const { root } = options;
  const names: string[] = [];
  try {
    const real = await realpath(folder);
    if (root !== null && !isInside(real, root)) {
      return { names, message: "is a symbolic link to a place outside of the project" };
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
      code === "ENOTDIR" ? "is a file; it must be a folder" : `cannot be read: ${reasonOf(error)}`;
    return { names, message };
  }
  if (names.length > maxFiles) return { names: [], message: `has more than ${maxFiles} files` };
  return { names: names.toSorted(), message: null };
}

const maxEntries = 5_000;
const maxFiles = 200;

/** Returns the absolute path for a path in a config, which may be relative or start with `~`. */
export function pathFrom(written: string, options: { folder: string; home: string }): string {
  const { folder, home } = options;
  if (written === "~") return home;
  if (written.startsWith("~/")) return join(home, written.slice(2));
  return written.startsWith("/") ? written : join(folder, written);
}

const danglingLink = unusable("is a broken symbolic link");

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (stat) => stat.isSymbolicLink(),
    () => false,
  );
}

function unusable(message: string): FileText {
  return { status: "unusable", message };
}
