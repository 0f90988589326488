import { Refused } from "@holdfast/sdk";
import type { AnswerInput, Ask, FeedItem } from "@holdfast/sdk";
import { createSignal } from "solid-js";
import { createStore, produce } from "solid-js/store";
import { t } from "../i18n/text.ts";
import { holdfast } from "./client.ts";
import { onFeed } from "./feed.ts";
import { sessions } from "./sessions.ts";
import { showError } from "./show-error.ts";
import { showToast } from "./toasts.ts";
import { whoOf } from "./who.ts";

export type OpenAsk = Pick<
  Ask,
  "sessionId" | "askId" | "runId" | "callId" | "question" | "extra" | "openedAt" | "expiresAt"
>;

type AskKey = Pick<OpenAsk, "sessionId" | "askId">;

const [open, setOpen] = createStore<Record<string, OpenAsk>>({});
/** Ids of permission requests and questions that this page has answered. No toast is shown when they close. */
const mine = new Set<string>();

/** Returns the open permission requests and questions of one session or of all sessions, oldest first. */
export function openAsks(sessionId?: string): readonly OpenAsk[] {
  return Object.values(open)
    .filter((ask) => sessionId === undefined || ask.sessionId === sessionId)
    .toSorted((left, right) => left.openedAt - right.openedAt);
}

/** Returns the open permission requests and questions of the sessions below a session, oldest first. */
export function asksBelow(sessionId: string): readonly OpenAsk[] {
  return openAsks().filter((ask) => isBelow(ask.sessionId, sessionId));
}

function isBelow(sessionId: string, above: string): boolean {
  let parent = sessions[sessionId]?.parent?.sessionId;
  for (let depth = 0; parent !== undefined && depth < 20; depth += 1) {
    if (parent === above) return true;
    parent = sessions[parent]?.parent?.sessionId;
  }
  return false;
}

/** Keys of asks that opened or closed during a load, one set per load. The loaded list may be older than these changes. */
const changedDuringLoad = new Set<Set<string>>();

export async function loadAsks(): Promise<void> {
  const changed = new Set<string>();
  changedDuringLoad.add(changed);
  const found: Record<string, OpenAsk> = {};
  try {
    for await (const ask of holdfast.eachAsk()) found[keyOf(ask)] = ask;
  } finally {
    changedDuringLoad.delete(changed);
  }
  setOpen(
    produce((known) => {
      for (const key of Object.keys(known)) if (!changed.has(key)) delete known[key];
      for (const [key, ask] of Object.entries(found)) if (!changed.has(key)) known[key] = ask;
    }),
  );
}

function noteChange(ask: AskKey): void {
  for (const changed of changedDuringLoad) changed.add(keyOf(ask));
}

/** Milliseconds in which the user can take a denial back. After that, the denial is sent to the server. */
const denialDelay = 5_000;

interface Denial {
  readonly ask: OpenAsk;
  readonly text: string;
  readonly timer: ReturnType<typeof setTimeout>;
}

const [denials, setDenials] = createSignal<ReadonlyMap<string, Denial>>(new Map());

/** Whether this page has denied the ask, but has not sent the denial to the server yet. */
export function isDenied(ask: AskKey): boolean {
  return denials().has(keyOf(ask));
}

/** Denies an ask. The user can take the denial back until it is sent. */
export function denyAsk(ask: OpenAsk, text: string): void {
  if (isAnswering(ask)) return;
  const timer = setTimeout(() => sendDenial(ask), denialDelay);
  setDenials((before) => new Map(before).set(keyOf(ask), { ask, text, timer }));
}

export function takeBackDenial(ask: AskKey): Denial | null {
  const denial = denials().get(keyOf(ask));
  if (denial === undefined) return null;
  clearTimeout(denial.timer);
  setDenials((before) => new Map([...before].filter(([key]) => key !== keyOf(ask))));
  return denial;
}

/** Sends the denial of a permission request at once, instead of after the delay in which the user can undo it. */
export function sendDenial(ask: AskKey): void {
  const denial = takeBackDenial(ask);
  if (denial === null) return;
  const text = denial.text.trim();
  void answerAsk(denial.ask, { verdict: "deny", ...(text === "" ? {} : { text }) });
}

/**
 * The page sends a denial of a permission request after a delay, so that the user can undo it. When the page is hidden,
 * send all waiting denials now: a hidden page may be closed without notice.
 */
addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "hidden") return;
  for (const { ask } of denials().values()) sendDenial(ask);
});

const [answering, setAnswering] = createSignal<ReadonlySet<string>>(new Set());

/** Whether an answer of this page is on its way to the server. */
export function isAnswering(ask: AskKey): boolean {
  return answering().has(keyOf(ask));
}

/** Sends an answer. While it is on its way, further answers to the same ask are ignored: the first one counts. */
export async function answerAsk(ask: OpenAsk, answer: AnswerInput): Promise<void> {
  if (isAnswering(ask)) return;
  mine.add(keyOf(ask));
  setAnswering((before) => new Set(before).add(keyOf(ask)));
  try {
    await holdfast.session(ask.sessionId).answer(ask.askId, answer);
    remove(ask);
  } catch (error) {
    mine.delete(keyOf(ask));
    // Another client has already answered the ask. The event of that answer shows who it was.
    if (error instanceof Refused && error.code === "askClosed") remove(ask);
    showError(error);
  } finally {
    setAnswering((before) => new Set([...before].filter((key) => key !== keyOf(ask))));
  }
}

onFeed((item: FeedItem) => {
  // If loading fails, keep the known asks until the next reset or reload.
  if (item.type === "reset") void loadAsks().catch(() => {});
  else if (item.type === "ask.opened") {
    const { sessionId, askId, runId, callId, expiresAt, at: openedAt } = item;
    const { question = "", extra = null } = item.content ?? {};
    const ask = { sessionId, askId, runId, callId, question, extra, openedAt, expiresAt };
    noteChange(ask);
    setOpen(keyOf(ask), ask);
  } else if (item.type === "ask.closed") {
    const isKnown = open[keyOf(item)] !== undefined;
    remove(item);
    if (!isKnown || mine.delete(keyOf(item)) || item.resolution.kind !== "answered") return;
    const { verdict } = item.resolution;
    const said = item.content?.text ?? null;
    showToast(() => t().asks.answeredBy({ who: whoOf(item.actor), verdict, said }));
  }
});

function remove(ask: AskKey): void {
  noteChange(ask);
  // Drop a denial that was not sent yet, because the ask is already closed.
  takeBackDenial(ask);
  setOpen(produce((known) => delete known[keyOf(ask)]));
}

function keyOf({ sessionId, askId }: AskKey): string {
  return `${sessionId}/${askId}`;
}
