/**
 * Returns the URL of the OpenTelemetry collector; null if none is configured. Appends `/v1/traces` to the general
 * endpoint, as the OpenTelemetry specification requires.
 */
export function collectorOf(environment: NodeJS.ProcessEnv): string | null {
  const own = environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]?.trim() ?? "";
  const general = environment["OTEL_EXPORTER_OTLP_ENDPOINT"]?.trim() ?? "";
  if (own !== "") return own;
  return general === "" ? null : `${general.replace(/\/+$/, "")}/v1/traces`;
}

/**
 * Parses OTEL_RESOURCE_ATTRIBUTES, a list such as `key=value,key=value` with percent-encoded values. As the
 * specification requires, ignores the whole list if a part of it is invalid. OTEL_SERVICE_NAME overrides
 * `service.name`.
 */
export function resourceAttributes(environment: NodeJS.ProcessEnv): Record<string, string> {
  const name = environment["OTEL_SERVICE_NAME"]?.trim() ?? "";
  const listed = attributesIn(environment["OTEL_RESOURCE_ATTRIBUTES"] ?? "");
  return name === "" ? listed : { ...listed, "service.name": name };
}

function attributesIn(list: string): Record<string, string> {
  try {
    const pairs = list
      .split(",")
      .filter((pair) => pair.trim() !== "")
      .map((pair) => {
        const [, key = "", value = ""] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(pair) ?? [];
        if (key === "") throw new Error("OTEL_RESOURCE_ATTRIBUTES has an entry without a key");
        return [decodeURIComponent(key), decodeURIComponent(value)];
      });
    return Object.fromEntries(pairs);
  } catch {
    return {};
  }
}
