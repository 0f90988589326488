import { createEffect, createSignal, onCleanup } from "solid-js";
import type { Accessor } from "solid-js";

/** Follows a value, but updates at most once per interval. The last value is never lost. */
export function throttled<Value>(read: Accessor<Value>, milliseconds: number): Accessor<Value> {
  const [value, setValue] = createSignal(read(), { equals: false });
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isNew = false;
  const update = (): void => {
    timer = null;
    if (!isNew) return;
    isNew = false;
    setValue(() => read());
    timer = setTimeout(update, milliseconds);
  };
  createEffect(() => {
    read();
    isNew = true;
    if (timer === null) update();
  });
  onCleanup(() => {
    if (timer !== null) clearTimeout(timer);
  });
  return value;
}
