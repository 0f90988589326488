import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { SessionHandle } from "@holdfast/sdk";
import type { Page } from "playwright-core";
import { startModelServer } from "../../gauntlet/model-server/model-server.ts";
import { openWebServer } from "../../packages/web/test/support/web-server.ts";
import type { WebServer } from "../../packages/web/test/support/web-server.ts";
import { writeFonts } from "./fonts.ts";
import { model } from "./model.ts";
import { writeShop } from "./shop.ts";

const desktop = { width: 1360, height: 900 };
const phone = { width: 390, height: 800 };

export async function takePictures(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await withShop(async (server, shop) => {
    const checkout = await doSomeWork(server, shop);
    await takeAll({ server, folder, checkout });
  });
}

/**
 * Runs `work` with a server for an example project, the code of a small shop. The server's model gives scripted
 * answers.
 */
export async function withShop(
  work: (server: WebServer, shop: string) => Promise<void>,
): Promise<void> {
  const root = join(tmpdir(), "code");
  const shop = join(root, "shop");
  mkdirSync(join(root, "config/holdfast"), { recursive: true });
  writeShop(shop);
  const modelServer = await startModelServer(model);
  writeFileSync(
    join(root, "config/holdfast/config.jsonc"),
    config(modelServer.addresses.openaiChat),
  );
  process.env["FONTCONFIG_FILE"] = writeFonts(root);
  const server = await openWebServer({
    PATH: process.env["PATH"] ?? "",
    XDG_CONFIG_HOME: join(root, "config"),
    LAB_KEY: "sk-lab-4711-a8f2",
  });
  try {
    await work(server, shop);
  } finally {
    await server.close();
    await modelServer.close();
    rmSync(root, { recursive: true });
  }
}

function config(baseUrl: string): string {
  const price = { input: 3, cachedInput: 0.3, output: 15 };
  return `// Whose models are used, and what may be done without asking.
{
  "model": "lab/usual",
  "providers": {
    "lab": { "baseUrl": ${JSON.stringify(baseUrl)}, "key": "{env:LAB_KEY}", "models": { "usual": { "price": ${JSON.stringify(price)} } } }
  },
  "permissions": [
    { "action": "change", "pattern": "src/**", "effect": "allow" },
    { "action": "run", "pattern": "npm *", "effect": "allow" }
  ]
}
`;
}

/** Creates sessions in all states for the screenshots. Returns the session that the screenshots show. */
export async function doSomeWork(
  { holdfast }: WebServer,
  directory: string,
): Promise<SessionHandle> {
  const open = (title: string): Promise<SessionHandle> =>
    holdfast.sessions.create({ directory, title });
  const checkout = await open("Idempotent checkout");
  await (await checkout.prompt("How much of the checkout is tested?")).settled();
  await (await checkout.prompt("Summarize the payment provider's terms")).settled();
  await pause(6_000);
  const first = await checkout.prompt(
    "Retried requests create duplicate orders. Make POST /checkout idempotent.",
  );
  await pause(1_500);
  await checkout.prompt("Use the header Idempotency-Key, as others do", { delivery: "steer" });
  await pause(700);
  await checkout.prompt("Write a test for two requests at once");
  const changelog = await checkout.prompt("Add a line to the changelog");
  await pause(900);
  const dependencies = await open("Nightly dependency check");
  await dependencies.prompt("Which dependencies are out of date?");
  await pause(1_200);
  await checkout.promptById(changelog.promptId).withdraw();
  await first.settled();
  const upload = await open("Flaky upload test");
  await upload.prompt("Why does the upload test fail now and then?");
  await upload.prompt("Then run it a hundred times");
  const invoices = await open("Migrate the invoices");
  await invoices.prompt("Run the migration of the invoices table");
  await invoices.prompt("Then backfill paid_at for last year");
  await until(async () => (await checkout.get()).queued === 0);
  await checkout.prompt("Describe the header in docs/api.md");
  await until(async () => (await holdfast.asks()).items.length > 0);
  await pause(4_500);
  return checkout;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    if (tries > 300) throw new Error(`timed out waiting for: ${isTrue.toString()}`);
    await pause(100);
  }
}

interface Shoot {
  readonly server: WebServer;
  readonly folder: string;
  readonly checkout: SessionHandle;
}

async function takeAll(shoot: Shoot): Promise<void> {
  const { server, checkout } = shoot;
  const session = `/sessions/${checkout.sessionId}`;
  const { items } = await server.holdfast.asks();
  const ask = items[0]?.sessionId ?? "";
  for (const scheme of ["light", "dark"] as const) {
    await withPage(shoot, { scheme, viewport: desktop }, async (take) => {
      await take(session, `conversation-${scheme}`, ".step", showEdit);
      await take(`${session}/timeline`, `timeline-${scheme}`, ".prompt-bar", async (page) => {
        await page.getByRole("button", { name: /^Write a test/ }).click();
        await page.locator(".bar-detail").waitFor();
      });
    });
  }
  await withPage(shoot, { scheme: "dark", viewport: desktop }, async (take) => {
    await take("/timeline", "server-timeline", ".prompt-bar");
    await take(`/sessions/${ask}`, "ask", ".ask-card");
  });
  await withPage(shoot, { scheme: "light", viewport: desktop }, async (take) => {
    await take("/health", "health", ".failure");
    await take("/settings/config", "config", ".config-editor .cm-content", writeMistakes);
  });
  await withPage(shoot, { scheme: "light", viewport: phone }, async (take) => {
    await take(session, "phone-conversation", ".step");
    await take(`${session}/timeline`, "phone-timeline", ".prompt-bar");
  });
}

/** Scrolls to the edit and opens its diff. */
async function showEdit(page: Page): Promise<void> {
  const edit = page.locator(".call-head", { hasText: "edit" });
  await page.locator(".virtual-list").hover();
  while (((await edit.boundingBox()) ?? { y: 0 }).y < 330) await page.mouse.wheel(0, -120);
  if ((await edit.getAttribute("aria-expanded")) === "false") await edit.click();
}

async function writeMistakes(page: Page): Promise<void> {
  await page.locator(".config-editor .cm-content").fill(mistaken);
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".config-notices li").first().waitFor();
}

const mistaken = `{
  "$schema": "./node_modules/holdfast/config.schema.json",
  "model": "lab/usual",
  // Make the agent ask before it installs anything.
  "permissions": [
    { "action": "run", "pattern": "npm install *", "effect": "perhaps" },
  ],
  "limits": { "budget": { "cost": "little" } },
  "mcp": {
    "files": { "command": "server-filesystem docs" },
  },
}
`;

type Take = (
  path: string,
  name: string,
  ready: string,
  prepare?: (page: Page) => Promise<void>,
) => Promise<void>;

async function withPage(
  { server, folder }: Shoot,
  look: { scheme: "light" | "dark"; viewport: { width: number; height: number } },
  work: (take: Take) => Promise<void>,
): Promise<void> {
  const context = await server.browser.newContext({
    viewport: look.viewport,
    colorScheme: look.scheme,
    deviceScaleFactor: 1.5,
    hasTouch: look.viewport === phone,
    isMobile: look.viewport === phone,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await page.goto(await server.link());
  // Wait for the end of the sign-in: a page that is left earlier would not be signed in.
  await page.locator(".sidebar").waitFor({ state: "attached" });
  await work(async (path, name, ready, prepare) => {
    await page.goto(`${server.url}${path}`);
    await page.locator(ready).first().waitFor();
    await prepare?.(page);
    // Highlighting appears a moment after the code.
    await pause(600);
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, `${name}.png`) });
  });
  await context.close();
}
