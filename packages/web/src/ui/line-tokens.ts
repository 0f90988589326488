import { createEffect, createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";
import type { DiffLine } from "@holdfast/model/diff-lines.ts";
import { languageOf } from "../model/language-of.ts";
import { highlight } from "./highlight.ts";
import type { CodeToken } from "./highlight.ts";

export type LineTokens = ReadonlyMap<DiffLine, readonly CodeToken[]>;

/** Maximum number of characters of the old and of the new file that are highlighted. Later lines have no colors. */
const longest = 60_000;
/** Milliseconds without changes to the lines before they are highlighted. */
const settleTime = 120;

/** Highlights the lines of a diff in a worker: the old lines and the new lines, each as one text. */
export function createLineTokens(
  lines: Accessor<readonly DiffLine[]>,
  path: Accessor<string>,
): Accessor<LineTokens> {
  const [tokens, setTokens] = createSignal<LineTokens>(new Map());
  createEffect(() => {
    const shown = lines();
    const language = languageOf(path());
    if (language === null) return;
    let isCurrent = true;
    const color = async (): Promise<void> => {
      const sides = await Promise.all([
        tokensOf(sideOf(shown, "remove"), language),
        tokensOf(sideOf(shown, "add"), language),
      ]);
      if (isCurrent) setTokens(new Map(sides.flat()));
    };
    const timer = setTimeout(() => void color(), settleTime);
    onCleanup(() => {
      isCurrent = false;
      clearTimeout(timer);
    });
  });
  return tokens;
}

/** Returns the lines of the old or the new file that are highlighted. */
function sideOf(lines: readonly DiffLine[], kind: "add" | "remove"): readonly DiffLine[] {
  let characters = 0;
  return lines.filter((line) => {
    if (line.kind !== kind && line.kind !== "same") return false;
    characters += line.text.length + 1;
    return characters <= longest;
  });
}

async function tokensOf(
  lines: readonly DiffLine[],
  language: string,
): Promise<[DiffLine, readonly CodeToken[]][]> {
  const code = lines.map(({ text }) => text).join("\n");
  const found = code === "" ? null : await highlight(code, language);
  return lines.flatMap((line, place) => {
    const tokens = found?.[place];
    return tokens === undefined ? [] : [[line, tokens] as [DiffLine, readonly CodeToken[]]];
  });
}
