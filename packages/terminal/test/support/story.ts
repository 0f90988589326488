import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import { readFile } from "node:fs/promises";
import { startModelServer } from "../../../../gauntlet/model-server/model-server.ts";
import type { Script } from "../../../../gauntlet/model-server/script.ts";
import { serve } from "../../../holdfast/src/compose/serve.ts";
import type { Serving } from "../../../holdfast/src/compose/serve.ts";
import { serverSettings } from "../../../holdfast/test/support/server-settings.ts";
import { openPty } from "./pty.ts";
import type { Pty, PtyOptions } from "./pty.ts";

/** A project folder with a server, and terminals that find it. */
export interface Story {
  readonly folder: string;
  readonly holdfast: Holdfast;
  readonly serving: Serving;
  open(options?: Omit<PtyOptions, "folder">): Pty;
}

/** Starts a server with the demo agent, or with the model that the environment names. */
export async function openStory(
  test: { after(work: () => Promise<void>): void },
  environment: Record<string, string> = {},
): Promise<Story> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-terminal-")));
  const data = join(folder, "data", "holdfast");
  const settings = serverSettings(data);
  const serving = await serve({
    ...settings,
    environment: { ...settings.environment, ...environment },
  });
  await serving.server.ready;
  const token = (await readFile(join(data, "token"), "utf8")).trim();
  const terminals = new Set<Pty>();
  test.after(async () => {
    await Promise.all([...terminals].map((terminal) => terminal.close()));
    await serving.server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    folder,
    serving,
    holdfast: connect({ url: serving.server.url, token }),
    open: (options = {}) => {
      const terminal = openPty({ folder, ...options });
      terminals.add(terminal);
      return terminal;
    },
  };
}

/** A story with a model that answers from a script over a real socket. */
export async function openModelStory(
  test: { after(work: () => Promise<void>): void },
  script: Script,
): Promise<Story> {
  const model = await startModelServer(script);
  const story = await openStory(test, {
    HOLDFAST_BASE_URL: model.addresses.openaiChat,
    HOLDFAST_API_KEY: "sk-terminal",
    HOLDFAST_MODEL: "local/test",
    PATH: process.env["PATH"] ?? "",
  });
  test.after(() => model.close());
  return story;
}

/** Number of times that a text occurs. */
export function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
