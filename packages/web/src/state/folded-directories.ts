import { createSignal } from "solid-js";
import { readStored, writeStored } from "./storage.ts";

const name = "foldedDirectories";

const [folded, setFolded] = createSignal<ReadonlySet<string>>(stored());

/** Directories that are folded: the list hides their sessions. */
export const foldedDirectories = folded;

export function toggleFolded(directory: string): void {
  const next = new Set(folded());
  if (!next.delete(directory)) next.add(directory);
  setFolded(next);
  writeStored(name, [...next]);
}

function stored(): ReadonlySet<string> {
  const value = readStored<unknown>(name, []);
  return new Set(Array.isArray(value) ? value.filter((each) => typeof each === "string") : []);
}

/** Applies directories that another tab has folded. */
addEventListener("storage", ({ key }) => {
  if (key === `holdfast.${name}`) setFolded(stored());
});
