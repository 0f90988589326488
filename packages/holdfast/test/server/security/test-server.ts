import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { request as sendHttp } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { serve } from "../../../src/compose/serve.ts";
import type { ServerSettings, Serving } from "../../../src/compose/serve.ts";
import { serverSettings } from "../../support/server-settings.ts";

/** A complete server with the demo agent in this process, as `holdfast serve` builds it. */
export interface TestServer {
  readonly serving: Serving;
  /** Its start settings. */
  readonly settings: ServerSettings;
  readonly url: string;
  /** The owner's token. */
  readonly owner: string;
  /** The real path of a folder with the subfolders `a` and `b`. */
  readonly folder: string;
  /** Sends a request with exactly these headers; parses a JSON body. */
  readonly ask: (method: string, path: string, request?: Asked) => Promise<Answered>;
  readonly token: (
    role: string,
    directories?: readonly string[],
  ) => Promise<{ id: string; secret: string }>;
  readonly session: (sessionId: string, directory: string) => Promise<void>;
}

export interface Asked {
  readonly token?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** The error code, or null. */
  readonly code: string | null;
}

export async function openTestServer(
  t: TestContext,
  settings: Partial<ServerSettings> = {},
): Promise<TestServer> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-house-")));
  const dataFolder = join(folder, "data");
  for (const name of ["a", "b"]) mkdirSync(join(folder, name));
  const usual = { ...serverSettings(dataFolder), home: folder, deadline: 1_000 };
  const whole: ServerSettings = { ...usual, ...settings };
  const serving = await serve(whole);
  t.after(async () => {
    await serving.server.stop();
    rmSync(folder, { recursive: true });
  });
  await serving.server.ready;
  const { url } = serving.server;
  const owner = readFileSync(join(dataFolder, "token"), "utf8").trim();
  const ask: TestServer["ask"] = (method, path, asked = {}) =>
    send(url + path, { method, ...asked });
  return {
    serving,
    settings: whole,
    url,
    owner,
    folder,
    ask,
    token: async (role, directories) => {
      const body = { name: `the-${role}`, role, directories };
      const { text } = await ask("POST", "/v1/tokens", { token: owner, body });
      const { tokenId, secret }: { tokenId: string; secret: string } = JSON.parse(text);
      return { id: tokenId, secret };
    },
    session: async (sessionId, directory) => {
      const body = { sessionId, directory: join(folder, directory) };
      const { status, text } = await ask("POST", "/v1/sessions", { token: owner, body });
      if (status !== 201 && status !== 200) throw new Error(text);
    },
  };
}

/** Does not use fetch, which sets Host itself and forbids browser headers. */
function send(url: string, asked: Asked & { method: string }): Promise<Answered> {
  const { method, token, body } = asked;
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...asked.headers,
  };
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  // From the text: a URL object would normalise the path.
  const { hostname, port, origin } = new URL(url);
  const path = url.slice(origin.length);
  const request = sendHttp({ hostname, port, path, method, headers, agent: false }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => (text += part));
    response.once("error", reject).once("end", () => {
      const code = /^\{"error":\{"code":"(?<code>\w+)"/.exec(text)?.groups?.["code"] ?? null;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, code });
    });
  });
  request.once("error", reject);
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}
