import { childrenAroundTheEnd, oneStep, promptsAroundTheEnd } from "../races/tries.ts";
import { openSqlitePlace } from "../support/place.ts";
import type { Place } from "../support/place.ts";

interface Play {
  readonly name: string;
  readonly play: (place: Place, options: { tries: number; seed: number }) => Promise<void>;
}

const plays: readonly Play[] = [
  { name: "prompts around a run's end", play: promptsAroundTheEnd },
  {
    name: "prompts around a run's end, every signal lost",
    play: async (place, options) => {
      place.first.store.dropSignals();
      await promptsAroundTheEnd(place, options);
    },
  },
  { name: "background children around their parent's end", play: childrenAroundTheEnd },
];

/** Many tries of each race with a run's end; throws when one is lost or something is left behind. */
export async function playMoments(options: {
  tries: number;
  seed: number;
  onPlayed: (name: string) => void;
}): Promise<void> {
  for (const { name, play } of plays) {
    const cleanups: (() => Promise<void>)[] = [];
    const scope = { after: (clean: () => Promise<void>) => void cleanups.push(clean) };
    const place = await openSqlitePlace(scope, { agent: oneStep, maxRuns: 2 * options.tries });
    await play(place, options);
    for (const clean of cleanups) await clean();
    options.onPlayed(name);
  }
}
