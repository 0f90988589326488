import { createSignal } from "solid-js";

/** Ids of the listed sessions from top to bottom, for keyboard navigation. */
export const [visibleSessions, setVisibleSessions] = createSignal<readonly string[]>([]);
