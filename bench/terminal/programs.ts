import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codexProgram } from "../../gauntlet/targets/codex.ts";
import { opencodeProgram, opencodeVersion } from "../../gauntlet/targets/opencode-server.ts";
import type { ModelServer } from "../../gauntlet/model-server/model-server.ts";
import type { Story } from "../../packages/terminal/test/support/story.ts";
import type { PtyOptions } from "../../packages/terminal/test/support/pty.ts";

/** A terminal program into which a person types prompts. */
export interface Program {
  readonly name: string;
  readonly options: Omit<PtyOptions, "folder">;
  /** Matches the text on the screen when the program is ready for a prompt. */
  readonly ready: RegExp;
}

/** Timeout in milliseconds for a start or an answer. It is long, because the first start prepares folders. */
const patience = 120_000;

/** Holdfast's installed program, started from the given file. */
export function holdfastProgram(file: string): Program {
  const shell = `exec '${process.execPath}' '${file}'`;
  return { name: "holdfast", options: { shell, patience }, ready: /❯/ };
}

/** opencode and Codex, with the model server of this benchmark. */
export async function otherPrograms(
  { folder }: Story,
  model: ModelServer,
  progress: (message: string) => void,
): Promise<readonly Program[]> {
  const opencode = await opencodeProgram(progress);
  const codex = await codexProgram(progress);
  writeOpencode(join(folder, "config/opencode"), model.addresses.openaiChat);
  writeCodex(folder, model.addresses.openaiResponses);
  return [
    {
      name: `opencode ${opencodeVersion}`,
      options: {
        shell: `exec '${opencode}'`,
        patience,
        environment: {
          OPENCODE_DISABLE_AUTOUPDATE: "1",
          OPENCODE_DISABLE_MODELS_FETCH: "1",
          OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        },
      },
      ready: /Ask anything/,
    },
    {
      name: "codex",
      options: { shell: `exec '${codex}'`, patience, environment: { LOCAL_KEY: "key" } },
      ready: /Ask Codex to do anything/,
    },
  ];
}

function writeOpencode(folder: string, baseURL: string): void {
  const local = {
    npm: "@ai-sdk/openai-compatible",
    options: { baseURL, apiKey: "key" },
    models: { test: {} },
  };
  const config = { autoupdate: false, share: "disabled", provider: { local }, model: "local/test" };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
}

function writeCodex(folder: string, address: string): void {
  mkdirSync(join(folder, ".codex"));
  writeFileSync(
    join(folder, ".codex/config.toml"),
    `model = "test"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.local]
name = "Local"
base_url = "${address}"
wire_api = "responses"
env_key = "LOCAL_KEY"
[projects."${folder}"]
trust_level = "trusted"
`,
  );
}
