import type { ConfigWatch } from "../config/watch.ts";
import type { ResourcePlan } from "../loader.ts";

/** Watches the files that directories were loaded from, for as long as those are open. */
export interface ConfigWatches {
  /** The directory was read, or could not be: these files matter now. `since`: when that began. */
  seen(directory: string, read: { files: readonly string[]; since: number }): void;
  /** Held by the directory's generations: when the last is gone, nobody watches any more. */
  plan(directory: string): ResourcePlan;
  close(): void;
}

export interface WatchPorts {
  /** Starts to watch nothing yet. */
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
    seen: (directory, { files, since }) => {
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
          // Whoever wants to hear of changes does so here, also where nothing could be loaded.
          onChange: () => () => {},
          // A run may edit its own config and end before the change is told.
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
