import { createSignal } from "solid-js";
import { longestFormula } from "./markdown-extensions.ts";

type Draw = (source: string, options: { isBlock: boolean }) => string | null;

const [draw, setDraw] = createSignal<Draw | null>(null);
let isLoading = false;

/** Changes when the formula library is loaded, so that answers with formulas are drawn again. */
export const mathLibrary = draw;

/**
 * Converts a formula to MathML. Returns null if the formula cannot be parsed, or if the library is not loaded yet; the
 * first call loads it.
 */
export function drawFormula(source: string, options: { isBlock: boolean }): string | null {
  if (source.length > longestFormula) return null;
  const known = draw();
  if (known === null) void load();
  return known?.(source, options) ?? null;
}

async function load(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  try {
    const { default: temml } = await import("temml");
    setDraw(() => (source: string, { isBlock }: { isBlock: boolean }) => {
      try {
        // `trust` is off: no links and no HTML attributes. The limits stop formulas that would expand without end.
        const drawn = temml.renderToString(source, {
          displayMode: isBlock,
          throwOnError: true,
          trust: false,
          strict: false,
          maxExpand: 500,
          maxSize: [20, 2_000],
        });
        // Remove style attributes. The page's content security policy forbids them, and the browser already blocks them
        // when the sanitizer parses this HTML.
        return drawn.replace(/(<[^>]*?) style="[^"]*"/g, "$1");
      } catch {
        return null;
      }
    });
  } catch {
    // If loading fails, the page shows the source of the formula. The next formula tries again.
    isLoading = false;
  }
}
