import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionHandle } from "@holdfast/sdk";
import type { BrowserContextOptions } from "playwright-core";
import { startModelServer } from "../../../../gauntlet/model-server/model-server.ts";
import { asks, says } from "../../../../gauntlet/model-server/script.ts";
import type { ModelCall, Reply } from "../../../../gauntlet/model-server/script.ts";
import { openUserPage } from "./user-page.ts";
import type { UserPage } from "./user-page.ts";
import { openWebServer } from "./web-server.ts";
import type { WebServer } from "./web-server.ts";

/** A server whose coding agent uses a model that follows a script. */
export interface ScriptedServer extends WebServer {
  /** A project directory for sessions. */
  readonly project: string;
  /** Opens the page of a new session. The caller closes the page. */
  readonly openSession: (
    options?: BrowserContextOptions,
  ) => Promise<{ user: UserPage; session: SessionHandle }>;
}

export type ToolCalls = readonly { readonly name: string; readonly input: unknown }[];

/**
 * The model answers a prompt with these steps of tool calls, in order, and then with "Done.". `script` gets the text of
 * the last prompt.
 */
export async function openScriptedServer(
  script: (prompt: string) => readonly ToolCalls[],
): Promise<ScriptedServer> {
  await using opening = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), "holdfast-scripted-"));
  opening.defer(() => rmSync(root, { recursive: true }));
  const model = await startModelServer((call) => nextReply(call, script));
  opening.defer(() => model.close());
  const config = join(root, "config", "holdfast");
  const project = join(root, "project");
  mkdirSync(config, { recursive: true });
  mkdirSync(project);
  const baseUrl = model.addresses.openaiChat;
  writeFileSync(
    join(config, "config.jsonc"),
    JSON.stringify({ model: "lab/usual", providers: { lab: { baseUrl, key: "{env:LAB_KEY}" } } }),
  );
  const server = await openWebServer({
    PATH: process.env["PATH"] ?? "",
    XDG_CONFIG_HOME: join(root, "config"),
    LAB_KEY: "sk-lab-4711",
  });
  opening.defer(() => server.close());
  const first = await openUserPage(server.browser, await server.link());
  await first.page.locator(".sidebar").waitFor();
  const storageState = await first.page.context().storageState();
  await first.close();
  const opened = opening.move();
  return {
    ...server,
    project,
    openSession: async (options = {}) => {
      const session = await server.holdfast.sessions.create({ directory: project });
      const address = `${server.url}/sessions/${session.sessionId}`;
      const user = await openUserPage(server.browser, address, { storageState, ...options });
      return { user, session };
    },
    close: () => opened.disposeAsync(),
  };
}

function nextReply(
  { messages }: ModelCall,
  script: (prompt: string) => readonly ToolCalls[],
): Reply {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const step = messages.slice(asked).filter(({ role }) => role === "assistant").length;
  const calls = script(messages[asked]?.text ?? "")[step];
  if (calls === undefined) return says("Done.");
  return asks(...calls.map((call, index) => ({ id: `call${asked}-${step}-${index}`, ...call })));
}
