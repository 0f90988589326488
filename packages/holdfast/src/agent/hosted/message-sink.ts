import { fieldsOf, RpcError, rpcCodes } from "../../base/json-rpc.ts";
import { sleep } from "../../base/time.ts";
import { choiceRequest, noChoices, readChoices, updateChoices } from "./agent-choices.ts";
import type { AgentChoices } from "./agent-choices.ts";
import type { AgentProcess, ProcessOptions } from "./agent-process.ts";
import type { ForeignSession, OpenOptions, TurnEvent, Verdict } from "./foreign-session.ts";
import { inTime } from "./in-time.ts";
import { endOf, failureOf } from "./turn-end.ts";
import { createTurnQueue } from "./turn-queue.ts";
import type { TurnQueue } from "./turn-queue.ts";
import { readCall, readUpdate } from "./updates.ts";
import type { Update } from "./updates.ts";

/** Receives the messages of an agent's process. */
export interface Sink {
  readonly handlers: Pick<ProcessOptions, "asked" | "notified">;
  attach(agent: AgentProcess): void;
  /** Sets the id of the agent's session. Messages about other sessions are ignored from now on. */
  bind(sessionId: string): void;
  /** From now on, updates are the history of a loaded session, until the first prompt is sent. */
  startReplay(): void;
  /** Waits until no update has arrived for a short time: some agents send the history after they have loaded it. */
  untilQuiet(signal: AbortSignal): Promise<void>;
  /**
   * Reads the models and modes that the agent offers from the agent's response to the request that opened the session.
   */
  offer(answer: unknown): void;
  session(id: string): Omit<ForeignSession, "id" | "software" | "features" | "tasks" | "pid">;
}

const maxStray = 4_000;
/** Number of the latest replayed updates to keep, at least. */
const maxReplay = 50_000;
/** Milliseconds without an update after which a replay counts as complete. */
const quietTime = 100;
/** Maximum number of waits for the end of a replay. */
const quietWaits = 50;

/**
 * Creates the receiver of the agent's messages. It adds each message to the active turn, to the replay of a loaded
 * session, or to the text outside of turns.
 */
export function createSink({ clock, onIdle }: Pick<OpenOptions, "clock" | "onIdle">): Sink {
  let process: AgentProcess | null = null;
  let turn: TurnQueue<TurnEvent> | null = null;
  let replay: Update[] | null = null;
  let received = 0;
  let own: string | null = null;
  let lastTurn: string | null = null;
  let stray = "";
  let choices: AgentChoices = noChoices;
  const agent = (): AgentProcess => {
    if (process === null) throw new Error("the agent has not started");
    return process;
  };
  const isOther = (params: unknown): boolean => {
    const { sessionId } = fieldsOf(params);
    return own !== null && typeof sessionId === "string" && sessionId !== own;
  };
  const update = (params: unknown): void => {
    if (isOther(params)) return;
    received += 1;
    const { update: sent } = fieldsOf(params);
    choices = updateChoices(choices, sent);
    const read = readUpdate(sent);
    if (read === null) return;
    if (turn !== null) turn.push({ type: "update", update: read });
    else if (replay !== null) {
      // Keep the end of the history, because it shows whether the agent has the last prompt.
      if (replay.length >= 2 * maxReplay) replay.splice(0, maxReplay);
      replay.push(read);
    } else if (read.type === "text") stray = `${stray}${read.text}`.slice(-maxStray);
    else if (read.type === "call" && read.call.title !== undefined) {
      stray = `${stray}\n[${read.call.title}]\n`.slice(-maxStray);
    }
  };
  return {
    attach: (started) => {
      process = started;
    },
    startReplay: () => {
      replay = [];
    },
    bind: (sessionId) => {
      own = sessionId;
    },
    untilQuiet: async (signal) => {
      for (let waits = 0; waits < quietWaits; waits += 1) {
        const before = received;
        await sleep(quietTime, { clock, signal });
        if (received === before) return;
      }
    },
    offer: (answer) => {
      // Keep the commands, because they may have arrived before the response.
      choices = { ...readChoices(answer), commands: choices.commands };
    },
    handlers: {
      notified: (method, params) => {
        if (method === "session/update") update(params);
      },
      asked: async (method, params, signal) => {
        if (method === "session/request_permission") {
          return requested({ turn: isOther(params) ? null : turn, params, signal });
        }
        throw new RpcError({
          code: rpcCodes.unknownMethod,
          message: `Holdfast does not offer ${method}`,
        });
      },
    },
    session: (sessionId) => ({
      isOver: () => agent().isOver(),
      choices: () => choices,
      replay: () => replay,
      lastTurn: () => lastTurn,
      choose: async (what, id, signal) => {
        const [method, params] = choiceRequest(choices, { what, id });
        const request = agent().peer.request(method, { sessionId, ...params });
        const answer = await inTime(request, { what: method, clock, signal }).catch(
          async (error: unknown) => {
            if (!(error instanceof RpcError)) await agent().close("now");
            throw error;
          },
        );
        choices = updateChoices(
          { ...choices, [what]: id },
          { sessionUpdate: "config_option_update", ...fieldsOf(answer) },
        );
      },
      isBusy: (given = turn ?? undefined) => turn !== null && turn === given,
      prompt: (turnId, blocks) => {
        const queue = createTurnQueue<TurnEvent>(() => agent().pause());
        turn = queue;
        lastTurn = turnId;
        replay = null;
        const end = (event: TurnEvent): void => {
          if (turn !== queue) return;
          turn = null;
          onIdle();
          queue.push(event);
        };
        agent()
          .peer.request("session/prompt", { sessionId, prompt: blocks })
          .then(
            (answer) => end(endOf(answer)),
            (error: unknown) => end(failureOf(error)),
          );
        return queue;
      },
      cancel: () => agent().peer.notify("session/cancel", { sessionId }),
      steer: async (blocks) => {
        const answer = await agent().peer.request("_session/steering", {
          sessionId,
          prompt: blocks,
          _meta: { steering: { idleBehavior: "promptRequired" } },
        });
        return fieldsOf(answer)["outcome"] === "injected";
      },
      takeStray: () => {
        const taken = stray.trim();
        stray = "";
        return taken;
      },
      close: (how) => agent().close(how),
    }),
  };
}

/** Passes a permission request to the active turn. Outside of a turn it is denied (H7). */
function requested(request: {
  turn: TurnQueue<TurnEvent> | null;
  params: unknown;
  signal: AbortSignal;
}): Promise<object> {
  const { turn, params, signal } = request;
  const { toolCall, options } = fieldsOf(params);
  const call = readCall(toolCall);
  const offered = Array.isArray(options) ? options : [];
  // Never choose the agent's own "always" options: Holdfast stores remembered answers as its own rules (H4).
  const optionOf = (kind: string): string | null => {
    const found = offered.map(fieldsOf).find((option) => option["kind"] === kind);
    return typeof found?.["optionId"] === "string" ? found["optionId"] : null;
  };
  const kinds = { allow: "allow_once", deny: "reject_once", cancel: "" } as const;
  const outcomeOf = (verdict: Verdict): object => {
    const optionId = optionOf(kinds[verdict]);
    if (optionId === null) return { outcome: { outcome: "cancelled" } };
    return { outcome: { outcome: "selected", optionId } };
  };
  if (turn === null || call === null) return Promise.resolve(outcomeOf("deny"));
  return new Promise((resolve) => {
    const answer = (verdict: Verdict): void => resolve(outcomeOf(verdict));
    const canAllow = optionOf(kinds.allow) !== null;
    turn.push({ type: "permission", call, answer, canAllow, signal });
  });
}
