import { createSignal } from "solid-js";

/** Id of the entry that the next session page scrolls to. */
export const [focusTarget, setFocusTarget] = createSignal<string | null>(null);
