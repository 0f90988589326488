import { sleep } from "../../base/time.ts";
import { pollDeviceSignIn, startDeviceSignIn } from "../../agent/model/access/github-sign-in.ts";
import type { DeviceSignIn } from "../../agent/model/access/github-sign-in.ts";
import { addressIn, protocolOf, usualAddress } from "../../agent/model/known-providers.ts";
import type { Environment } from "../../agent/model/known-providers.ts";
import type { Credentials } from "./credentials.ts";

/** Signs in to providers with a code that a person enters on the provider's page. */
export interface SignIns {
  /** Starts a sign-in. A new sign-in for the same provider replaces an earlier one. */
  start(name: string, input: SignInInput): Promise<SignInStart | { readonly problem: string }>;
  /**
   * Waits until the person has finished, but at most `patience`. Stores a finished sign-in. Null: no sign-in was
   * started in this process.
   */
  wait(name: string, signal: AbortSignal): Promise<SignInStatus | null>;
}

export interface SignInInput {
  readonly baseUrl?: string | undefined;
  /** Client id of the OAuth application. Default: from the environment. */
  readonly clientId?: string | undefined;
  readonly defaultModel?: string | undefined;
}

export interface SignInStart {
  readonly userCode: string;
  readonly url: string;
  readonly expiresAt: number;
}

export type SignInStatus =
  | { readonly status: "waiting" | "signedIn" }
  | { readonly status: "failed"; readonly problem: string };

export interface SignInsOptions {
  readonly credentials: Credentials;
  readonly environment: Environment;
  readonly learn: (secrets: readonly string[]) => void;
  readonly now: () => number;
  /** Maximum duration of one call of `wait` in milliseconds. */
  readonly patience?: number;
}

interface Pending {
  readonly device: DeviceSignIn;
  readonly place: { readonly baseUrl: string; readonly clientId: string; fetch: typeof fetch };
  readonly input: SignInInput;
  interval: number;
  nextPoll: number;
}

/**
 * Environment variable with an OAuth client id. GitHub issues client ids only to registered applications, and Holdfast
 * has none yet.
 */
const clientIdVariable = "HOLDFAST_COPILOT_CLIENT_ID";

export function createSignIns(options: SignInsOptions): SignIns {
  const { credentials, environment, learn, now, patience = 20_000 } = options;
  const pending = new Map<string, Pending>();
  const store = async (
    name: string,
    { place, input }: Pending,
    { key, refresh }: { key: string; refresh: string | null },
  ): Promise<void> => {
    learn([key, refresh].filter((secret) => secret !== null));
    await credentials.put(name, {
      status: "connected",
      at: now(),
      key,
      baseUrl: input.baseUrl ?? null,
      protocol: "copilot",
      defaultModel: input.defaultModel ?? null,
      signIn: { refresh, clientId: place.clientId },
    });
  };
  return {
    start: async (name, input) => {
      const given = input.baseUrl ?? addressIn(environment, { name });
      const baseUrl = given ?? usualAddress(name);
      if (protocolOf({ name }) !== "copilot" || baseUrl === null) {
        return { problem: `The provider ${name} has no sign-in. Give an API key.` };
      }
      const clientId = input.clientId ?? environment[clientIdVariable]?.trim() ?? "";
      if (clientId === "") return { problem: noClient };
      const place = { baseUrl, clientId, fetch };
      const device = await startDeviceSignIn(place).catch(problemOf);
      if ("problem" in device) return device;
      learn([device.deviceCode]);
      const { userCode, url, expiresAt, interval } = device;
      pending.set(name, { device, place, input, interval, nextPoll: Date.now() + interval });
      return { userCode, url, expiresAt };
    },
    wait: async (name, signal) => {
      const found = pending.get(name);
      if (found === undefined) return null;
      const end = Date.now() + patience;
      while (pending.get(name) === found && found.nextPoll < end) {
        const turn = found.nextPoll;
        await sleep(Math.max(0, turn - Date.now()), { signal });
        // Another call of `wait` has polled in the meantime. Wait until the next poll.
        if (found.nextPoll !== turn) continue;
        found.nextPoll = Date.now() + found.interval;
        const result = await pollDeviceSignIn(found.place, found.device).catch(problemOf);
        if ("problem" in result) {
          pending.delete(name);
          return { status: "failed", problem: result.problem };
        }
        if (result.status === "waiting") {
          found.interval = result.interval ?? found.interval;
          found.nextPoll = Date.now() + found.interval;
          continue;
        }
        pending.delete(name);
        await store(name, found, result.tokens);
        return { status: "signedIn" };
      }
      return pending.get(name) === found ? { status: "waiting" } : null;
    },
  };
}

const noClient =
  `Set ${clientIdVariable} to the client id of an OAuth application with Copilot access, or connect with a ` +
  'fine-grained token that has the permission "Copilot Requests": holdfast connect copilot --key-env NAME';

function problemOf(error: unknown): { readonly problem: string } {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  return { problem: cause === "" ? message : `${message} (${cause})` };
}
