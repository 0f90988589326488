import type { CommandType } from "../../../src/kernel/command.ts";
import type { Place, Settings } from "../support/place.ts";

export interface Race {
  /** Description of the race, with the numbers of the promises that it tests. */
  readonly name: string;
  readonly settings?: Settings;
  readonly play: (place: Place) => Promise<void>;
}

/** Keeps every runtime from committing its next command of this type. */
export async function holdBack(
  place: Place,
  type: CommandType,
): Promise<{ arrived: Promise<void>; release: () => void }> {
  const held = await Promise.all(place.nodes.map((node) => node.holdBack(type)));
  return {
    arrived: Promise.race(held.map(({ arrived }) => arrived)),
    release: () => {
      for (const { release } of held) release();
    },
  };
}

export function covered(receipt: {
  covered: readonly { promptId: string; was: string }[];
}): string[] {
  return receipt.covered.map(({ promptId, was }) => `${promptId} ${was}`);
}
