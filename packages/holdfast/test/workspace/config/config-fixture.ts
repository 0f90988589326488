import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "../../../src/workspace/config/read-config.ts";
import type { ReadConfig } from "../../../src/workspace/config/read-config.ts";
import { isError, noticeText, WorkspaceError } from "../../../src/workspace/loader.ts";
import type { Notice } from "../../../src/workspace/loader.ts";
import { temporaryFolder } from "../../agent/tools/workbench.ts";

export interface ConfigFixture {
  /** Everything is in here: `project`, `user`, `home`. */
  readonly root: string;
  readonly directory: string;
  readonly userFolder: string;
  /** Writes a file. The path is relative to the root, such as `project/holdfast.jsonc`. */
  write(path: string, content: string | Uint8Array | object): void;
  read(options?: {
    environment?: Record<string, string>;
    trusted?: string | null;
  }): Promise<ReadConfig>;
  /** Same as above, with all privileged settings trusted. */
  readTrusted(environment?: Record<string, string>): Promise<ReadConfig>;
  /** One line for each error, with paths relative to the root. */
  errors(environment?: Record<string, string>): Promise<readonly string[]>;
  /** One line for each notice of a valid config. */
  warnings(environment?: Record<string, string>): Promise<readonly string[]>;
  lines(notices: readonly Notice[]): readonly string[];
}

export function openConfigFixture(t: TestContext): ConfigFixture {
  const root = realpathSync(temporaryFolder(t));
  const directory = join(root, "project");
  const userFolder = join(root, "user");
  mkdirSync(directory);
  mkdirSync(join(root, "home"));
  const lines: ConfigFixture["lines"] = (notices) =>
    notices.map((notice) => noticeText(notice).replaceAll(`${root}/`, ""));
  const read: ConfigFixture["read"] = ({ environment = {}, trusted = null } = {}) =>
    readConfig({
      directory,
      userFolder,
      environment: { HOME: join(root, "home"), ...environment },
      trusted,
    });
  return {
    root,
    directory,
    userFolder,
    write: (path, content) => {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      const isRaw = typeof content === "string" || content instanceof Uint8Array;
      writeFileSync(file, isRaw ? content : JSON.stringify(content));
    },
    read,
    readTrusted: async (environment = {}) =>
      read({ environment, trusted: (await read()).powers.digest }),
    errors: async (environment = {}) => {
      try {
        await read({ environment });
        return [];
      } catch (error) {
        if (!(error instanceof WorkspaceError)) throw error;
        return lines(error.notices.filter(isError));
      }
    },
    warnings: async (environment = {}) => lines((await read({ environment })).notices),
    lines,
  };
}
