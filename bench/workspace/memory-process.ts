import { beChild, takeJob } from "../server/child-side.ts";
import { openProjects } from "./projects.ts";

// Holds many directories, and nothing else. Run by memory.ts.

const { count } = await takeJob<{ count: number }>();
const projects = await openProjects({ count: 2 * count, watch: true });
const { host } = projects.setup;

/** What is done to a directory that nobody has used for a while. */
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

// What the program itself comes to keep is there before those that are measured.
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
