import { createSignal } from "solid-js";

/** The id of an entry that the next session to be shown brings into sight. */
export const [focusTarget, setFocusTarget] = createSignal<string | null>(null);
