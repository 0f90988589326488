import { createHash, createHmac } from "node:crypto";
import type { RawRequest } from "../../../../../../gauntlet/model-server/model-server.ts";

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Computes the signature again, as AWS does. Returns the problem, or null. */
export function sigV4Problem(
  request: RawRequest,
  { keys, region }: { keys: AwsKeys; region: string },
): string | null {
  const {
    authorization = "",
    "x-amz-date": date = "",
    "x-amz-security-token": token,
  } = request.headers;
  const [, credential = "", names = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      authorization,
    ) ?? [];
  const day = String(date).slice(0, 8);
  const scope = `${day}/${region}/bedrock/aws4_request`;
  if (credential !== `${keys.accessKeyId}/${scope}`) return `the credential is ${credential}`;
  if ((token ?? null) !== (keys.sessionToken ?? null)) return "the session token is another one";
  const signed = names.split(";");
  const needed = ["host", "x-amz-date", ...(token === undefined ? [] : ["x-amz-security-token"])];
  const missing = needed.find((name) => !signed.includes(name));
  if (missing !== undefined) return `${missing} is not signed`;
  if (Math.abs(Date.now() - timeOf(String(date))) > 300_000) return "the date is too far away";
  const [path = "", query = ""] = request.url.split("?");
  const canonical = [
    request.method,
    path.split("/").map(encoded).join("/"),
    query.split("&").toSorted().join("&"),
    ...signed.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    names,
    createHash("sha256").update(request.body).digest("hex"),
  ].join("\n");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const key = [day, region, "bedrock", "aws4_request"].reduce<Buffer | string>(
    (secret, text) => createHmac("sha256", secret).update(text).digest(),
    `AWS4${keys.secretAccessKey}`,
  );
  const text = ["AWS4-HMAC-SHA256", date, scope, digest].join("\n");
  const expected = createHmac("sha256", key).update(text).digest("hex");
  return expected === signature ? null : "the signature does not match";
}

/** AWS encodes a path once more before it signs. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.codePointAt(0)?.toString(16).toUpperCase()}`,
  );
}

function timeOf(date: string): number {
  return Date.parse(
    date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
  );
}
