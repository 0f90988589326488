/** URLs of model APIs, read from the environment variables that people have set for a vendor's own tools. */

type Environment = Readonly<Record<string, string | undefined>>;

/** Adds `/v1` to ANTHROPIC_BASE_URL if it is missing, as Anthropic's own tools do. */
export function anthropicAddress(environment: Environment): string | null {
  const given = firstOf(environment, ["ANTHROPIC_BASE_URL"]);
  return given === null ? null : withEnd(given, "/v1");
}

/** Adds `/v1beta` to GOOGLE_GEMINI_BASE_URL if it is missing, as Google's own tools do. */
export function googleAddress(environment: Environment): string | null {
  const own = firstOf(environment, ["GOOGLE_BASE_URL"]);
  const given = firstOf(environment, ["GOOGLE_GEMINI_BASE_URL"]);
  return own ?? (given === null ? null : withEnd(given, "/v1beta"));
}

export function azureAddress(environment: Environment): string | null {
  const resource = firstOf(environment, ["AZURE_RESOURCE_NAME", "AZURE_OPENAI_RESOURCE_NAME"]);
  const isName = resource !== null && /^[a-z0-9-]{1,63}$/i.test(resource);
  const usual = isName ? `https://${resource}.openai.azure.com` : null;
  const endpoint =
    firstOf(environment, ["AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_BASE_URL"]) ?? usual;
  const version = firstOf(environment, ["AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"]);
  const url = endpoint === null ? null : URL.parse(endpoint);
  if (url === null || version === null || url.searchParams.has("api-version")) return endpoint;
  url.searchParams.set("api-version", version);
  return url.href;
}

export function bedrockAddress(environment: Environment): string | null {
  const given = firstOf(environment, ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"]);
  const region = firstOf(environment, ["AWS_REGION", "AWS_DEFAULT_REGION"]);
  if (given !== null || region === null) return given;
  // Accept only a valid region name, because it becomes part of the host name.
  if (!/^[a-z]{2,}(?:-[a-z]+)+-\d+$/.test(region)) return null;
  const suffix = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return `https://bedrock-runtime.${region}.${suffix}`;
}

export function vertexAddress(environment: Environment): string | null {
  const project = firstOf(environment, [
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_VERTEX_PROJECT",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "GCLOUD_PROJECT",
  ]);
  const location =
    firstOf(environment, ["GOOGLE_CLOUD_LOCATION", "GOOGLE_VERTEX_LOCATION", "CLOUD_ML_REGION"]) ??
    "global";
  if (project === null || !/^[a-z0-9.:-]+$/i.test(project) || !/^[a-z0-9-]+$/.test(location)) {
    return null;
  }
  return `https://${vertexHost(location)}/v1beta1/projects/${project}/locations/${location}`;
}

function vertexHost(location: string): string {
  if (location === "global") return "aiplatform.googleapis.com";
  if (location === "eu" || location === "us") return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

function withEnd(url: string, end: string): string {
  const plain = url.replace(/\/+$/, "");
  return plain.endsWith(end) ? plain : `${plain}${end}`;
}

/** Returns the first variable that is set. An empty variable counts as not set. */
export function firstOf(environment: Environment, names: readonly string[]): string | null {
  const values = names.map((name) => environment[name]?.trim() ?? "");
  return values.find((value) => value !== "") ?? null;
}
