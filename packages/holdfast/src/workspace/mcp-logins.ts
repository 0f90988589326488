import { noOAuthSettings, signInKey } from "../agent/mcp/oauth/sign-ins.ts";
import type { OAuthSettings, SignIns } from "../agent/mcp/oauth/sign-ins.ts";
import type { SignInFlow } from "../agent/mcp/oauth/sign-in-flow.ts";
import { systemClock, unlessAborted } from "../base/time.ts";
import type { Clock, Timer } from "../base/time.ts";
import type { McpServerConfig } from "../agent/mcp/config.ts";
import { abortError } from "./workspaces.ts";

/** Signs in to and out of MCP servers. Tokens are stored under the server's address and apply to all directories. */
export interface McpLogins {
  /** Starts a sign-in; an earlier sign-in to the same server is aborted. Null if there is no such server. */
  start(directory: string, server: string): Promise<StartedLogin | null>;
  /** Waits until the sign-in has ended, or completes it with the URL that the browser was redirected to. */
  finish(
    place: { readonly directory: string; readonly server: string },
    options: { readonly callbackUrl: string | null; readonly signal: AbortSignal },
  ): Promise<LoginState | null>;
  /** Removes the stored tokens. False if there is no such server. */
  end(directory: string, server: string): Promise<boolean>;
  close(): Promise<void>;
}

export interface StartedLogin {
  /** URL to open in a browser. Null: the stored sign-in still works. */
  readonly authorizationUrl: string | null;
  readonly redirectUrl: string;
}

export interface LoginState {
  readonly status: "signedIn" | "waiting" | "failed";
  readonly problem: string | null;
}

interface Entry {
  readonly flow: SignInFlow;
  readonly timer: Timer;
  state: LoginState;
}

/** Milliseconds that a person has to sign in. */
const maxTime = 10 * 60_000;

export function createMcpLogins(options: {
  readonly signIns: SignIns;
  /** Returns the MCP servers of a directory, without those of an untrusted config. */
  readonly servers: (directory: string) => Promise<ReadonlyMap<string, McpServerConfig>>;
  readonly clock?: Clock;
}): McpLogins {
  const { signIns, servers, clock = systemClock } = options;
  const flows = new Map<string, Entry>();
  let isClosed = false;

  const find = async (
    directory: string,
    name: string,
  ): Promise<{ url: string; key: string; settings: OAuthSettings } | null> => {
    const config = (await servers(directory)).get(name);
    if (config?.type !== "http") return null;
    const { url, oauth: settings = noOAuthSettings } = config;
    return { url, key: signInKey(url), settings };
  };
  /** Closes a flow. Keeps a later flow of the same server. */
  const drop = async (key: string, entry: Entry | undefined): Promise<void> => {
    if (flows.get(key) === entry) flows.delete(key);
    entry?.timer.cancel();
    await entry?.flow.close();
  };
  return {
    start: async (directory, name) => {
      const server = await find(directory, name);
      if (server === null) return null;
      const { key, url: serverUrl, settings } = server;
      await drop(key, flows.get(key));
      const { startSignIn } = await import("../agent/mcp/oauth/sign-in-flow.ts");
      const flow = await startSignIn({ serverUrl, settings, signIns });
      if (isClosed) {
        await flow.close();
        throw abortError();
      }
      const timer = clock.after(maxTime, () => void drop(key, entry)).unref();
      const entry: Entry = { flow, timer, state: { status: "waiting", problem: null } };
      // Another call may have started a sign-in in the meantime. Replace it before the next `await`, so that every open
      // flow is in the map.
      const earlier = flows.get(key);
      flows.set(key, entry);
      flow.done.then(
        () => (entry.state = { status: "signedIn", problem: null }),
        (error: unknown) => (entry.state = { status: "failed", problem: messageOf(error) }),
      );
      await drop(key, earlier);
      const { authorizationUrl, redirectUrl } = flow;
      return { authorizationUrl, redirectUrl };
    },
    finish: async ({ directory, server: name }, { callbackUrl, signal }) => {
      const server = await find(directory, name);
      if (server === null) return null;
      const entry = flows.get(server.key);
      if (entry === undefined) return { status: "failed", problem: "no sign-in was started" };
      if (callbackUrl !== null) {
        const problem = await entry.flow.finish(callbackUrl);
        if (problem !== null) return { status: "failed", problem };
      }
      // Ignore an error of the sign-in here: `entry.state` contains the result.
      const over = entry.flow.done.catch(() => {});
      await unlessAborted(over, signal).catch(() => {});
      if (entry.state.status !== "waiting") await drop(server.key, entry);
      return entry.state;
    },
    end: async (directory, name) => {
      const server = await find(directory, name);
      if (server === null) return false;
      await drop(server.key, flows.get(server.key));
      await signIns.put(server.key, null);
      return true;
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...flows].map(([key, entry]) => drop(key, entry)));
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Reports tokens to `learn` before they are stored, so that they are redacted everywhere. */
export function learningSignIns(
  signIns: SignIns,
  learn: (secrets: readonly string[]) => void,
): SignIns {
  return {
    read: (url) => signIns.read(url),
    put: async (url, signIn) => {
      const { client = null, tokens = null } = signIn ?? {};
      const secrets = [client?.client_secret, tokens?.access_token, tokens?.refresh_token];
      learn(secrets.filter((secret) => secret !== undefined));
      await signIns.put(url, signIn);
    },
  };
}
