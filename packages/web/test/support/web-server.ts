import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@holdfast/sdk";
import type { Holdfast } from "@holdfast/sdk";
import type { Browser } from "playwright-core";
import { ensureWeb } from "../../../../scripts/build-web/ensure-web.ts";
import { serve } from "../../../holdfast/src/compose/serve.ts";
import type { ServerSettings, Serving } from "../../../holdfast/src/compose/serve.ts";
import { serverSettings } from "../../../holdfast/test/support/server-settings.ts";
import { shareBrowser } from "./browser.ts";

/** A server with the web page and the demo agent, a browser, and an SDK client. */
export interface WebServer {
  readonly folder: string;
  readonly url: string;
  readonly browser: Browser;
  readonly holdfast: Holdfast;
  /** Returns a sign-in link that works once. */
  readonly link: () => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function openWebServer(
  environment: Record<string, string> = {},
  settings: Partial<ServerSettings> = {},
): Promise<WebServer> {
  await ensureWeb(join(import.meta.dirname, "../../../../"));
  // If the start fails, close all opened resources. Otherwise the test process would never end.
  await using opening = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-web-"));
  opening.defer(() => rm(folder, { recursive: true }));
  const starting = startServer({ folder, environment, settings });
  opening.defer(async () => (await starting).server.stop());
  const shared = await shareBrowser();
  opening.defer(() => shared.close());
  const serving = await starting;
  const { url } = serving.server;
  const holdfast = await adminClient(folder, url);
  const opened = opening.move();
  return {
    folder,
    url,
    browser: shared.browser,
    holdfast,
    link: () => serving.link(),
    close: () => opened.disposeAsync(),
  };
}

/** Starts a server. A second one with the same store and port looks like the same server to a page. */
export async function startServer(options: {
  readonly folder: string;
  readonly port?: number;
  readonly environment?: Record<string, string>;
  readonly settings?: Partial<ServerSettings>;
}): Promise<Serving> {
  const { folder, port = 0, environment = {} } = options;
  const usual = serverSettings(join(folder, "data"));
  const serving = await serve({
    ...usual,
    port,
    environment: { ...usual.environment, ...environment },
    ...options.settings,
  });
  await serving.server.ready;
  return serving;
}

/** A client with the admin token. */
export async function adminClient(folder: string, url: string): Promise<Holdfast> {
  const token = (await readFile(join(folder, "data", "token"), "utf8")).trim();
  return connect({ url, token });
}
