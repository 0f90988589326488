import { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import type { Client } from "./client.ts";
import { editInProgram } from "./commands/external-editor.ts";
import { pickFromHistory } from "./commands/pick-history.ts";
import { stopRun } from "./commands/put-back.ts";
import { openRewind } from "./commands/rewind.ts";
import { openAsk, openTranscript } from "./commands/transcript-view.ts";
import { takeQueueKey } from "./commands/queue-keys.ts";
import { submit } from "./commands/submit.ts";
import { statusOf } from "./layout.ts";
import { pastedText } from "./screen/keyboard.ts";

/** A second Ctrl-C within this many milliseconds ends the client. */
const leaveTime = 1_500;
/** Two Esc keys within this many milliseconds count as Esc Esc. */
const doubleTime = 600;

export interface KeyHandler {
  take(key: string): void;
}

/** Passes each key to the part of the screen that has the focus: overlay, ask, queue panel, then the editor. */
export function createKeyHandler(client: Client): KeyHandler {
  let leaveAt = -Infinity;
  let escapeAt = -Infinity;
  const leave = (): void => {
    if (client.editor.getText() !== "") {
      client.editor.setText("");
      leaveAt = -Infinity;
      return;
    }
    if (performance.now() - leaveAt < leaveTime) return client.options.onLeave();
    leaveAt = performance.now();
    client.say("Press Ctrl-C again to leave. The session continues");
  };
  const escape = (): void => {
    const isDouble = performance.now() - escapeAt < doubleTime;
    escapeAt = -Infinity;
    if (client.editing !== null) return client.endEdit();
    if (client.shell !== null) return client.shell.stop();
    if (client.isBusy) return void stopRun(client);
    if (client.editor.getText() !== "") return;
    if (isDouble) return openRewind(client);
    escapeAt = performance.now();
  };
  const global = (key: string): boolean => {
    const found = bindings.find(([name]) => matchesKey(key, name));
    if (found === undefined) return false;
    found[1](client);
    return true;
  };
  const take = (key: string): void => {
    if (client.overlay !== null)
      return client.overlay.kind === "picker"
        ? client.overlay.picker.take(key)
        : client.overlay.take(key);
    if (takesDialogKey(client, key)) return undefined;
    if (client.queueSelection !== null && takeQueueKey(client, key)) return undefined;
    if (matchesKey(key, "ctrl+c")) return leave();
    if (matchesKey(key, "ctrl+d") && client.editor.getText() === "")
      return client.options.onLeave();
    // Over a slow connection, two presses of Esc can arrive as a single input.
    if (key === "\u001b\u001b") escape();
    const isEscape = matchesKey(key, "escape") || key === "\u001b\u001b";
    if (isEscape && !client.editor.isShowingAutocomplete()) return escape();
    if (global(key)) return undefined;
    return client.editor.handleInput(key);
  };
  client.editor.onSubmit = (text) => submit(client, text, "queue");
  return {
    take: (key) => {
      take(key);
      client.asking.noteKey();
      client.changed();
    },
  };
}

type Binding = readonly [name: Parameters<typeof matchesKey>[1], run: (client: Client) => void];

const bindings: readonly Binding[] = [
  ["ctrl+s", (client) => steer(client)],
  ["shift+tab", (client) => client.mode.next()],
  ["alt+up", (client) => focusQueue(client)],
  ["ctrl+o", (client) => void openTranscript(client)],
  ["ctrl+g", (client) => void editInProgram(client)],
  ["ctrl+r", (client) => void pickFromHistory(client)],
  ["ctrl+l", (client) => repaint(client)],
  ["ctrl+z", (client) => client.options.onSuspend()],
];

function steer(client: Client): void {
  const text = client.editor.getExpandedText().trim();
  if (text === "") return client.say("Type what the run should know, then press Ctrl-S");
  client.editor.setText("");
  submit(client, text, "steer");
}

function focusQueue(client: Client): void {
  const [first] = client.view?.detail?.queue ?? [];
  if (first === undefined) return client.say("The queue is empty");
  client.queueSelection = first.kind === "prompt" ? first.promptId : first.workId;
}

function repaint(client: Client): void {
  client.screen.repaint();
  if (client.options.isPlain) void printStatus(client);
}

/** Prints the text of the status line, which the screen-reader mode does not have. */
async function printStatus(client: Client): Promise<void> {
  const { contextWindows, view, connection, holdfast } = client;
  // No other part of the screen-reader mode requests the size of the context window.
  contextWindows.useOf(view?.conversation ?? null, connection === "connected" ? holdfast : null);
  await contextWindows.loaded();
  if (!client.isClosed) client.screen.print([statusOf(client, 200).replace("●", "connected")]);
}

/** Passes a key to the open ask. Returns true if the ask used the key. */
function takesDialogKey(client: Client, key: string): boolean {
  const { asking, editor } = client;
  const { dialog } = asking;
  if (dialog === null) return false;
  if (!asking.hasKeys) {
    if (!matchesKey(key, "tab") || editor.isShowingAutocomplete()) return false;
    asking.hasKeys = asking.hasRoom;
    return true;
  }
  if (matchesKey(key, "ctrl+c")) {
    asking.hasKeys = false;
    return false;
  }
  if (matchesKey(key, "ctrl+o")) {
    void openAsk(client, dialog);
    return true;
  }
  const effect = pastedText(key) === null ? dialog.take(key) : ({ type: "passes" } as const);
  if (effect.type === "none") return true;
  if (effect.type === "opens") {
    void openAsk(client, dialog);
    return true;
  }
  if (effect.type === "answers") {
    void client.answer(dialog, effect.answer);
    return true;
  }
  dialog.reset();
  asking.hasKeys = false;
  // Esc and Tab only move the focus to the editor. Any other key is also typed there.
  return matchesKey(key, "escape") || matchesKey(key, "tab");
}
