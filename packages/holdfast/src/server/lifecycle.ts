import { setMaxListeners } from "node:events";
import { prove } from "./discovery.ts";
import type { Lifecycle } from "./ports.ts";

export type ServerState = ReturnType<Lifecycle["state"]>;

/** Where a server is between its start and its end. */
export interface LifecycleControl extends Lifecycle {
  becomeReady(): void;
  /** When runs have ended or were handed over: whoever still follows something ends now. */
  close(): void;
}

export function createLifecycle(options: {
  /** Milliseconds that active runs get when nobody says otherwise. */
  deadline: number;
  secret: string | null;
  now: () => number;
  /** Called once, by the first stop. */
  onStop: (deadline: number) => void;
}): LifecycleControl {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let state: ServerState = "starting";
  let { deadline } = options;
  let until: number | null = null;
  return {
    state: () => state,
    stop: (wanted) => {
      if (state !== "draining") {
        state = "draining";
        deadline = wanted ?? deadline;
        until = options.now() + deadline;
        options.onStop(deadline);
      }
      return deadline;
    },
    drainingUntil: () => until,
    closing: controller.signal,
    retryAfter: () => (state === "draining" ? 5 : 1),
    prove: (nonce) => (options.secret === null ? null : prove(options.secret, nonce)),
    becomeReady: () => {
      if (state === "starting") state = "ready";
    },
    close: () => controller.abort(),
  };
}
