import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount } from "solid-js";
import type { JSX } from "solid-js";
import { placeRows, rowAt, rowsInSight } from "../model/row-heights.ts";

export interface ListControl {
  /** Scrolls to the end. The list then stays at its end while it grows. */
  toEnd(): void;
  /** Scrolls to a row. If the list does not have the row yet, waits for it. */
  toRow(id: string): void;
  scrollBy(pages: number): void;
  /** Scrolls to a row if it is not visible. */
  reveal(id: string): void;
}

/** A list that is scrolled to at most this many pixels before its end counts as scrolled to the end. */
const nearEnd = 48;
/** Maximum number of rows to print. Of a longer list, only the last rows are printed. */
const printedAtMost = 2_000;
/** Milliseconds after a wheel, key or touch event in which scrolling counts as caused by the reader. */
const actsFor = 400;

/** Calls `change` when the browser starts and ends printing, until the component is removed. */
function onPrint(change: (isPrinting: boolean) => void): void {
  const begin = (): void => change(true);
  const end = (): void => change(false);
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
  onCleanup(() => {
    removeEventListener("beforeprint", begin);
    removeEventListener("afterprint", end);
  });
}

/**
 * A long list that renders only its visible part. A log stays at its end while it grows, any other list at its
 * beginning. If the reader has scrolled elsewhere, the visible rows stay in place.
 */
export function VirtualList(props: {
  ids: readonly string[];
  label: string;
  kind: "log" | "list";
  /** Assumed row height until the row is measured. */
  estimate: number;
  class: string;
  rowClass: string;
  /** Nesting level of a row, from 1. */
  level?: (id: string) => number;
  row: (id: string) => JSX.Element;
  /** Called when the reader scrolls near the beginning. */
  onBegin?: () => void;
  /** Called when the reader scrolls near the end. */
  onEnd?: () => void;
  onAtEnd?: (isAtEnd: boolean) => void;
  control?: (control: ListControl) => void;
  /** Content above the first row. */
  head?: JSX.Element;
  /** Content below the last row. */
  foot?: JSX.Element;
}): JSX.Element {
  let scroller: HTMLDivElement | undefined;
  let inner: HTMLDivElement | undefined;
  const heights = new Map<string, number>();
  const [measured, setMeasured] = createSignal(0);
  const [sight, setSight] = createSignal({ top: 0, height: 800 });
  const places = createMemo(() => {
    measured();
    return placeRows(props.ids, heights, props.estimate);
  });
  const [isPrinting, setPrinting] = createSignal(false);
  const range = createMemo(
    () =>
      isPrinting()
        ? { first: Math.max(0, props.ids.length - printedAtMost), end: props.ids.length }
        : rowsInSight(places(), { ...sight(), spare: 600 }),
    { first: 0, end: 0 },
    { equals: (before, after) => before.first === after.first && before.end === after.end },
  );
  const visible = createMemo(() => props.ids.slice(range().first, range().end));
  const total = (): number => places().edges[props.ids.length] ?? 0;

  const isLog = props.kind === "log";
  let isAtEnd = isLog;
  /** The row at the top edge, and how many pixels of it are hidden above. */
  let anchor: { id: string; above: number } | null = null;
  /** Id of the row to scroll to as soon as the list contains it. */
  let awaited: string | null = null;
  /**
   * Last scroll position that this component has set itself. A scroll event at this position was not caused by the
   * reader.
   */
  let putAt = -1;
  /** Heights of the content and of the visible area at the last check. */
  let known = { scrollHeight: 0, clientHeight: 0 };
  /** When the reader last scrolled. */
  let actedAt = -Infinity;
  let isHeld = false;
  const act = (): void => {
    actedAt = performance.now();
  };
  /** Whether the reader caused a scroll event. Shrinking content also changes the scroll position. */
  const isReaders = (): boolean => {
    if (scroller === undefined) return false;
    if (isHeld || performance.now() - actedAt < actsFor) return true;
    const { scrollHeight, clientHeight } = scroller;
    return scrollHeight === known.scrollHeight && clientHeight === known.clientHeight;
  };

  const headHeight = (): number => inner?.offsetTop ?? 0;
  const remember = (): void => {
    if (scroller === undefined) return;
    const top = scroller.scrollTop - headHeight();
    if (!isLog && top <= 0) {
      anchor = null;
      return;
    }
    const index = rowAt(places(), Math.max(0, top));
    const id = props.ids[index];
    anchor = id === undefined ? null : { id, above: top - (places().edges[index] ?? 0) };
  };
  const keepPlace = (): void => {
    if (scroller === undefined) return;
    let top: number | null = null;
    if (isAtEnd) top = scroller.scrollHeight - scroller.clientHeight;
    else if (anchor !== null) {
      const index = places().indexes.get(anchor.id);
      if (index !== undefined) top = (places().edges[index] ?? 0) + anchor.above + headHeight();
    }
    if (top !== null && Math.abs(scroller.scrollTop - top) > 0.5) {
      scroller.scrollTop = top;
      putAt = scroller.scrollTop;
    }
    look();
  };
  const goTo = (id: string): void => {
    awaited = null;
    setAtEnd(false);
    anchor = { id, above: -80 };
    keepPlace();
  };
  const look = (): void => {
    if (scroller === undefined) return;
    known = { scrollHeight: scroller.scrollHeight, clientHeight: scroller.clientHeight };
    setSight({ top: scroller.scrollTop - headHeight(), height: scroller.clientHeight });
    if (scroller.scrollTop < 1_500) props.onBegin?.();
    const below = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    if (below < 1_500) props.onEnd?.();
  };
  const setAtEnd = (value: boolean): void => {
    if (isAtEnd === value) return;
    isAtEnd = value;
    props.onAtEnd?.(value);
  };
  const onScroll = (): void => {
    if (scroller === undefined) return;
    const isOwn = Math.abs(scroller.scrollTop - putAt) < 1;
    putAt = -1;
    if (isAtEnd && !isOwn && !isReaders()) {
      keepPlace();
      return;
    }
    if (!isOwn) {
      const below = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
      setAtEnd(isLog && below < nearEnd);
      remember();
    }
    look();
  };

  const observer = new ResizeObserver((entries) => {
    let hasChanged = false;
    for (const entry of entries) {
      if (!(entry.target instanceof HTMLElement)) continue;
      const id = entry.target.dataset["row"];
      if (id === undefined) {
        hasChanged = true;
        continue;
      }
      const height = entry.borderBoxSize[0]?.blockSize ?? 0;
      if (height === 0 || heights.get(id) === height) continue;
      heights.set(id, height);
      hasChanged = true;
    }
    if (!hasChanged) return;
    setMeasured((count) => count + 1);
    keepPlace();
  });
  /**
   * Scrolls to the start or the end at once on Home or End. The browser would scroll smoothly, and the measuring of
   * rows on the way would stop this scrolling.
   */
  const onKey = (event: KeyboardEvent): void => {
    act();
    const hasModifier = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    const isText =
      event.target instanceof Element && event.target.closest("input, textarea, select");
    if (scroller === undefined || hasModifier || isText) return;
    if (event.key === "Home") scroller.scrollTop = 0;
    else if (event.key === "End") scroller.scrollTop = scroller.scrollHeight;
    else return;
    event.preventDefault();
  };
  const release = (): void => {
    isHeld = false;
    act();
  };
  onCleanup(() => observer.disconnect());
  onPrint(isLog ? setPrinting : () => {});
  onMount(() => {
    if (scroller === undefined) return;
    observer.observe(scroller);
    keepPlace();
    props.control?.({
      toEnd: () => {
        setAtEnd(true);
        keepPlace();
      },
      toRow: (id) => {
        if (places().indexes.has(id)) goTo(id);
        else awaited = id;
      },
      scrollBy: (pages) => {
        act();
        scroller?.scrollBy({ top: pages * (scroller.clientHeight - 80) });
      },
      reveal: (id) => {
        const index = places().indexes.get(id);
        if (index === undefined || scroller === undefined) return;
        const { edges } = places();
        const above = headHeight() + (edges[index] ?? 0) - scroller.scrollTop;
        const below = headHeight() + (edges[index + 1] ?? 0) - scroller.scrollTop;
        if (above >= 0 && below <= scroller.clientHeight) return;
        setAtEnd(false);
        anchor = { id, above: -scroller.clientHeight / 3 };
        keepPlace();
      },
    });
  });
  createEffect(
    on(
      () => props.ids,
      () => {
        if (awaited !== null && places().indexes.has(awaited)) goTo(awaited);
        else keepPlace();
      },
      { defer: true },
    ),
  );

  return (
    <div
      class={props.class}
      ref={scroller}
      onScroll={onScroll}
      onWheel={act}
      onTouchMove={act}
      onKeyDown={onKey}
      onPointerDown={() => {
        isHeld = true;
        addEventListener("pointerup", release, { once: true });
        addEventListener("pointercancel", release, { once: true });
      }}
      tabindex={isLog ? 0 : -1}
      role={isLog ? "log" : undefined}
      aria-label={isLog ? props.label : undefined}
      aria-live={isLog ? "off" : undefined}
    >
      {props.head}
      <div class="virtual-rows" ref={inner} style={{ height: `${total()}px` }}>
        <div
          class="virtual-window"
          role={isLog ? undefined : "list"}
          aria-label={isLog ? undefined : props.label}
          style={{ transform: `translateY(${places().edges[range().first] ?? 0}px)` }}
        >
          <For each={visible()}>
            {(id) => {
              const element = (
                <div
                  class={props.rowClass}
                  data-row={id}
                  role={isLog ? undefined : "listitem"}
                  aria-level={props.level?.(id)}
                >
                  {props.row(id)}
                </div>
              );
              if (element instanceof HTMLElement) {
                observer.observe(element);
                onCleanup(() => {
                  observer.unobserve(element);
                  // Keep the focus in the list if the focused row leaves it, so that keys still scroll the list.
                  if (element.contains(document.activeElement)) {
                    scroller?.focus({ preventScroll: true });
                  }
                });
              }
              return element;
            }}
          </For>
        </div>
      </div>
      {props.foot}
    </div>
  );
}
