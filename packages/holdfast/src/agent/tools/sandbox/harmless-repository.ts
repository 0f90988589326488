import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the reason why git could run a program that this repository selects; null if it could not. Only settings that
 * are known to be harmless, in the form that git itself writes, are accepted. Anything else counts as dangerous,
 * including an unreadable file.
 */
export async function dangerOf(gitFolder: string): Promise<string | null> {
  const names = await readdir(gitFolder).catch((): string[] => []);
  const unusual = ["commondir", "config.worktree"].find((name) => names.includes(name));
  if (unusual !== undefined) return `it has a file ${unusual}`;
  const hook = await hookIn(join(gitFolder, "hooks"));
  if (hook !== null) return `it has the hook ${hook}`;
  const config = await readFile(join(gitFolder, "config"), "utf8").catch(() => "");
  return unknownSetting(config);
}

/** Returns the first hook in a folder. Ignores the samples that `git init` creates. */
export async function hookIn(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.find((name) => !name.endsWith(".sample")) ?? null;
}

const settings: Readonly<Record<string, string>> = {
  core:
    "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks " +
    "autocrlf eol worktree",
  extensions: "objectformat refstorage",
  user: "name email",
  init: "defaultbranch",
  pull: "rebase ff",
  push: "default autosetupremote",
  remote: "url fetch",
  branch: "remote merge rebase",
  submodule: "url active",
};

const section = /^\[([a-z]+)(?: "[\w./@ -]+")?\]$/;
const setting = /^([a-z]+)(?:\s*=\s*([\w@.+~/: *-]*))?$/i;

function unknownSetting(config: string): string | null {
  let current = "";
  for (const line of config.split("\n").map((text) => text.trim())) {
    if (line === "") continue;
    const [, opened] = section.exec(line) ?? [];
    if (opened !== undefined) {
      current = opened;
      continue;
    }
    const [, name = "", value = ""] = setting.exec(line) ?? [];
    const known = settings[current]?.split(" ") ?? [];
    // A URL like `ext::command` runs a command.
    if (!known.includes(name.toLowerCase()) || value.includes("::")) {
      return `its config has the line ${JSON.stringify(line.slice(0, 100))}`;
    }
  }
  return null;
}
