import { startPostgres } from "../../support/postgres.ts";
import { childrenAroundTheEnd, oneStep, promptsAroundTheEnd } from "../races/tries.ts";
import { startFarProcess } from "../support/far-node.ts";
import { openPostgresPlace, openSqlitePlace } from "../support/place.ts";
import type { Place, Scope, Settings } from "../support/place.ts";

interface Play {
  readonly name: string;
  readonly play: (place: Place, options: { tries: number; seed: number }) => Promise<void>;
}

const plays: readonly Play[] = [
  { name: "prompts around a run's end", play: promptsAroundTheEnd },
  {
    name: "prompts around a run's end, every signal lost",
    play: async (place, options) => {
      for (const node of place.nodes) await node.dropSignals();
      await promptsAroundTheEnd(place, options);
    },
  },
  { name: "background children around their parent's end", play: childrenAroundTheEnd },
];

/** Many tries of each race with a run's end; throws when one is lost or something is left behind. */
export async function playMoments(options: {
  store: "sqlite" | "postgres";
  tries: number;
  seed: number;
  onPlayed: (name: string) => void;
}): Promise<void> {
  const ground = options.store === "sqlite" ? sqliteGround : await postgresGround();
  try {
    for (const { name, play } of plays) {
      for (let played = 0; played < options.tries; played += ground.atOnce) {
        const tries = Math.min(ground.atOnce, options.tries - played);
        const cleanups: (() => Promise<void>)[] = [];
        const scope = { after: (clean: () => Promise<void>) => void cleanups.push(clean) };
        const place = await ground.open(scope, { agent: oneStep, maxRuns: 2 * tries });
        await play(place, { tries, seed: options.seed + played });
        for (const clean of cleanups) await clean();
      }
      options.onPlayed(name);
    }
  } finally {
    await ground.stop();
  }
}

interface Ground {
  /** Number of tries that run at the same time. With more, tries would only wait for the store. */
  readonly atOnce: number;
  open(scope: Scope, settings: Settings): Promise<Place>;
  stop(): Promise<void>;
}

const sqliteGround: Ground = { atOnce: 1_000, open: openSqlitePlace, stop: async () => {} };

/** Two processes, each of which could take any run. */
async function postgresGround(): Promise<Ground> {
  const server = await startPostgres();
  const processes = [startFarProcess(), startFarProcess()];
  return {
    atOnce: 100,
    open: async (scope, settings) => {
      const url = await server.createDatabase();
      return openPostgresPlace(scope, { ...settings, url, processes });
    },
    stop: async () => {
      await Promise.all(processes.map((process) => process.stop()));
      await server.stop();
    },
  };
}
