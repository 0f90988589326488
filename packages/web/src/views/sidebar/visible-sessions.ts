import { createSignal } from "solid-js";

/** Ids of the sessions in the list, from top to bottom: what keys go through. */
export const [visibleSessions, setVisibleSessions] = createSignal<readonly string[]>([]);
