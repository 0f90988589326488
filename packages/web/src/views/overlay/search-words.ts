import { createSignal } from "solid-js";

/** The words of the latest search, so that opening the dialog again shows the same results. */
export const [searchWords, setSearchWords] = createSignal("");
