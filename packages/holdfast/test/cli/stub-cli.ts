import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { scratchFolder } from "../support/scratch-folder.ts";
import { openCli } from "./test-cli.ts";
import type { TestCli } from "./test-cli.ts";

const program = join(import.meta.dirname, "../support/stub-agent.ts");

/** Opens a command line without a model, whose config has the hosted agent `stub`. */
export function openWithStub(
  t: TestContext,
  options: { config?: object; environment?: Record<string, string>; mode?: string } = {},
): TestCli {
  const home = scratchFolder(t, "hosted-cli");
  const env = { STUB_HOME: join(home, "stub"), STUB_MODE: options.mode ?? "" };
  const acp = { command: [process.execPath, program], env };
  mkdirSync(join(home, "holdfast"));
  const config = { agents: { stub: { acp } }, ...options.config };
  writeFileSync(join(home, "holdfast", "config.jsonc"), JSON.stringify(config));
  return openCli(t, { XDG_CONFIG_HOME: home, HOLDFAST_AGENT: "", ...options.environment });
}
