import type { Holdfast } from "@holdfast/sdk";
import type { Theme } from "./screen/look.ts";
import type { Output } from "./screen/screen.ts";
import type { History } from "./session/history.ts";

/**
 * `away`: the server does not answer, and the client waits until it is back. `stopped`: a person has stopped the server,
 * and the client starts one when the user sends something.
 */
export type Connection = "connecting" | "connected" | "away" | "stopped";

export interface ConnectedServer {
  readonly holdfast: Holdfast;
  /** Lets the session use the model providers of this process's environment. */
  readonly offer: (sessionId: string) => Promise<void>;
  /** Starts a server if the server was stopped. Resolves when a server runs, or when the error has been shown. */
  readonly wake: () => Promise<void>;
}

export interface ClientOptions {
  readonly directory: string;
  readonly output: Output;
  readonly environment: NodeJS.ProcessEnv;
  readonly theme: Theme;
  /** True: print lines one after another for a screen reader, instead of redrawing a part of the screen. */
  readonly isPlain: boolean;
  readonly history: History;
  onLeave(): void;
  /** Suspends the process (Ctrl-Z) until the shell continues it. */
  onSuspend(): void;
  /** Lets another program use the terminal until that program ends. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
}
