import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "@holdfast/sdk";
import type { Browser, Page } from "playwright-core";
import { createServer } from "vite";
import type { ViteDevServer } from "vite";
import { openPlace } from "../packages/holdfast/test/server/lifecycle/server-process.ts";
import type { ServerPlace } from "../packages/holdfast/test/server/lifecycle/server-process.ts";
import { program } from "../packages/holdfast/test/support/program.ts";
import { waitFor } from "../packages/holdfast/test/support/wait-for.ts";
import { launchBrowser } from "../packages/web/test/support/browser.ts";
import { readArguments } from "./read-arguments.ts";
import { openScratch } from "./scratch.ts";

readArguments({
  usage: `npm run clients

Installs clients of other vendors from npm: the MCP inspector, and useChat for the example page.
Each client sends a prompt, the server is killed with kill -9 during the run, and the client must
get the outcome.`,
  options: {},
});

const packages = [
  "@modelcontextprotocol/inspector@2.12.0",
  "@ai-sdk/react@4.0.167",
  "react@19.3.1",
  "react-dom@19.3.1",
];
const repository = join(import.meta.dirname, "..");
const prompt = "say before; wait 2s; say after";

const scratch = openScratch();
// Holdfast gets a home of its own, because the user's config must not change the result.
const home = join(scratch.folder, "home");
const ownHome = { HOME: home, XDG_CONFIG_HOME: join(home, ".config") };
const place = openPlace({ environment: ownHome });
try {
  writeFileSync(join(scratch.folder, "package.json"), '{ "private": true, "type": "module" }');
  await run("npm", ["install", "--no-audit", "--no-fund", "--save-exact", ...packages]);
  await driveInspector(place);
  console.log("MCP inspector: the outcome arrived after kill -9 of the server");
  await driveChat(place);
  console.log("useChat page: the outcome arrived after kill -9 of the server");
} finally {
  await place.close();
  scratch.remove();
}

async function driveInspector({ folder, data, start }: ServerPlace): Promise<void> {
  const server = await start();
  const { port } = new URL(server.url);
  const store = join(data, "holdfast.db");
  const call = ["--tool-name", "send_prompt", "--tool-arg"];
  const input = [`directory=${folder}`, `text=${prompt}`, "wait=50"];
  const serve = ["--", process.execPath, program, "mcp", "serve", "--store", store];
  const answer = inspect([...call, ...input, ...serve]);
  await untilRunning(server.url, data);
  server.process.kill("SIGKILL");
  await server.ended;
  const second = await start("--port", port);
  assert.match(await answer, /"status": "completed"[^]*after/);
  second.process.kill("SIGTERM");
  await second.ended;
}

async function driveChat({ folder, data, start }: ServerPlace): Promise<void> {
  const vite = await serveExample();
  const origin = `http://localhost:${vite.config.server.port}`;
  const server = await start("--allow-origin", origin);
  const { port } = new URL(server.url);
  writeExample(server.url);
  const token = readFileSync(join(data, "token"), "utf8").trim();
  const browser: Browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${origin}/chat.html#${token},${folder}`);
    await page.getByRole("textbox").fill(prompt);
    await page.getByRole("button", { name: "Send" }).click();
    await untilRunning(server.url, data);
    server.process.kill("SIGKILL");
    await server.ended;
    await start("--allow-origin", origin, "--port", port);
    const answer = page.locator("section", { hasText: "assistant" });
    await answer.getByText(/after$/).waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "Send" }).waitFor({ timeout: 60_000 });
    assert.equal(await page.getByRole("alert").count(), 0);
    await driveButtons(page);
  } finally {
    await browser.close();
    await vite.close();
  }
}

/** After a failure the user can send again, and Stop does not send the text that is being typed. */
async function driveButtons(page: Page): Promise<void> {
  const input = page.getByRole("textbox");
  const send = page.getByRole("button", { name: "Send" });
  await input.fill("fail");
  await send.click();
  await page.getByRole("alert").waitFor();
  await input.fill("stall");
  await send.click();
  const stop = page.getByRole("button", { name: "Stop" });
  await stop.waitFor();
  const count = await page.locator("section", { hasText: "user" }).count();
  await input.fill("say a draft");
  await stop.click();
  await send.waitFor();
  assert.equal(await page.locator("section", { hasText: "user" }).count(), count);
  assert.equal(await input.inputValue(), "say a draft");
}

/** Calls a tool with the command line of the MCP inspector. */
function inspect(words: readonly string[]): Promise<string> {
  const bin = join(scratch.folder, "node_modules/.bin/mcp-inspector");
  return run(bin, ["--cli", "--method", "tools/call", ...words], ownHome);
}

async function untilRunning(url: string, data: string): Promise<void> {
  const token = readFileSync(join(data, "token"), "utf8").trim();
  const holdfast = connect({ url, token });
  await waitFor(async () => (await holdfast.sessions.list()).items, {
    describe: "an active run",
    until: (items) => items.some(({ status }) => status === "running"),
    limit: 60_000,
  });
}

/** Serves examples/chat.html with vite, as the comment in that file describes. */
async function serveExample(): Promise<ViteDevServer> {
  writeExample("http://127.0.0.1:4747");
  const sdk = join(repository, "packages/sdk/src");
  const vite = await createServer({
    root: scratch.folder,
    configFile: false,
    logLevel: "error",
    server: { port: 0, fs: { allow: [scratch.folder, repository] } },
    resolve: {
      alias: [
        { find: "@holdfast/sdk/ai", replacement: join(sdk, "ai.ts") },
        { find: "@holdfast/sdk", replacement: join(sdk, "index.ts") },
      ],
    },
  });
  await vite.listen();
  return vite;
}

/** Writes the example page for a server at this address. */
function writeExample(url: string): void {
  const page = readFileSync(join(repository, "examples/chat.html"), "utf8");
  const own = "http://127.0.0.1:4747";
  assert.ok(page.includes(own), "the example names the default address of the server");
  writeFileSync(join(scratch.folder, "chat.html"), page.replace(own, url));
}

async function run(
  command: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(command, words, {
    cwd: scratch.folder,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  assert.equal(code, 0, `${command} failed: ${out}${err}`);
  return out;
}
