import { beChild, takeJob } from "../server/child-side.ts";
import { openProjects } from "./projects.ts";

// Child process of memory.ts that opens many directories.

const { count } = await takeJob<{ count: number }>();
const projects = await openProjects({ count: 2 * count, watch: true });
const { host } = projects.setup;

/** Closes all directories, as a server does with directories that were unused for a while. */
async function closeAll(): Promise<null> {
  const request = { kind: "close", directories: null, restart: [], revoke: [] } as const;
  const { ended } = await host.apply(request);
  await ended;
  return null;
}

async function openAll(directories: readonly string[]): Promise<null> {
  for (const directory of directories) await host.load(directory);
  return null;
}

// Warm-up, so that the memory of the program itself is allocated before the measurement.
for (let round = 0; round < 4; round += 1) {
  await openAll(projects.directories.slice(count));
  await closeAll();
  globalThis.gc?.();
}
beChild({
  ready: null,
  answers: {
    open: () => openAll(projects.directories.slice(0, count)),
    close: closeAll,
  },
  stop: () => projects.close(),
});
