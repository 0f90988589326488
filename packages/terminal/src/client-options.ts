import type { Holdfast } from "@holdfast/sdk";
import type { Theme } from "./screen/look.ts";
import type { Output } from "./screen/screen.ts";
import type { History } from "./session/history.ts";

export type Connection = "connecting" | "connected" | "away";

export interface ConnectedServer {
  readonly holdfast: Holdfast;
  /** Lets the session use the model providers of this process's environment. */
  readonly offer: (sessionId: string) => Promise<void>;
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
