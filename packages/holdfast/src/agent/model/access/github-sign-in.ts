import { githubHosts } from "./github-hosts.ts";
import type { SignInTokens } from "./sign-in-store.ts";
import { sendTokenRequest } from "./token-request.ts";

/** A device sign-in (RFC 8628) that was started. */
export interface DeviceSignIn {
  /** Secret code with which Holdfast polls. It never leaves the server. */
  readonly deviceCode: string;
  /** Code that the person enters at `url`. */
  readonly userCode: string;
  readonly url: string;
  readonly expiresAt: number;
  /** Milliseconds between two polls. */
  readonly interval: number;
}

export type PollResult =
  | { readonly status: "waiting"; readonly interval: number | null }
  | { readonly status: "signedIn"; readonly tokens: SignInTokens }
  | { readonly status: "failed"; readonly problem: string };

interface Place {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly fetch: typeof fetch;
}

/** Starts a sign-in. Throws an Error with a message for people. */
export async function startDeviceSignIn(place: Place): Promise<DeviceSignIn> {
  const { web } = githubHosts(place.baseUrl);
  const answer = await post(`${web}/login/device/code`, place, { scope: "read:user" });
  const { device_code: deviceCode, user_code: userCode, verification_uri: url } = answer;
  if (typeof deviceCode !== "string" || typeof userCode !== "string" || typeof url !== "string") {
    throw new Error(`${web} did not start the sign-in: ${problemIn(answer)}`);
  }
  // The person enters the code at this URL, so it must be on the host that issued the code.
  if (URL.parse(url)?.origin !== web) {
    throw new Error(`${web} named a sign-in page on another host (${url.slice(0, 200)})`);
  }
  return {
    deviceCode,
    userCode,
    url,
    expiresAt: Date.now() + secondsOf(answer["expires_in"], 900) * 1_000,
    interval: secondsOf(answer["interval"], 5) * 1_000,
  };
}

/** Asks GitHub once whether the person has finished signing in. */
export async function pollDeviceSignIn(
  place: Place,
  { deviceCode }: Pick<DeviceSignIn, "deviceCode">,
): Promise<PollResult> {
  const { web } = githubHosts(place.baseUrl);
  const answer = await post(`${web}/login/oauth/access_token`, place, {
    device_code: deviceCode,
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
  });
  const tokens = tokensIn(answer, place.clientId);
  if (tokens !== null) return { status: "signedIn", tokens };
  switch (answer["error"]) {
    case "authorization_pending":
      return { status: "waiting", interval: null };
    case "slow_down":
      return { status: "waiting", interval: secondsOf(answer["interval"], 10) * 1_000 };
    case "access_denied":
      return { status: "failed", problem: "the sign-in was cancelled" };
    case "expired_token":
      return { status: "failed", problem: "the code has expired; start again" };
    default:
      return { status: "failed", problem: problemIn(answer) };
  }
}

/** Renews a sign-in. Null: GitHub rejects the refresh token. */
export async function refreshSignIn(place: Place, refresh: string): Promise<SignInTokens | null> {
  const { web } = githubHosts(place.baseUrl);
  const answer = await post(`${web}/login/oauth/access_token`, place, {
    refresh_token: refresh,
    grant_type: "refresh_token",
  });
  return tokensIn(answer, place.clientId);
}

type Fields = Readonly<Record<string, unknown>>;

async function post(
  url: string,
  { clientId, fetch: send }: Place,
  form: Readonly<Record<string, string>>,
): Promise<Fields> {
  const answer = await sendTokenRequest(send, url, {
    method: "POST",
    headers: { accept: "application/json", "user-agent": "holdfast" },
    body: new URLSearchParams({ client_id: clientId, ...form }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return { error: `HTTP ${answer.status}` };
  }
}

function tokensIn(answer: Fields, clientId: string): SignInTokens | null {
  const { access_token: key, refresh_token: refresh } = answer;
  if (typeof key !== "string" || key === "") return null;
  return { key, refresh: typeof refresh === "string" ? refresh : null, clientId };
}

function problemIn({ error, error_description: description }: Fields): string {
  const texts = [description, error].filter((text) => typeof text === "string");
  return texts[0]?.slice(0, 300) ?? "the answer has no code";
}

function secondsOf(value: unknown, usual: number): number {
  return typeof value === "number" && value >= 0 && value < 86_400 ? value : usual;
}
