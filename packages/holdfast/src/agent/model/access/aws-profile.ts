import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../../base/folders.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of one profile in the config files of the AWS CLI. */
export interface AwsProfile {
  readonly name: string;
  readonly settings: ReadonlyMap<string, string>;
}

/**
 * Reads the profile that the environment selects, else `default`. The credentials file takes precedence over the config
 * file.
 */
export async function readAwsProfile(environment: Environment): Promise<AwsProfile> {
  const name = given(environment, "AWS_PROFILE") ?? given(environment, "AWS_DEFAULT_PROFILE");
  const chosen = name ?? "default";
  const folder = join(environment["HOME"] ?? environment["USERPROFILE"] ?? "/", ".aws");
  const files = {
    config: given(environment, "AWS_CONFIG_FILE") ?? join(folder, "config"),
    credentials: given(environment, "AWS_SHARED_CREDENTIALS_FILE") ?? join(folder, "credentials"),
  };
  const title = chosen === "default" ? "default" : `profile ${chosen}`;
  const config = sectionIn(await textOf(files.config), title);
  const credentials = sectionIn(await textOf(files.credentials), chosen);
  return { name: chosen, settings: new Map([...config, ...credentials]) };
}

function given(environment: Environment, name: string): string | null {
  return environment[name]?.trim() || null;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

/** Returns the settings of a section. Ignores indented lines, which only add details to the setting above them. */
function sectionIn(text: string, title: string): readonly [string, string][] {
  let current = "";
  return text.split(/\r?\n/).flatMap((line): [string, string][] => {
    const heading = /^\[\s*(.+?)\s*\]/.exec(line)?.[1];
    if (heading !== undefined) current = heading.replaceAll(/\s+/g, " ");
    const [, key = "", value = ""] = /^([^\s#;=[]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return current === title && key !== "" ? [[key.toLowerCase(), value]] : [];
  });
}
