import { Refused } from "@holdfast/sdk";
import type { FeedItem } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { holdfast } from "./client.ts";
import { whenWanted } from "./presence.ts";

/**
 * `lost`: the server does not answer; it is asked again by itself. `signedOut`: it does, but does not
 * know this browser.
 */
export type ConnectionStatus = "connecting" | "live" | "lost" | "signedOut";

const [status, setStatus] = createSignal<ConnectionStatus>("connecting");
export const connectionStatus = status;

const [stopsAt, setStopsAt] = createSignal<number | null>(null);
/** Until when active runs may go on, by the server's clock, while it is about to stop; else null (M9). */
export const serverStopsAt = stopsAt;

const [problem, setProblem] = createSignal<string | null>(null);
/** Why commands run without a sandbox on the server's machine; null if they run in one. */
export const sandboxProblem = problem;

type Listener = (item: FeedItem) => void;
const listeners = new Set<Listener>();

/** Hears everything that happens on the server, each event once. Answers how to stop. */
export function onFeed(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let isLive = false;
const waitingForLive: (() => void)[] = [];

/**
 * Resolves when events are followed for the first time. What is asked for after that cannot fall
 * into a gap between the answer and the first event.
 */
export function whenFollowing(): Promise<void> {
  return isLive ? Promise.resolve() : new Promise((resolve) => waitingForLive.push(resolve));
}

const firstPause = 250;
const longestPause = 5_000;

/**
 * Follows the server for as long as the page lives. One connection for each page is all there is:
 * browsers allow six to a server, whatever the number of pages.
 */
export async function followServer(): Promise<void> {
  let cursor: string | null = null;
  let pause = firstPause;
  for (;;) {
    const { signal: isUnwanted, deltas, release } = await whenWanted();
    const cut = new AbortController();
    const signal = AbortSignal.any([isUnwanted, cut.signal]);
    const stopLooking = whenOffline(() => cut.abort());
    try {
      const after: string = cursor ?? "now";
      const items: AsyncIterable<FeedItem> = holdfast.events({
        after,
        deltas,
        signal,
        patience: 0,
      });
      for await (const item of items) {
        if ("cursor" in item) cursor = item.cursor;
        pause = firstPause;
        if (item.type === "draining") setStopsAt(item.until);
        if (item.type === "live") {
          void lookAtServer({ wasStopping: stopsAt() !== null });
          setStatus("live");
          isLive = true;
          for (const resolve of waitingForLive.splice(0)) resolve();
        }
        for (const listener of listeners) tell(listener, item);
      }
    } catch (error) {
      if (!isUnwanted.aborted) {
        setStopsAt(null);
        setStatus(isSignedOut(error) ? "signedOut" : "lost");
        await nextTry(pause);
        pause = Math.min(longestPause, pause * 2);
      }
    } finally {
      stopLooking();
      release();
    }
  }
}

const patienceOffline = 3_000;

/**
 * A network that is gone leaves connections as they are, and silent. The browser knows of it at once;
 * but a server on the same machine may still be there.
 */
function whenOffline(isLost: () => void): () => void {
  const look = (): void => {
    const signal = AbortSignal.timeout(patienceOffline);
    holdfast.health({ signal, patience: 0 }).catch(isLost);
  };
  addEventListener("offline", look);
  return () => removeEventListener("offline", look);
}

/** The connection may be a new one, and the server behind it another one. */
async function lookAtServer({ wasStopping }: { wasStopping: boolean }): Promise<void> {
  const found = await holdfast.status().catch(() => null);
  if (found === null) return;
  // Otherwise the feed may have said meanwhile that the server stops.
  if (wasStopping) setStopsAt(found.drainingUntil);
  setProblem(found.sandbox.problem);
}

/** One part of the page that fails must not take an event away from the others. */
function tell(listener: Listener, item: FeedItem): void {
  try {
    listener(item);
  } catch (error) {
    console.error(error);
  }
}

function isSignedOut(error: unknown): boolean {
  return error instanceof Refused && error.status === 401;
}

/** A pause that ends early when there is reason to hope: the network is back, or somebody looks. */
function nextTry(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      removeEventListener("online", done);
      removeEventListener("focus", done);
      resolve();
    }
    addEventListener("online", done);
    addEventListener("focus", done);
  });
}
