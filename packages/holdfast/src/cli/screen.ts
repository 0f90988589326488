import type { Runtime } from "../main.ts";
import { createAsks } from "./asks.ts";
import type { Answerer } from "./asks.ts";
import type { Lines } from "./lines.ts";
import { terminalInput } from "./person.ts";
import { createJsonView, createTextView } from "./view.ts";
import type { View } from "./view.ts";
import { watchFamily } from "./watch-family.ts";
import type { FamilyWatch } from "./watch-family.ts";

export interface Screen {
  readonly watch: FamilyWatch;
  readonly view: View;
  close(): Promise<void>;
}

/** Shows what a session and its children do, and puts their asks to whoever answers. */
export async function openScreen(
  runtime: Runtime,
  options: {
    sessionId: string;
    lines: Lines;
    isJson: boolean;
    allowsAll: boolean;
    onGone: () => void;
    onError: (error: unknown) => void;
  },
): Promise<Screen> {
  const { sessionId, lines, isJson, onGone, onError } = options;
  const view = isJson ? createJsonView(runtime) : createTextView(runtime, { sessionId, lines });
  const asks = createAsks(runtime, { lines, answerer: answererOf(options), onGone, onError });
  const watch = await watchFamily(runtime, {
    sessionId,
    listener: {
      onJoin: async (state) => {
        await view.joined(state);
        const open = state.active?.kind === "run" ? state.active.asks : [];
        for (const { askId } of open) asks.opened({ sessionId: state.sessionId, askId });
      },
      onEvent: async (event) => {
        await view.event(event);
        if (event.type === "ask.opened") asks.opened(event);
        if (event.type === "ask.closed") asks.closed(event.askId);
      },
    },
  });
  const close = async (): Promise<void> => {
    asks.close();
    await watch.close();
    view.close();
  };
  return { watch, view, close };
}

function answererOf(options: { isJson: boolean; allowsAll: boolean }): Answerer {
  if (options.allowsAll) return "yes";
  return !options.isJson && terminalInput() !== null ? "person" : "nobody";
}
