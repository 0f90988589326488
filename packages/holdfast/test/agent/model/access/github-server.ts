import type { TestContext } from "node:test";
import type {
  RawAnswer,
  RawRequest,
} from "../../../../../../gauntlet/model-server/model-server.ts";
import { serve } from "./ask.ts";
import type { Served } from "./ask.ts";

/** GitHub with one person: device sign-in, tokens that expire, and the Copilot API. */
export interface GithubServer extends Served {
  /** Answers to polls before the person has typed the code. */
  readonly polls: object[];
  /** The GitHub token that counts, and its refresh token. Null: the sign-in was revoked. */
  github: string | null;
  refresh: string | null;
  /** Number of the Copilot token that counts. */
  copilot: number;
  /** Named to clients as the address of the API. */
  api: string | null;
  /** True: tokens are not exchanged, the API takes them as they are. */
  isDirect: boolean;
}

export const clientId = "Iv23.holdfast-test";

export async function openGithub(t: TestContext): Promise<GithubServer> {
  const state: Omit<GithubServer, keyof Served> = {
    polls: [],
    github: "ghu_first",
    refresh: "ghr_first",
    copilot: 1,
    api: null,
    isDirect: false,
  };
  const server = await serve(t, (request) => answer(request));
  const github: GithubServer = Object.assign(state, server);
  const answer = (request: RawRequest): RawAnswer | null => {
    const form = new URLSearchParams(request.body);
    const token = request.headers.authorization?.split(" ")[1] ?? "";
    switch (request.url) {
      case "/login/device/code":
        if (form.get("client_id") !== clientId)
          return { status: 404, body: { error: "Not Found" } };
        return {
          status: 200,
          body: {
            device_code: "device-secret-1",
            user_code: "WDJB-MJHT",
            verification_uri: `${server.root}/login/device`,
            expires_in: 900,
            interval: 0,
          },
        };
      case "/login/oauth/access_token":
        return { status: 200, body: tokens(github, form) };
      case "/copilot_internal/v2/token": {
        if (github.isDirect) return { status: 404, body: { message: "Not Found" } };
        if (token !== github.github) return { status: 401, body: { message: "Bad credentials" } };
        const expires = Math.floor(Date.now() / 1_000) + 1_500;
        const endpoints = github.api === null ? {} : { endpoints: { api: github.api } };
        return {
          status: 200,
          body: { token: `tid=${github.copilot}`, expires_at: expires, ...endpoints },
        };
      }
      default: {
        const valid = github.isDirect ? github.github : `tid=${github.copilot}`;
        return token === valid ? null : { status: 401, body: { message: "token expired" } };
      }
    }
  };
  return github;
}

function tokens(github: GithubServer, form: URLSearchParams): object {
  if (form.get("client_id") !== clientId) return { error: "incorrect_client_credentials" };
  if (form.get("grant_type") === "refresh_token") {
    if (form.get("refresh_token") !== github.refresh) return { error: "bad_refresh_token" };
    // Both are replaced, as GitHub does.
    Object.assign(github, { github: `${github.github}+`, refresh: `${github.refresh}+` });
    return { access_token: github.github, refresh_token: github.refresh, expires_in: 28_800 };
  }
  const pending = github.polls.shift();
  if (pending !== undefined) return pending;
  if (form.get("device_code") !== "device-secret-1") return { error: "incorrect_device_code" };
  return { access_token: github.github, refresh_token: github.refresh, expires_in: 28_800 };
}
