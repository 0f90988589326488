import { ownSession } from "./after-repeat.ts";
import { call } from "./call.ts";
import { eachItem } from "./pages.ts";
import { sessionHandle } from "./session.ts";
import type { SessionHandle } from "./session.ts";
import { readJson } from "./transport.ts";
import type { CallOptions, RequestBody, Transport } from "./transport.ts";
import type {
  Routes,
  Session,
  SessionDetail,
  SessionDocument,
  SessionInput,
  SessionPage,
} from "./types.gen.ts";

/** Filters and paging of `sessions.list`. */
export type SessionsQuery = Routes["GET /v1/sessions"]["query"];

/** Options of `sessions.import`. */
export interface ImportOptions extends CallOptions {
  /** Id of the new session. Default: a random id. */
  readonly sessionId?: string | undefined;
  /** Directory of the new session. Default: the directory in the document. */
  readonly directory?: string | undefined;
}

/**
 * Creates and lists sessions.
 *
 * @example
 * const session = await holdfast.sessions.create({ directory: process.cwd() });
 * for await (const { sessionId, title } of holdfast.sessions.each()) console.log(sessionId, title);
 */
export interface Sessions {
  /** Creates a session in a directory. With your own `sessionId`, returns the session if it exists. */
  create(input: SessionInput & CallOptions): Promise<SessionHandle>;
  /** Lists sessions, latest activity first. */
  list(query?: SessionsQuery & CallOptions): Promise<SessionPage>;
  /** Yields the sessions of all pages of `list`. */
  each(query?: SessionsQuery & CallOptions): AsyncGenerator<Session>;
  /** Creates a session from an exported document, given as text, bytes or parsed JSON. */
  import(
    document: SessionDocument | RequestBody["content"],
    options?: ImportOptions,
  ): Promise<SessionHandle>;
}

export function sessionsOf(transport: Transport): Sessions {
  const list: Sessions["list"] = ({ signal, patience, ...query } = {}) =>
    call(transport, "GET /v1/sessions", { query, signal, patience });
  return {
    create: async ({ signal, patience, ...input }) => {
      const { sessionId, options } = ownSession(transport, input.sessionId, { signal, patience });
      await call(transport, "POST /v1/sessions", { body: { ...input, sessionId }, ...options });
      return sessionHandle(transport, sessionId);
    },
    list,
    each: (query = {}) => eachItem(query.after, (after) => list({ ...query, after })),
    import: async (document, { directory, sessionId: chosen, signal, patience } = {}) => {
      const { sessionId, options } = ownSession(transport, chosen, { signal, patience });
      const outgoing = {
        method: "POST",
        path: "/v1/sessions/import",
        wait: importTime,
        query: { sessionId, directory },
        body: {
          type: "application/json",
          content: isRaw(document) ? document : JSON.stringify(document),
        },
      };
      await transport.send(outgoing, { ...options, read: readJson<SessionDetail> });
      return sessionHandle(transport, sessionId);
    },
  };
}

/** Timeout of an import in milliseconds. A large document takes long, and a retry would take as long again. */
const importTime = 10 * 60_000;

function isRaw(document: object | string): document is RequestBody["content"] {
  return typeof document === "string" || document instanceof Blob || document instanceof Uint8Array;
}
