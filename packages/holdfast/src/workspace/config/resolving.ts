import { isHarmless } from "../../agent/tools/environment.ts";
import type { Notice } from "../loader.ts";
import type { Layer } from "./layer.ts";
import { resolveReferences } from "./references.ts";
import { notice } from "./source.ts";
import type { KeyPath } from "./source.ts";
import { valueAt } from "./value-at.ts";

/** What is at hand while a merged config is resolved, and what is found out meanwhile. */
export interface Resolving {
  readonly directory: string;
  readonly home: string;
  readonly user: Layer;
  readonly project: Layer;
  readonly notices: Notice[];
  readonly secrets: string[];
  readonly files: string[];
  error(path: KeyPath, message: string): void;
  warn(path: KeyPath, message: string): void;
  /** The text with its references resolved; null, with an error, when one cannot be. */
  secret(path: KeyPath, text: string): Promise<string | null>;
  /** The same for variables or headers. What looks like a secret is kept as one. */
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

  const say = (severity: Notice["severity"], path: KeyPath, message: string): void => {
    notices.push(notice(severity, { place: layerOf(path).place(path), path, message }));
  };

  const secret = async (path: KeyPath, text: string): Promise<string | null> => {
    const folder = layerOf(path).folderOf(path);
    const resolved = await resolveReferences(text, { environment, home, folder });
    files.push(...resolved.files);
    if (resolved.status === "failed") {
      say("error", path, resolved.message);
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
    error: (path, message) => say("error", path, message),
    warn: (path, message) => say("warning", path, message),
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
