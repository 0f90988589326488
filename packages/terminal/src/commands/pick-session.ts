import type { Session } from "@holdfast/sdk";
import { belowParents } from "@holdfast/model/below-parents.ts";
import { hasWork, needsPerson } from "@holdfast/model/wanted-sessions.ts";
import type { Client } from "../client.ts";
import { reachServer } from "./reach-server.ts";
import type { PickerItem } from "../panels/picker.ts";
import { shortPath } from "../panels/status-line.ts";
import { ago } from "../transcript/time-text.ts";

const shown = 100;

/** Lists sessions: first those that wait for a person, then running ones, then the others by latest activity. */
export async function pickSession(client: Client): Promise<void> {
  const holdfast = await reachServer(client);
  if (holdfast === null) return;
  try {
    const [here, working] = await Promise.all([
      holdfast.sessions.list({ directory: client.directory, limit: shown }),
      holdfast.sessions.list({ limit: shown }),
    ]);
    const known = new Map([...here.items, ...working.items].map((one) => [one.sessionId, one]));
    client.pick<string>({
      title: "Sessions:",
      empty: "No sessions yet",
      items: sessionItems([...known.values()], client.directory, client.clock.now()),
      onChoose: (sessionId) => client.open(sessionId),
    });
  } catch (error) {
    client.fail(error);
  }
}

/** Returns the sessions of this directory, and sessions in other directories that have work. */
export function sessionItems(
  sessions: readonly Session[],
  directory: string,
  now: number,
): PickerItem<string>[] {
  const wanted = sessions
    .filter((session) => session.directory === directory || hasWork(session))
    .toSorted((one, other) => rank(one) - rank(other) || other.updatedAt - one.updatedAt);
  const byId = new Map(wanted.map((session) => [session.sessionId, session]));
  const order = belowParents([...byId.keys()], (id) => byId.get(id)?.parent?.sessionId ?? null);
  return order.flatMap(({ id, depth }) => {
    const session = byId.get(id);
    if (session === undefined) return [];
    const place = session.directory === directory ? "" : ` · ${shortPath(session.directory)}`;
    return [
      {
        value: id,
        label: `${"  ".repeat(depth)}${depth > 0 ? "└ " : ""}${session.title ?? id}`,
        detail: `${statusText(session)}${place} · ${ago(now - session.updatedAt)}`,
        words: `${id} ${session.directory} ${session.status}`,
        isUrgent: needsPerson(session),
      },
    ];
  });
}

function rank(session: Session): number {
  if (needsPerson(session)) return 0;
  const { status } = session;
  if (status === "running" || status === "stopping" || status === "working") return 1;
  return status === "queued" || status === "held" || status === "cutOff" ? 2 : 3;
}

function statusText(session: Session): string {
  const { status, queued } = session;
  const waiting = queued > 0 ? `, ${queued} queued` : "";
  switch (status) {
    case "asking":
      return `needs you${waiting}`;
    case "running":
    case "working":
      return `running${waiting}`;
    case "stopping":
      return `stopping${waiting}`;
    case "queued":
      return `${queued} queued`;
    case "held":
      return `${needsPerson(session) ? "needs you: /resume continues it" : "paused"}${waiting}`;
    case "cutOff":
      return `cut off${waiting}`;
    case "idle":
      return "idle";
    case "deleted":
      return "deleted";
  }
}
