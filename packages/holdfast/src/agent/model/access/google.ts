import { createSign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isMissing } from "../../../base/folders.ts";
import { ModelError } from "../model.ts";
import { createRenewable, keyAccess, withCredentials } from "./access.ts";
import type { Access } from "./access.ts";
import { googleCredentialsFile, isSecure, requestToken } from "./google-token.ts";
import type { GoogleToken } from "./google-token.ts";
import type { AccessTarget } from "./open-access.ts";

/** Creates the access to Google Vertex with application default credentials, or with an API key of express mode. */
export function googleAccess({ provider, fetch, learn }: AccessTarget): Access {
  const { key, environment = {} } = provider;
  if (key !== null) return keyAccess({ "x-goog-api-key": key }, "Create a new API key.");
  const tokens = createRenewable({
    load: async () => {
      const loaded = await loadToken(environment, fetch);
      learn([loaded.token]);
      return loaded;
    },
    expiresAt: ({ expiresAt }) => expiresAt,
    isSame: (left, right) => left.token === right.token,
  });
  return {
    advice: "Sign in again: gcloud auth application-default login",
    authorize: async (request) => {
      const used = await tokens.get();
      const project = used.quotaProject;
      const credentials = {
        authorization: `Bearer ${used.token}`,
        ...(project === null ? {} : { "x-goog-user-project": project }),
      };
      return {
        request: withCredentials(request, credentials),
        renew: () => tokens.renew(used),
      };
    },
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

async function loadToken(environment: Environment, send: typeof fetch): Promise<GoogleToken> {
  const file = googleCredentialsFile(environment);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    const isNamed = (environment["GOOGLE_APPLICATION_CREDENTIALS"] ?? "").trim() !== "";
    if (isMissing(error) && !isNamed) return null;
    throw unusable(`${file} cannot be read`, error);
  });
  if (text === null) return metadataToken(environment, send);
  const fields = fieldsOf(text, file);
  const { type } = fields;
  if (type === "service_account") return serviceAccountToken(fields, { file, send });
  if (type === "authorized_user") return userToken(fields, { file, send });
  throw unusable(`${file} has the type ${JSON.stringify(type)}, which is not supported`);
}

type Fields = Readonly<Record<string, string | undefined>>;
interface Source {
  readonly file: string;
  readonly send: typeof fetch;
}

const usualTokenUrl = "https://oauth2.googleapis.com/token";

/** Exchanges a signed assertion for a token (RFC 7523). */
async function serviceAccountToken(fields: Fields, { file, send }: Source): Promise<GoogleToken> {
  const { client_email: email, private_key: privateKey, private_key_id: keyId } = fields;
  if (email === undefined || privateKey === undefined) {
    throw unusable(`${file} has no client_email or no private_key`);
  }
  const url = tokenUrlOf(fields, file);
  const now = Math.floor(Date.now() / 1_000);
  const scope = "https://www.googleapis.com/auth/cloud-platform";
  const header = encoded({
    alg: "RS256",
    typ: "JWT",
    ...(keyId === undefined ? {} : { kid: keyId }),
  });
  const claims = encoded({ iss: email, scope, aud: url, iat: now, exp: now + 3_600 });
  const signature = signed(`${header}.${claims}`, { privateKey, file });
  return requestToken(
    {
      url,
      form: {
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: `${header}.${claims}.${signature}`,
      },
      quotaProject: null,
    },
    send,
  );
}

function signed(text: string, { privateKey, file }: { privateKey: string; file: string }): string {
  try {
    return createSign("RSA-SHA256").update(text).sign(privateKey, "base64url");
  } catch (error) {
    throw unusable(`the private_key in ${file} is not a valid key`, error);
  }
}

/** Renews a sign-in that `gcloud auth application-default login` created. */
async function userToken(fields: Fields, { file, send }: Source): Promise<GoogleToken> {
  const { client_id: id, client_secret: secret, refresh_token: refresh } = fields;
  if (id === undefined || secret === undefined || refresh === undefined) {
    throw unusable(`${file} has no refresh_token`);
  }
  const form = {
    grant_type: "refresh_token",
    client_id: id,
    client_secret: secret,
    refresh_token: refresh,
  };
  const quotaProject = fields["quota_project_id"] ?? null;
  return requestToken({ url: tokenUrlOf(fields, file), form, quotaProject }, send);
}

/** Requests the token of a Google Cloud machine from its metadata server. */
async function metadataToken(environment: Environment, send: typeof fetch): Promise<GoogleToken> {
  const host = environment["GCE_METADATA_HOST"]?.trim() || "metadata.google.internal";
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  try {
    return await requestToken({ url, form: null, quotaProject: null }, send);
  } catch (error) {
    if (error instanceof ModelError && error.cause === undefined) throw error;
    throw unusable("no credentials file was found, and this machine is not on Google Cloud", error);
  }
}

function tokenUrlOf({ token_uri: url = usualTokenUrl }: Fields, file: string): string {
  if (isSecure(url)) return url;
  throw unusable(`the token_uri in ${file} is not an HTTPS address`);
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Parses a credentials file. The error message does not quote the file, because it contains a key. */
function fieldsOf(text: string, file: string): Fields {
  try {
    const entries = Object.entries(JSON.parse(text));
    const texts = entries.filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    return Object.fromEntries(texts);
  } catch {
    throw unusable(`${file} is not JSON`);
  }
}

function unusable(detail: string, cause?: unknown): ModelError {
  const advice =
    "Set GOOGLE_APPLICATION_CREDENTIALS, or run: gcloud auth application-default login";
  return new ModelError("badKey", `No Google credentials: ${detail}. ${advice}`, { cause });
}
