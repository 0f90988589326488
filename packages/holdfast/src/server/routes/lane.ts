import type { laneRoutes } from "../../contract/routes/lane.ts";
import type { Work } from "../../contract/work.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import { CommandRefused } from "../../runner/command-refused.ts";
import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import {
  badCursor,
  budgetOf,
  expectSession,
  given,
  limitOf,
  numberCursor,
  pageOf,
  unknownSession,
  visible,
  waiting,
} from "./route-services.ts";
import type { RouteServices } from "./route-services.ts";

export function laneHandlers(services: RouteServices): Handlers<keyof typeof laneRoutes> {
  const { runtime } = services;
  const expectRun = async (target: { sessionId: string; runId: string }) => {
    const run = await runtime.run(target);
    if (run !== null) return run;
    await expectSession(runtime, target.sessionId);
    throw new ApiError("unknownRun", `session ${target.sessionId} has no run ${target.runId}`);
  };
  const scopeOf = async (sessionId: string, runId: string | undefined) => {
    if (runId === undefined) await expectSession(runtime, sessionId);
    else await expectRun({ sessionId, runId });
    return { sessionId, runId: runId ?? null };
  };
  return {
    listHolds: async ({ params }) => {
      const { state } = await expectSession(runtime, params.sessionId);
      return { status: 200, body: { items: state.holds } };
    },
    placeHold: async ({ params, body, principal }) => {
      const { holdId, reason = `by ${principal.name}` } = body;
      const { actor } = principal;
      const state = await runtime.placeHold({ ...params, ...given({ holdId }), reason, actor });
      return { status: 201, body: { items: state.holds } };
    },
    releaseHold: async ({ params, principal }) => {
      const state = await runtime.releaseHold({ ...params, actor: principal.actor });
      return { status: 200, body: { items: state.holds } };
    },
    listRuns: async ({ params, query }) => {
      await expectSession(runtime, params.sessionId);
      const limit = limitOf(query);
      const runs = await runtime.runs({ ...params, after: numberCursor(query.after), limit });
      const body = pageOf(runs, { limit, items: runs, cursor: ({ seq }) => `${seq}` });
      return { status: 200, body };
    },
    getRun: async ({ params }) => ({ status: 200, body: await expectRun(params) }),
    listSteps: async ({ params }) => {
      const steps = await runtime.steps(params);
      if (steps === null) await expectRun(params);
      return { status: 200, body: { items: steps ?? [] } };
    },
    listChanges: async ({ params, query }) => {
      const scope = await scopeOf(params.sessionId, query.runId);
      return { status: 200, body: await runtime.changes(scope) };
    },
    getChange: async ({ params, query }) => {
      const scope = await scopeOf(params.sessionId, query.runId);
      const { path, context = 3 } = query;
      const change = await runtime.change({ ...scope, path, context });
      if (change !== null) return { status: 200, body: change };
      throw new ApiError("unknownChange", `there is no recorded change to the file ${path}`);
    },
    planRevert: async ({ params }) => {
      await expectRun(params);
      const { files, unknown, background } = await runtime.planRevert(params);
      const shown = files.map(({ path, before, conflict, diff }) => ({
        path,
        removes: before === null,
        conflict,
        diff,
      }));
      return { status: 200, body: { files: shown, unknown, background } };
    },
    revertRun: async (call) => {
      const { params, body, principal } = call;
      await expectRun(params);
      const input = { ...params, ...given(body), actor: principal.actor };
      const work = await waiting(services, call, (signal) => runtime.revert({ ...input, signal }));
      return work.status === "ended" ? { status: 200, body: work } : { status: 202, body: work };
    },
    getWork: async (call) => {
      const { params } = call;
      const work: Work | null = await waiting(services, call, (signal) =>
        runtime.waitWork({ ...params, signal }),
      );
      if (work !== null) return { status: 200, body: work };
      await expectSession(runtime, params.sessionId);
      const message = `session ${params.sessionId} has no operation ${params.workId}`;
      throw new ApiError("unknownWork", message);
    },
    listSessionAsks: async ({ params, query }) => {
      const { sessionId } = params;
      await expectSession(runtime, sessionId);
      const limit = limitOf(query);
      const { open, after } = query;
      // The cursor is the id of an ask in this session. An ask of another session is not a position in this list.
      if (after !== undefined && (await runtime.store.ask(sessionId, after)) === null) {
        throw badCursor();
      }
      const asks = await runtime.asks({
        sessionId,
        ...given({ open }),
        after: after ?? null,
        limit,
      });
      const body = pageOf(asks, { limit, items: asks, cursor: ({ askId }) => askId });
      return { status: 200, body };
    },
    listAsks: async ({ query, principal }) => {
      const limit = limitOf(query);
      const after = query.after === undefined ? null : readAskCursor(query.after);
      const asks = await runtime.openAsks({ after, limit });
      const items = await visible(services, principal, asks);
      return { status: 200, body: pageOf(asks, { limit, items, cursor: askCursor }) };
    },
    getAskPreview: async ({ params }) => {
      await expectSession(runtime, params.sessionId);
      const text = await runtime.askPreview(params);
      if (text === null) {
        throw new ApiError("unknownAsk", `there is no question (ask) with the id ${params.askId}`);
      }
      return { status: 200, body: { text } };
    },
    answerAsk: async ({ params, body, principal }) => {
      const { raise, ...words } = body;
      const more = raise === undefined ? null : budgetOf(raise);
      const answer = { ...params, ...given(words), ...(more === null ? {} : { raise: more }) };
      const { actor, directories } = principal;
      const refused = await refusalOf(runtime.answer({ ...answer, actor, directories }));
      const ask = await runtime.ask(params);
      if (ask === null) throw unknownSession(params.sessionId);
      if (refused !== null) throw new ApiError("askClosed", refused.message, { details: { ask } });
      return { status: 200, body: ask };
    },
  };
}

/** Returns the refusal if the ask was already closed; throws every other failure. */
async function refusalOf(answering: Promise<unknown>): Promise<Refusal | null> {
  try {
    await answering;
    return null;
  } catch (error) {
    if (error instanceof CommandRefused && error.refusal.code === "askClosed") return error.refusal;
    throw error;
  }
}

/** Builds a cursor from both ids, separated by a slash, which no id contains. */
function askCursor({ sessionId, askId }: { sessionId: string; askId: string }): string {
  return `${sessionId}/${askId}`;
}

function readAskCursor(after: string): { sessionId: string; askId: string } {
  const [sessionId = "", askId = "", ...rest] = after.split("/");
  if (sessionId === "" || askId === "" || rest.length > 0) throw badCursor();
  return { sessionId, askId };
}
