import { isHarmless } from "../../agent/tools/environment.ts";
import type { Notice } from "../loader.ts";
import type { Layer } from "./layer.ts";
import { resolveReferences } from "./references.ts";
import { notice } from "./source.ts";
import type { KeyPath, Place } from "./source.ts";

/** Shared inputs and results of the functions that resolve a merged config. */
export interface Resolving {
  readonly directory: string;
  readonly home: string;
  readonly user: Layer;
  readonly project: Layer;
  readonly notices: Notice[];
  readonly secrets: string[];
  readonly files: string[];
  /** Returns the file, line and column of a config value. */
  place(path: KeyPath): Place;
  error(path: KeyPath, message: string): void;
  warn(path: KeyPath, message: string): void;
  /** Resolves the references in a text. Returns null and adds an error if one fails. */
  secret(path: KeyPath, text: string): Promise<string | null>;
  /**
   * Resolves the references in variables or headers. The resolved values, and other values that look like secrets, are
   * redacted.
   */
  secretEntries(
    path: KeyPath,
    entries: Readonly<Record<string, string>> | undefined,
  ): Promise<Record<string, string>>;
}

export function createResolving(options: {
  readonly directory: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly user: Layer;
  readonly project: Layer;
}): Resolving {
  const { environment, home, user, project } = options;
  const notices: Notice[] = [];
  const secrets: string[] = [];
  const files: string[] = [];
  const layerOf = (path: KeyPath): Layer =>
    valueAt(project.value, path) === undefined ? user : project;

  const place = (path: KeyPath): Place => layerOf(path).place(path);
  const addNotice = (severity: Notice["severity"], path: KeyPath, message: string): void => {
    notices.push(notice(severity, { place: place(path), path, message }));
  };

  const secret = async (path: KeyPath, text: string): Promise<string | null> => {
    const folder = layerOf(path).folderOf(path);
    const resolved = await resolveReferences(text, { environment, home, folder });
    files.push(...resolved.files);
    if (resolved.status === "failed") {
      addNotice("error", path, resolved.message);
      return null;
    }
    secrets.push(...resolved.secrets);
    return resolved.text;
  };

  return {
    directory: options.directory,
    home,
    user,
    project,
    notices,
    secrets,
    files,
    place,
    error: (path, message) => addNotice("error", path, message),
    warn: (path, message) => addNotice("warning", path, message),
    secret,
    secretEntries: async (path, entries = {}) => {
      const result: [string, string][] = [];
      for (const [name, written] of Object.entries(entries)) {
        const value = await secret([...path, name], written);
        if (value === null) continue;
        if (isSecret(name, value)) secrets.push(value);
        result.push([name, value]);
      }
      return Object.fromEntries(result);
    },
  };
}

function isSecret(name: string, value: string): boolean {
  return /^(?:proxy-)?authorization$/i.test(name) || !isHarmless(name, value);
}

/** Returns the value at a path, or undefined. */
export function valueAt(value: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (part, key) =>
      typeof part === "object" && part !== null && Object.hasOwn(part, key)
        ? Reflect.get(part, key)
        : undefined,
    value,
  );
}

/** Returns an own property only, so that a name from a file, such as `constructor`, finds no inherited property. */
export function entryOf<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Checks that an address is an HTTP URL. A password in it is redacted. */
export function checkAddress(path: KeyPath, address: string, resolving: Resolving): boolean {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    resolving.error(path, "must be an HTTP URL, such as http://localhost:8080/v1");
    return false;
  }
  if (url.password !== "") {
    resolving.secrets.push(url.password);
    try {
      resolving.secrets.push(decodeURIComponent(url.password));
    } catch {
      // The password cannot be decoded. Its encoded form is already redacted.
    }
  }
  return true;
}

export function checkHeaders(
  path: KeyPath,
  headers: Readonly<Record<string, string>>,
  resolving: Resolving,
): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      resolving.error([...path, name], "is not a valid header name");
    }
    if (/[\0\r\n]/.test(value)) {
      resolving.error([...path, name], "must be one line, without control characters");
    }
  }
}
