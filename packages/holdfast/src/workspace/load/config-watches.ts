import type { ConfigWatch } from "../config/watch.ts";
import type { ResourcePlan } from "../loader.ts";

/** Watches the config files of open directories. */
export interface ConfigWatches {
  /**
   * Sets the config files to watch. Called after each attempt to read them, even a failed one. `since` is the time when
   * reading began.
   */
  update(directory: string, read: { files: readonly string[]; since: number }): void;
  /**
   * Returns the resource that watches the directory's config files. Each config version of the directory opens it. The
   * files are watched until all these config versions have closed it.
   */
  plan(directory: string): ResourcePlan;
  close(): void;
}

export interface WatchPorts {
  /** Creates a watch that watches no files yet. */
  readonly watch: (onChange: () => void) => ConfigWatch;
  readonly onChange: (directory: string) => void;
  readonly onError: (error: unknown) => void;
}

interface Watched {
  readonly watch: ConfigWatch;
  holders: number;
}

export function createConfigWatches(ports: WatchPorts): ConfigWatches {
  const { onChange, onError } = ports;
  const directories = new Map<string, Watched>();
  let closed = false;
  const watchedOf = (directory: string): Watched => {
    const known = directories.get(directory);
    if (known !== undefined) return known;
    const made = { watch: ports.watch(() => onChange(directory)), holders: 0 };
    directories.set(directory, made);
    return made;
  };
  const drop = (directory: string): void => {
    directories.get(directory)?.watch.close();
    directories.delete(directory);
  };
  return {
    update: (directory, { files, since }) => {
      if (closed) return;
      watchedOf(directory).watch.update(files, since).catch(onError);
    },
    plan: (directory) => ({
      key: `config:${directory}`,
      title: `config of ${directory}`,
      open: async () => {
        const watched = watchedOf(directory);
        watched.holders += 1;
        return {
          version: () => "",
          // Does nothing: `ports.onChange` reports changes of the config files, even if no config version could be
          // loaded.
          onChange: () => () => {},
          // A run may edit its own config and end before the file system reports the change.
          isOutdated: () => watched.watch.hasChanged(),
          close: async () => {
            watched.holders -= 1;
            if (watched.holders === 0 && directories.get(directory) === watched) drop(directory);
          },
        };
      },
    }),
    close: () => {
      closed = true;
      for (const directory of directories.keys()) drop(directory);
    },
  };
}
