import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { configFolder } from "../../compose/stores.ts";

/** Settings of the terminal client. */
export interface TerminalSettings {
  /** True: print plain lines for a screen reader, and redraw nothing. */
  readonly screenReader: boolean;
  /** Null: the config names no theme. */
  readonly theme: string | null;
}

/**
 * Reads the settings from the user's own config. The client reads this file itself, because it draws its first screen
 * before it is connected to a server. A missing or broken file counts as empty: the server reports its problems.
 */
export async function readTerminalSettings(
  environment: NodeJS.ProcessEnv,
): Promise<TerminalSettings> {
  const { terminal = null } = await readUserConfig(environment);
  const named = typeof terminal === "object" && terminal !== null ? terminal : {};
  const isOn = "screenReader" in named && named.screenReader === true;
  return {
    screenReader: readFlag(environment["HOLDFAST_SCREEN_READER"]) ?? isOn,
    theme: "theme" in named && typeof named.theme === "string" ? named.theme : null,
  };
}

/** Reads an environment variable that is on or off. Returns null if the variable is not set. */
export function readFlag(value = ""): boolean | null {
  return value === "" ? null : !["0", "false", "no", "off"].includes(value.toLowerCase());
}

async function readUserConfig(
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly terminal?: unknown }> {
  const text = readText(join(configFolder(environment, homedir()), "config.jsonc"));
  // Loading the parser takes time, and most configs do not have these settings.
  if (!text.includes('"terminal"')) return {};
  const { parse } = await import("jsonc-parser");
  const value: unknown = parse(text, [], { allowTrailingComma: true });
  return typeof value === "object" && value !== null ? value : {};
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // There is no config, or it cannot be read.
    return "";
  }
}
