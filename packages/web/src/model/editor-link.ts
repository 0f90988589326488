/** Editors that can open a file through a URL. "none": the user has not chosen an editor. */
export const editors = ["none", "vscode", "cursor", "zed", "idea"] as const;
export type Editor = (typeof editors)[number];

export const editorNames: Readonly<Record<Exclude<Editor, "none">, string>> = {
  vscode: "VS Code",
  cursor: "Cursor",
  zed: "Zed",
  idea: "IntelliJ IDEA",
};

export interface FilePlace {
  /** Absolute path of the file. */
  readonly path: string;
  /** Directory of the session. */
  readonly directory: string;
  readonly line: number;
}

/**
 * Returns the address that opens a file in the user's editor. Null if the file must not be opened: an agent chooses the
 * names of files, so a name must not lead out of the session's directory, change the meaning of the address, or make
 * the editor open a project instead of a text.
 */
export function editorLink(editor: Editor, { path, directory, line }: FilePlace): string | null {
  if (editor === "none" || !isInside(path, directory) || !isPlainName(path)) return null;
  if (editor === "idea") return `idea://open?file=${encodeURIComponent(path)}&line=${line}`;
  return `${editor}://file${path.split("/").map(encodeURIComponent).join("/")}:${line}`;
}

/**
 * Whether a path, as it is written, is below the directory and has no `..` steps. The root directory counts as
 * containing no files.
 */
export function isInside(path: string, directory: string): boolean {
  const parts = path.split("/").slice(1);
  return (
    /^\/[^/]/.test(directory) &&
    path.startsWith(`${directory}/`) &&
    parts.every((part) => part !== "" && part !== "." && part !== "..")
  );
}

/**
 * Whether an editor opens the path as one text file. Excludes names that contain a line number such as ":7", because an
 * editor would cut the number off, and project files, because an editor would use their settings and tasks.
 */
function isPlainName(path: string): boolean {
  return (
    !/[\p{Cc}\\]/u.test(path) &&
    !/:\d+(?::|$)/.test(path) &&
    !/\.(?:code-workspace|ipr|iws)$/i.test(path)
  );
}

/** Whether the host name is that of the user's own machine. */
export function isThisMachine(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    /^127(?:\.\d{1,3}){3}$/.test(name)
  );
}
