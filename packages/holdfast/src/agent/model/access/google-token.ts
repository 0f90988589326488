import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelError } from "../model.ts";
import { sendTokenRequest } from "./token-request.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface GoogleToken {
  readonly token: string;
  readonly expiresAt: number | null;
  /** Project that pays for requests made with a person's sign-in. */
  readonly quotaProject: string | null;
}

/** Returns the path of the application default credentials. */
export function googleCredentialsFile(environment: Environment): string {
  const given = environment["GOOGLE_APPLICATION_CREDENTIALS"]?.trim() || null;
  if (given !== null) return given;
  const home = environment["HOME"] ?? "/";
  const { APPDATA: windows, CLOUDSDK_CONFIG: folder } = environment;
  const usual = windows === undefined ? join(home, ".config", "gcloud") : join(windows, "gcloud");
  return join(folder?.trim() || usual, "application_default_credentials.json");
}

/** Returns the project that the credentials file contains. */
export async function googleProjectIn(environment: Environment): Promise<string | null> {
  const fields = fieldsIn(await readFile(googleCredentialsFile(environment), "utf8"));
  const project = fields["project_id"] ?? fields["quota_project_id"];
  return typeof project === "string" ? project : null;
}

/** Requests a token. If `form` is null, sends the request to the metadata server of a Google Cloud machine. */
export async function requestToken(
  request: {
    readonly url: string;
    readonly form: Readonly<Record<string, string>> | null;
    readonly quotaProject: string | null;
  },
  send: typeof fetch,
): Promise<GoogleToken> {
  const { url, form, quotaProject } = request;
  const answer = await sendTokenRequest(send, url, {
    ...(form === null
      ? { headers: { "metadata-flavor": "Google" } }
      : { method: "POST", body: new URLSearchParams(form) }),
    signal: AbortSignal.timeout(form === null ? 3_000 : 30_000),
  });
  const {
    access_token: token,
    expires_in: seconds,
    error,
    error_description: description,
  } = fieldsIn(await answer.text());
  if (answer.ok && typeof token === "string") {
    const expiresAt = typeof seconds === "number" ? Date.now() + seconds * 1_000 : null;
    return { token, expiresAt, quotaProject };
  }
  if (answer.status >= 500) {
    throw new ModelError("transient", `Google's token server failed (HTTP ${answer.status})`);
  }
  const reason = [error, description].filter((text) => typeof text === "string").join(": ");
  const detail = `Google rejected the credentials (${reason || `HTTP ${answer.status}`})`;
  const advice = "Run: gcloud auth application-default login, or create a new service account key";
  throw new ModelError("badKey", `${detail}. ${advice}`);
}

/** True for an HTTPS URL, and for an HTTP URL of this machine. */
export function isSecure(url: string): boolean {
  const { protocol, hostname } = URL.parse(url) ?? { protocol: "", hostname: "" };
  const isLocal = hostname === "127.0.0.1" || hostname === "localhost";
  return protocol === "https:" || (protocol === "http:" && isLocal);
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
