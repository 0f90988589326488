import { createEffect, createSignal, on } from "solid-js";
import type { Accessor } from "solid-js";

/** The chosen entry of a list. Arrow keys and the pointer choose another entry. */
export interface ListPlace {
  readonly place: Accessor<number>;
  readonly choose: (place: number) => void;
  /** Moves the choice if the key is an arrow key. Returns true if the key was used. */
  readonly onKey: (key: string) => boolean;
}

/**
 * Keeps the choice inside the list when the list becomes shorter. After the last entry, the choice continues with the
 * first, and the other way round.
 */
export function createListPlace(count: Accessor<number>): ListPlace {
  const [place, setPlace] = createSignal(0);
  createEffect(on(count, (now) => setPlace((before) => Math.min(before, Math.max(0, now - 1)))));
  const onKey = (key: string): boolean => {
    const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    if (step === 0 || count() === 0) return false;
    setPlace((before) => (before + step + count()) % count());
    return true;
  };
  return { place, choose: (next) => setPlace(next), onKey };
}
