import { ModelError } from "../model.ts";
import { createRenewable, withCredentials } from "./access.ts";
import type { Access, Outgoing } from "./access.ts";
import { githubHosts } from "./github-hosts.ts";
import { refreshSignIn } from "./github-sign-in.ts";
import type { AccessTarget } from "./open-access.ts";
import type { SignInTokens } from "./sign-in-store.ts";
import { sendTokenRequest } from "./token-request.ts";

/** A token for the Copilot API, and the API address that GitHub states for it. */
interface CopilotToken {
  readonly token: string;
  readonly expiresAt: number | null;
  /** Null: use the configured address. */
  readonly api: string | null;
}

/** Creates the access to GitHub Copilot: exchanges the GitHub token for a short-lived one, and renews both. */
export function githubAccess(target: AccessTarget): Access {
  const { provider, learn } = target;
  const hosts = githubHosts(provider.baseUrl);
  const github = githubTokens(target);
  /** The last token that the Copilot API rejected. */
  let rejected: string | null = null;
  const exchange = async (token: string): Promise<CopilotToken | "rejected"> => {
    const url = `${hosts.api}/copilot_internal/v2/token`;
    const answer = await sendTokenRequest(target.fetch, url, {
      headers: {
        authorization: `token ${token}`,
        accept: "application/json",
        "user-agent": "holdfast",
      },
      signal: AbortSignal.timeout(30_000),
    });
    const fields = fieldsIn(await answer.text());
    // 404: GitHub does not exchange this token for a Copilot token. Send the token itself to the Copilot API.
    if (answer.status === 404) return { token, expiresAt: null, api: null };
    if (answer.status === 401) return "rejected";
    if (answer.status === 403) throw noAccess(provider.name, fields);
    const { token: short, expires_at: seconds, endpoints } = fields;
    if (!answer.ok || typeof short !== "string") {
      const detail = `GitHub gave no access token for Copilot (HTTP ${answer.status}). Try again later`;
      throw new ModelError("transient", `${provider.name}: ${detail}`);
    }
    learn([short]);
    const expiresAt = typeof seconds === "number" ? seconds * 1_000 : null;
    return { token: short, expiresAt, api: apiIn(endpoints, hosts.isOwn) };
  };
  const tokens = createRenewable<CopilotToken>({
    load: async () => {
      const used = await github.read();
      const first = await exchange(used);
      if (first !== "rejected" && first.token !== rejected) return first;
      const second = await exchange(await github.renew(used));
      if (second === "rejected") throw signedOut(provider.name);
      return second;
    },
    expiresAt: ({ expiresAt }) => expiresAt,
    isSame: (left, right) => left.token === right.token,
  });
  return {
    advice: adviceFor(provider.name),
    authorize: async (request) => {
      const used = await tokens.get();
      const url = used.api === null ? request.url : moved(request.url, used.api);
      const headers = { authorization: `Bearer ${used.token}`, ...headersFor(request) };
      return {
        request: withCredentials({ ...request, url }, headers),
        renew: async () => {
          rejected = used.token;
          return tokens.renew(used);
        },
      };
    },
  };
}

/** Provides the GitHub token: the stored one, else the one of the environment or the config. */
function githubTokens({ provider, fetch, learn, signIns }: AccessTarget): {
  read(): Promise<string>;
  renew(used: string): Promise<string>;
} {
  const { name, baseUrl } = provider;
  /** Reads the stored tokens each time, because another process may have renewed the sign-in. */
  const stored = async (): Promise<SignInTokens | null> =>
    provider.isSignedIn === true ? ((await signIns?.read(name)) ?? null) : null;
  return {
    read: async () => {
      const token = (await stored())?.key ?? provider.key;
      if (token === null) throw signedOut(name);
      return token;
    },
    renew: async (used) => {
      const tokens = await stored();
      if (tokens !== null && tokens.key !== used) return tokens.key;
      if (tokens === null || tokens.refresh === null) throw signedOut(name);
      const { clientId, refresh } = tokens;
      const renewed = await refreshSignIn({ baseUrl, clientId, fetch }, refresh);
      if (renewed === null) throw signedOut(name);
      learn([renewed.key, renewed.refresh ?? ""].filter((text) => text !== ""));
      await signIns?.write(name, renewed);
      return renewed.key;
    },
  };
}

/**
 * Returns headers that tell GitHub who sent the request, a person or an agent, and whether the request contains images.
 * GitHub counts requests of persons and of agents differently.
 */
function headersFor({ method, body }: Outgoing): Record<string, string> {
  const common = { "editor-version": "holdfast", "user-agent": "holdfast" };
  if (method !== "POST") return common;
  const person = body.lastIndexOf('"role":"user"');
  const tool = Math.max(
    body.lastIndexOf('"role":"tool"'),
    body.lastIndexOf('"type":"function_call_output"'),
  );
  const hasImage = body.includes('"image_url"') || body.includes('"input_image"');
  return {
    ...common,
    "openai-intent": "conversation-edits",
    "x-initiator": person > tool ? "user" : "agent",
    ...(hasImage ? { "copilot-vision-request": "true" } : {}),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the API address that GitHub states, if it is on one of GitHub's own hosts. */
function apiIn(endpoints: unknown, isOwn: (host: string) => boolean): string | null {
  const { api }: Fields = typeof endpoints === "object" ? { ...endpoints } : {};
  const url = typeof api === "string" ? URL.parse(api) : null;
  const isTrusted = url !== null && (url.protocol === "https:" || url.hostname === "127.0.0.1");
  return url !== null && isTrusted && isOwn(url.host) ? url.origin : null;
}

function moved(url: string, origin: string): string {
  const { pathname, search } = new URL(url);
  return `${origin}${pathname}${search}`;
}

function fieldsIn(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function noAccess(name: string, { message, error_details: details }: Fields): ModelError {
  const { message: detailed }: Fields = typeof details === "object" ? { ...details } : {};
  const reason = [detailed, message].find((text) => typeof text === "string");
  const detail = `GitHub does not allow this token to use Copilot (${(reason ?? "HTTP 403").slice(0, 300)})`;
  const advice = 'A fine-grained token needs the permission "Copilot Requests".';
  return new ModelError("badKey", `${name}: ${detail}. ${advice}`);
}

function signedOut(name: string): ModelError {
  return new ModelError("badKey", `${name}: GitHub rejected the sign-in. ${adviceFor(name)}`);
}

function adviceFor(name: string): string {
  return `Sign in again: holdfast connect ${name}`;
}
