import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { ModelError } from "../model.ts";
import { readAwsProfile } from "./aws-profile.ts";
import { sendTokenRequest } from "./token-request.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Keys that sign requests to AWS. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
  readonly expiresAt: number | null;
}

/**
 * Finds credentials in the order of the AWS SDKs: variables, profile, container. For single sign-on and roles it runs
 * the AWS CLI, which prints the credentials of any profile.
 */
export async function loadAwsCredentials(
  environment: Environment,
  options: { readonly fetch: typeof fetch },
): Promise<AwsCredentials> {
  const own = keysIn({
    AccessKeyId: environment["AWS_ACCESS_KEY_ID"],
    SecretAccessKey: environment["AWS_SECRET_ACCESS_KEY"],
    SessionToken: environment["AWS_SESSION_TOKEN"],
  });
  if (own !== null) return own;
  const { name, settings } = await readAwsProfile(environment);
  const stored = keysIn({
    AccessKeyId: settings.get("aws_access_key_id"),
    SecretAccessKey: settings.get("aws_secret_access_key"),
    SessionToken: settings.get("aws_session_token"),
  });
  if (stored !== null) return stored;
  const command = settings.get("credential_process");
  if (command !== undefined) {
    return printed(command, ["/bin/sh", ["-c", command]], environment);
  }
  const container = await containerCredentials(environment, options.fetch);
  if (container !== null) return container;
  const exported = ["configure", "export-credentials", "--profile", name, "--format", "process"];
  return printed(`aws ${exported.join(" ")}`, ["aws", exported], environment);
}

/** Runs a program that prints credentials, and parses its output. */
async function printed(
  title: string,
  [file, words]: readonly [string, readonly string[]],
  environment: Environment,
): Promise<AwsCredentials> {
  const env = { ...process.env, ...environment };
  const output = await run(file, [...words], { env, timeout: 30_000 }).catch((error: unknown) => {
    throw missing(`\`${title}\` failed: ${reasonOf(error)}`, error);
  });
  const keys = parsed(output.stdout);
  if (keys === null) throw missing(`\`${title}\` printed no credentials`);
  return keys;
}

const run = promisify(execFile);

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT") return "the AWS CLI is not installed";
  const told = "stderr" in error ? String(error.stderr).trim() : "";
  return (told === "" ? error.message : told).slice(0, 300);
}

/** Loads the credentials of a container on ECS or EKS. Null if this is no such container. */
async function containerCredentials(
  environment: Environment,
  send: typeof fetch,
): Promise<AwsCredentials | null> {
  const relative = environment["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"]?.trim() || null;
  const full = environment["AWS_CONTAINER_CREDENTIALS_FULL_URI"]?.trim() || null;
  const url = relative === null ? full : new URL(relative, "http://169.254.170.2").href;
  if (url === null) return null;
  if (!isNearby(url)) throw missing(`the container's address ${url} is neither HTTPS nor local`);
  const file = environment["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"]?.trim() || null;
  const token =
    file === null
      ? (environment["AWS_CONTAINER_AUTHORIZATION_TOKEN"] ?? "")
      : await readFile(file, "utf8");
  const answer = await sendTokenRequest(send, url, {
    headers: token.trim() === "" ? {} : { authorization: token.trim() },
    signal: AbortSignal.timeout(5_000),
  });
  const keys = answer.ok ? parsed(await answer.text()) : null;
  if (keys === null) throw missing(`${url} sent no credentials (HTTP ${answer.status})`);
  return keys;
}

/** True for an HTTPS URL, and for an HTTP address that only this machine or its container host can have. */
function isNearby(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const local = ["127.0.0.1", "localhost", "[::1]", "169.254.170.2", "169.254.170.23"];
  return protocol === "https:" || local.includes(hostname);
}

function parsed(text: string): AwsCredentials | null {
  try {
    const { Token: token, ...fields } = JSON.parse(text);
    return keysIn({ SessionToken: token, ...fields });
  } catch {
    return null;
  }
}

function keysIn(fields: Readonly<Record<string, unknown>>): AwsCredentials | null {
  const text = (name: string): string | null => {
    const value = fields[name];
    return typeof value === "string" ? value.trim() || null : null;
  };
  const accessKeyId = text("AccessKeyId");
  const secretAccessKey = text("SecretAccessKey");
  if (accessKeyId === null || secretAccessKey === null) return null;
  const end = Date.parse(text("Expiration") ?? "");
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: text("SessionToken"),
    expiresAt: Number.isNaN(end) ? null : end,
  };
}

function missing(detail: string, cause?: unknown): ModelError {
  const places = "AWS_ACCESS_KEY_ID, AWS_PROFILE or AWS_BEARER_TOKEN_BEDROCK";
  return new ModelError("badKey", `No AWS credentials: ${detail}. Set ${places}.`, { cause });
}
