import { decodePrintableKey, matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
import { moveBefore, queueId } from "@holdfast/model/queue.ts";
import type { QueueItem } from "@holdfast/model/queue.ts";
import type { Client } from "../client.ts";
import { sendAgain } from "../session/send-again.ts";
import { cancelAnd } from "./put-back.ts";

/** Handles a key while the queue panel has the focus. Returns false if the editor should handle the key. */
export function takeQueueKey(client: Client, key: string): boolean {
  const queue = client.view?.detail?.queue ?? [];
  const at = queue.findIndex((item) => queueId(item) === client.queueSelection);
  const item = queue[at];
  if (item === undefined || matchesKey(key, "escape") || matchesKey(key, "ctrl+c")) {
    client.queueSelection = null;
    return item !== undefined;
  }
  if (matchesKey(key, "shift+up")) move(client, item, at - 1);
  else if (matchesKey(key, "shift+down")) move(client, item, at + 1);
  else if (matchesKey(key, "up") || matchesKey(key, "alt+up")) select(client, queue[at - 1]);
  else if (matchesKey(key, "down")) select(client, queue[at + 1]);
  else return takeLetter(client, decodePrintableKey(key) ?? key, item);
  return true;
}

function select(client: Client, item: QueueItem | undefined): void {
  if (item !== undefined) client.queueSelection = queueId(item);
  else client.queueSelection = null;
}

function move(client: Client, item: QueueItem, place: number): void {
  const before = moveBefore(client.view?.detail?.queue ?? [], queueId(item), place);
  if (before === undefined || item.kind !== "prompt") return;
  void client.act(({ handle }) => handle.promptById(item.promptId).move(before));
}

function takeLetter(client: Client, letter: string, item: QueueItem): boolean {
  if (item.kind !== "prompt" || !["e", "x", "p", "s"].includes(letter)) {
    client.queueSelection = null;
    return false;
  }
  const { promptId } = item;
  if (letter === "e") edit(client, promptId);
  else if (letter === "s") steer(client, promptId);
  else {
    client.queueSelection = null;
    if (letter === "p") void client.act(({ handle }) => handle.promptById(promptId).promote());
    else void cancelAnd(client, ({ handle }) => handle.promptById(promptId).withdraw());
  }
  return true;
}

/** Puts the text of a queued prompt into the editor. Enter saves it, and the prompt keeps its position in the queue. */
function edit(client: Client, promptId: string): void {
  client.queueSelection = null;
  void client.act(async ({ handle }) => {
    // Read the prompt, because the event stream may have cut its text.
    const { text, revision } = await handle.promptById(promptId).get();
    if (text === null || client.editing !== null) return;
    client.edit({
      label: "Edit the queued prompt: Enter saves, Esc cancels",
      text,
      draft: client.editor.getExpandedText(),
      save: (changed) =>
        client.act(async () => {
          try {
            await handle.promptById(promptId).edit(changed, { revision });
          } catch (error) {
            // For example, a run has started the prompt meanwhile.
            client.fail(error);
            client.giveBack(changed, "Not saved");
          }
        }),
    });
  });
}

/**
 * Steers a queued prompt into the active run. The server cannot change the delivery of a prompt, so this sends the
 * prompt again, and withdraws the first one only after the server has accepted the second one.
 */
function steer(client: Client, promptId: string): void {
  client.queueSelection = null;
  void client.act(async ({ handle }) => {
    const sent = await sendAgain(handle, { promptId, delivery: "steer" });
    if (sent === null) {
      return client.say(
        "A prompt with attachments cannot be steered here. In the queue, p runs it now",
      );
    }
    await handle.promptById(promptId).withdraw();
  });
}
