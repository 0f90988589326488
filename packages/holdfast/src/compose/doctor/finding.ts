/** Result of one check of the setup. */
export interface Finding {
  /** The checked part, such as `config`. */
  readonly subject: string;
  /** `unknown`: the check could not be made. */
  readonly status: "ok" | "warning" | "error" | "unknown";
  readonly text: string;
  /** Command or action that solves the problem; null if there is none. */
  readonly fix: string | null;
}

export interface Check {
  readonly subject: string;
  readonly run: (signal: AbortSignal) => Promise<readonly Finding[]>;
}

export function ok(subject: string, text: string): Finding {
  return { subject, status: "ok", text, fix: null };
}

export function warn(subject: string, text: string, fix: string): Finding {
  return { subject, status: "warning", text, fix };
}

export function fail(subject: string, text: string, fix: string): Finding {
  return { subject, status: "error", text, fix };
}

export function unknown(subject: string, text: string, fix: string | null = null): Finding {
  return { subject, status: "unknown", text, fix };
}

/** Not checked, because the config has errors. The check `config` reports these errors with the fix. */
export function brokenConfig(subject: string): Finding {
  return unknown(subject, "not checked, because the config has errors");
}

/** Not checked, because the stored keys cannot be read. The check `keys` reports this error with the fix. */
export function brokenKeys(subject: string): Finding {
  return unknown(subject, "not checked, because the stored keys cannot be read");
}
