import type { Receipt } from "@holdfast/sdk";
import { queueId } from "@holdfast/model/queue.ts";
import type { Client } from "../client.ts";
import { sendAgain } from "../session/send-again.ts";
import type { SessionView } from "../session/session-view.ts";

/** Runs a request that cancels prompts, and remembers the prompts for /put-back. */
export async function cancelAnd(
  client: Client,
  cancel: (view: SessionView) => Promise<Receipt>,
): Promise<void> {
  await client.act(async (view) => {
    const { covered } = await cancel(view);
    if (covered.length === 0) return client.say("No prompt was waiting or running");
    const { sessionId } = view.handle;
    client.cancelled = { sessionId, promptIds: covered.map(({ promptId }) => promptId) };
    client.say(`/put-back resends ${covered.length === 1 ? "the prompt" : "these prompts"}`);
  });
}

/** Stops the active run. Queued prompts stay. */
export async function stopRun(client: Client): Promise<void> {
  const active = client.view?.detail?.active ?? null;
  if (active === null) return;
  if (active.kind === "work") return client.say(`${active.name} cannot be stopped here`);
  client.say("Stopping…");
  await cancelAnd(client, ({ handle }) => handle.promptById(active.startedBy).withdraw());
}

/** /put-back: resends the prompts that were cancelled last, in their order and before the waiting prompts. */
export async function putBack(client: Client): Promise<void> {
  await client.act(async ({ handle }) => {
    const { cancelled } = client;
    if (cancelled === null || cancelled.sessionId !== handle.sessionId) {
      return client.say("You have not stopped or withdrawn a prompt of this session");
    }
    const { queue } = await handle.get();
    const first = queue.find(({ kind }) => kind === "prompt");
    let left = cancelled.promptIds;
    for (const promptId of cancelled.promptIds) {
      const sent = await sendAgain(handle, { promptId, delivery: "queue" });
      if (sent === null) continue;
      // Forget only the prompts that were sent, so that /put-back can be repeated after an error.
      left = left.filter((id) => id !== promptId);
      client.cancelled = left.length === 0 ? null : { ...cancelled, promptIds: left };
      if (first !== undefined) {
        // If the prompt, or the first prompt of the queue, has started, the order can no longer be changed.
        await handle
          .promptById(sent)
          .move(queueId(first))
          .catch(() => {});
      }
    }
    if (left.length === 0) return;
    client.remark("A prompt with attachments was not sent again: use the web page for it", "warn");
  });
}
