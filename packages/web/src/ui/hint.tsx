import { createSignal, Show } from "solid-js";
import type { JSX } from "solid-js";

const [hint, setHint] = createSignal<{ text: string; x: number; y: number } | null>(null);

/** Shows a tooltip at the pointer. */
export function showHint(event: PointerEvent, text: string): void {
  if (event.pointerType === "mouse") setHint({ text, x: event.clientX, y: event.clientY });
}

export function hideHint(): void {
  setHint(null);
}

export function Hint(): JSX.Element {
  return (
    <Show when={hint()}>
      {(shown) => (
        <div
          class="chart-hint"
          aria-hidden="true"
          style={{ left: `${Math.min(shown().x, innerWidth - 260)}px`, top: `${shown().y}px` }}
        >
          {shown().text}
        </div>
      )}
    </Show>
  );
}
