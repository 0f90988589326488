import { Refused } from "@holdfast/sdk";
import type { FeedItem } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { holdfast } from "./client.ts";
import { whenWanted } from "./presence.ts";

/**
 * `lost`: the server does not respond, and the page reconnects by itself. `signedOut`: the server responds, but does
 * not accept this browser's sign-in.
 */
export type ConnectionStatus = "connecting" | "live" | "lost" | "signedOut";

const [status, setStatus] = createSignal<ConnectionStatus>("connecting");
export const connectionStatus = status;

const [stopsAt, setStopsAt] = createSignal<number | null>(null);
/** While the server shuts down: the deadline for active runs, in the server's time. Otherwise null (M9). */
export const serverStopsAt = stopsAt;

const [problem, setProblem] = createSignal<string | null>(null);
/**
 * Reason why commands run without a sandbox on the server's machine; null if there is a sandbox.
 */
export const sandboxProblem = problem;

type Listener = (item: FeedItem) => void;
const listeners = new Set<Listener>();

/**
 * Calls the listener for every event of the server, each event once. Returns a function to
 * unsubscribe.
 */
export function onFeed(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let isLive = false;
const waitingForLive: (() => void)[] = [];

/** Resolves when the page receives events. Load a list only after this, so that no later change is missed. */
export function whenFollowing(): Promise<void> {
  return isLive ? Promise.resolve() : new Promise((resolve) => waitingForLive.push(resolve));
}

let reconnect = (): void => {};

/**
 * Connects to the event stream again. Call this if the server has refused another request with status 401: an open stream
 * does not notice that the sign-in of this browser is gone.
 */
export function checkSignIn(): void {
  reconnect();
}

const firstPause = 250;
const longestPause = 5_000;

/**
 * Follows the events of the server as long as the page is open. All views share one connection, because browsers allow
 * only six connections per server across all tabs.
 */
export async function followServer(): Promise<void> {
  let cursor: string | null = null;
  let pause = firstPause;
  for (;;) {
    const { signal: isUnwanted, deltas, release } = await whenWanted();
    const cut = new AbortController();
    const signal = AbortSignal.any([isUnwanted, cut.signal]);
    reconnect = () => cut.abort();
    const stopLooking = whenOffline(reconnect);
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
        if (item.type === "live") becomeLive();
        for (const listener of listeners) notifyListener(listener, item);
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

function becomeLive(): void {
  void lookAtServer({ wasStopping: stopsAt() !== null });
  setStatus("live");
  isLive = true;
  for (const resolve of waitingForLive.splice(0)) resolve();
}

const patienceOffline = 3_000;

/**
 * Calls `isLost` if the browser reports that it is offline and the server does not respond. Otherwise a broken
 * connection would go unnoticed for a long time. The server is checked too, because a server on the same machine still
 * responds.
 */
function whenOffline(isLost: () => void): () => void {
  const look = (): void => {
    const signal = AbortSignal.timeout(patienceOffline);
    holdfast.health({ signal, patience: 0 }).catch(isLost);
  };
  addEventListener("offline", look);
  return () => removeEventListener("offline", look);
}

/** Reads the server's status after connecting, because a different server process may answer now. */
async function lookAtServer({ wasStopping }: { wasStopping: boolean }): Promise<void> {
  const found = await holdfast.status().catch(() => null);
  if (found === null) return;
  // Set the time of the shutdown only if a shutdown was known before the request. Otherwise the event stream may have
  // reported a shutdown during the request, and `found` may be older than that report.
  if (wasStopping) setStopsAt(found.drainingUntil);
  setProblem(found.sandbox.problem);
}

/** Calls a listener. If it throws, the other listeners still get the event. */
function notifyListener(listener: Listener, item: FeedItem): void {
  try {
    listener(item);
  } catch (error) {
    console.error(error);
  }
}

/** Whether the server refused a request because this browser is not signed in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof Refused && error.status === 401;
}

/** Waits before the next attempt. Ends early if the network is back or the page becomes visible. */
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
