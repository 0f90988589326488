import { createEffect, createSignal, on, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";

/** Milliseconds for which a request must be at its place on the page before a click can answer it. */
export const noticedAfter = 1_000;

/**
 * Whether a request has been at its place long enough to be clicked on purpose. When a request closes, the next one
 * moves up and must wait again, so that the second click of a double click does not answer the next request.
 */
export function createNoticed(place: Accessor<unknown>): Accessor<boolean> {
  const [isNoticed, setNoticed] = createSignal(false);
  createEffect(
    on(place, () => {
      setNoticed(false);
      const timer = setTimeout(() => setNoticed(true), noticedAfter);
      onCleanup(() => clearTimeout(timer));
    }),
  );
  return isNoticed;
}
