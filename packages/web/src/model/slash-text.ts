/** A text that begins with a slash and the name of a command. */
export interface SlashText {
  readonly name: string;
  /** The text after the name. */
  readonly rest: string;
}

/** Top-level folders of Linux and macOS. A text such as "/tmp is full" is about the folder. */
const rootFolders = new Set(
  (
    "Applications Library System Users Volumes bin boot dev etc home lib lib64 media mnt nix opt private proc root " +
    "run sbin snap srv sys tmp usr var"
  ).split(" "),
);

/**
 * Parses a text as a command. Returns null if the text is a prompt, even one that begins with a path. `names`: known
 * commands.
 */
export function parseSlash(text: string, names: readonly string[]): SlashText | null {
  const match = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(text);
  if (match === null) return null;
  const [, name = "", rest = ""] = match;
  return rootFolders.has(name) && !names.includes(name) ? null : { name, rest };
}
