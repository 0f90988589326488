import type { StoreRequest } from "../../../src/store/store.ts";
import type { Place, Settings } from "../support/place.ts";
import type { HeldBack } from "../support/tampered-store.ts";

export interface Race {
  /** Named after what happens, with the numbers of the promises that it proves. */
  readonly name: string;
  readonly settings?: Settings;
  readonly play: (place: Place) => Promise<void>;
}

/** Keeps every runtime from committing the start of its next run. */
export function holdBackStarts(place: Place): { arrived: Promise<void>; release: () => void } {
  const held: HeldBack[] = place.nodes.map((node) => node.store.holdBack(isStart));
  return {
    arrived: Promise.race(held.map(({ arrived }) => arrived)),
    release: () => {
      for (const { release } of held) release();
    },
  };
}

export function isStart({ command }: StoreRequest): boolean {
  return command.type === "run.start";
}

export function covered(receipt: {
  covered: readonly { promptId: string; was: string }[];
}): string[] {
  return receipt.covered.map(({ promptId, was }) => `${promptId} ${was}`);
}
