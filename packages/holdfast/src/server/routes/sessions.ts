import type { sessionRoutes } from "../../contract/routes/sessions.ts";
import type { SessionDetail } from "../../contract/session.ts";
import type { LaneState } from "../../kernel/state.ts";
import { isSessionCursor } from "../../store/session-list.ts";
import { ApiError } from "../errors.ts";
import type { Handlers } from "../handler.ts";
import type { Principal } from "../ports.ts";
import { mayUse } from "../security/directories.ts";
import { wireSession, wireSessionDetail } from "../wire/session.ts";
import {
  badCursor,
  budgetOf,
  expectSession,
  given,
  limitOf,
  namedDirectory,
  unknownSession,
} from "./route-services.ts";
import type { RouteServices } from "./route-services.ts";
import type { Message } from "../../contract/message.ts";
import type { MessageView } from "../../runtime/views/messages.ts";
import { answerFields } from "../wire/event.ts";

export function sessionHandlers(services: RouteServices): Handlers<keyof typeof sessionRoutes> {
  const { runtime, security } = services;
  const detail = async ({ sessionId }: Pick<LaneState, "sessionId">): Promise<SessionDetail> =>
    wireSessionDetail(await expectSession(runtime, sessionId));
  /** Refuses the id of a session that the principal may not see, without revealing that the session exists. */
  const expectOwnId = async (
    principal: Principal,
    sessionId: string | undefined,
  ): Promise<void> => {
    if (principal.directories === null || sessionId === undefined) return;
    const state = await runtime.store.lane(sessionId);
    if (state === null || mayUse(principal, state.directory)) return;
    throw new ApiError("forbidden", "this token may not use that session id; choose another one");
  };
  /**
   * Resolves the directory of a new session. Repeating the request must work even if the directory no longer exists.
   */
  const directoryFor = async (
    principal: Principal,
    input: { sessionId?: string | undefined; directory: string },
  ): Promise<string> => {
    const { sessionId, directory } = input;
    try {
      const real = await security.resolveDirectory(principal, directory);
      await expectOwnId(principal, sessionId);
      return real;
    } catch (error) {
      if (sessionId === undefined || !mayUse(principal, directory)) throw error;
      const known = await runtime.session(sessionId);
      if (known?.state.directory === directory) return directory;
      throw error;
    }
  };
  return {
    createSession: async ({ body, principal }) => {
      const { sessionId, title, budget, onBudget, agent } = body;
      const directory = await directoryFor(principal, body);
      const optional = given({ sessionId, title: title ?? undefined, onBudget, agent });
      const input = { ...optional, directory, budget: budgetOf(budget), actor: principal.actor };
      return { status: 201, body: await detail(await runtime.createSession(input)) };
    },
    listSessions: async ({ query, principal }) => {
      const { directory, search, archived, status: statuses } = query;
      const page = await runtime.sessions({
        ...given({ search, archived, statuses, directories: principal.directories ?? undefined }),
        ...given({
          directory: directory && (await namedDirectory(services, principal, directory)),
        }),
        limit: limitOf(query),
        after: sessionCursor(query.after),
      });
      return { status: 200, body: wirePage(page) };
    },
    importSession: async ({ query, body: document, principal, request: { signal } }) => {
      const { sessionId, directory: named } = query;
      const choose = (directory: string): Promise<string> =>
        directoryFor(principal, { sessionId, directory });
      // If the request names a directory, check it before the body is read.
      const chosen = named === undefined ? null : await choose(named);
      const { actor } = principal;
      const chooseDirectory = async (recorded: string): Promise<string> =>
        chosen ?? choose(recorded);
      const input = { ...given({ sessionId }), document, chooseDirectory, actor, signal };
      return { status: 201, body: await detail(await runtime.importSession(input)) };
    },
    getSession: async ({ params }) => ({ status: 200, body: await detail(params) }),
    changeSession: async ({ params, body, principal }) => {
      const { sessionId } = params;
      const { title, archived, mode, agent } = body;
      const { actor } = principal;
      // Set the agent first: an unknown agent is refused, and then nothing else must change.
      if (agent !== undefined) await runtime.setAgent({ sessionId, agent, actor });
      if (title !== undefined) await runtime.renameSession({ sessionId, title, actor });
      if (archived !== undefined) await runtime.archiveSession({ sessionId, archived, actor });
      if (mode !== undefined) await runtime.setMode({ sessionId, mode, actor });
      return { status: 200, body: await detail(params) };
    },
    deleteSession: async ({ params, principal }) => {
      const { sessionId } = params;
      await runtime.deleteSession({ sessionId, actor: principal.actor });
      return { status: 200, body: await detail(params) };
    },
    forkSession: async ({ params, body, principal }) => {
      const { sessionId } = params;
      const { actor } = principal;
      await expectOwnId(principal, body.sessionId);
      const options = given({ at: body.at, before: body.before, newSessionId: body.sessionId });
      const forked = await runtime.forkSession({ sessionId, ...options, actor });
      return { status: 201, body: await detail(forked) };
    },
    listChildren: async ({ params, query, principal }) => {
      await expectSession(runtime, params.sessionId);
      const page = await runtime.sessions({
        parent: params.sessionId,
        ...given({ directories: principal.directories ?? undefined }),
        limit: limitOf(query),
        after: sessionCursor(query.after),
      });
      return { status: 200, body: wirePage(page) };
    },
    listMessages: async ({ params, query }) => {
      const { sessionId } = params;
      if (query.after !== undefined && !/^i?\d{1,15}$/.test(query.after)) throw badCursor();
      const page = await runtime.messages({
        sessionId,
        after: query.after ?? null,
        limit: limitOf(query),
      });
      if (page === null) throw unknownSession(sessionId);
      const { messages, waiting, cursor } = page;
      return { status: 200, body: { items: messages.map(wireMessage), waiting, cursor } };
    },
    exportSession: async ({ params, headers }) => {
      await expectSession(runtime, params.sessionId);
      const { sessionId } = params;
      headers.set("content-disposition", `attachment; filename="${fileName(sessionId)}.json"`);
      return streamed(runtime.exportSession(sessionId), "application/json");
    },
  };
}

function wirePage(page: Awaited<ReturnType<RouteServices["runtime"]["sessions"]>>) {
  return { items: page.sessions.map(wireSession), cursor: page.cursor };
}

function sessionCursor(after: string | undefined): string | null {
  if (after !== undefined && !isSessionCursor(after)) throw badCursor();
  return after ?? null;
}

function fileName(sessionId: string): string {
  return sessionId.replaceAll(/[^A-Za-z0-9._-]/g, "_");
}

function wireMessage(message: MessageView): Message {
  if (message.role !== "assistant") return message;
  const { extra, ...rest } = message;
  return { ...rest, ...answerFields(extra) };
}

/** Streams a response. At most one piece is in memory. */
async function streamed(pieces: AsyncIterable<string>, contentType: string): Promise<Response> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  // Produce the first piece before the response starts, so that a refusal can still become an error response.
  let next = await iterator.next();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (next.done === true) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(next.value));
      next = await iterator.next();
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
  return new Response(body, { headers: { "content-type": contentType } });
}
