import { z } from "zod";
import type { EditorServerList, Holdfast } from "@holdfast/sdk";
import { describeError } from "../describe-error.ts";
import { oneLine, printable } from "../terminal/printable.ts";
import type { AcpSession } from "./acp-session.ts";
import { fieldsOf } from "../../base/json-rpc.ts";
import type { Peer } from "../../base/json-rpc.ts";
import { unlessAborted } from "../../base/time.ts";
import type { PermissionOption } from "./protocol.ts";
import { textContent } from "./tool-calls.ts";

/**
 * Passes the editor's MCP servers to Holdfast. Holdfast starts the command of such a server only if the person has
 * agreed to this command.
 */
export interface OfferedServers {
  /** Call with the parameters of a request that opens a session. */
  opened(session: AcpSession, params: unknown): void;
  /**
   * Resolves when runs of the session can use the editor's MCP servers, or when the signal aborts or the session closes.
   * Asks for consent if necessary.
   */
  ready(session: AcpSession, signal: AbortSignal): Promise<void>;
}

/** An MCP server that the editor describes and Holdfast starts as a program. The protocol lists variables as pairs. */
const stdioSchema = z.object({
  name: z.string().min(1),
  command: z.string().min(1),
  args: z.array(z.string()),
  env: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .transform((pairs) => Object.fromEntries(pairs.map(({ name, value }) => [name, value]))),
});
type Server = z.output<typeof stdioSchema>;
type Listed = EditorServerList["items"][number];

interface Offer {
  readonly servers: readonly Server[];
  /** Names of MCP servers that Holdfast cannot use. */
  readonly leftOut: readonly string[];
  /** The MCP servers in `servers`, in the form in which Holdfast's API returns them. */
  readonly listed: Promise<readonly Listed[]>;
}

interface OfferOptions {
  readonly peer: Peer;
  readonly connect: () => Promise<Holdfast>;
  /** Name of the editor. */
  readonly editor: () => string;
  /** True if the Holdfast server is possibly on another machine, where it cannot start this machine's programs. */
  readonly isElsewhere: boolean;
  readonly onError: (error: unknown) => void;
}

export function createOfferedServers(options: OfferOptions): OfferedServers {
  const { peer, connect, isElsewhere, onError } = options;
  const offers = new WeakMap<AcpSession, Offer>();
  const preparing = new WeakMap<AcpSession, Promise<void>>();
  /**
   * MCP servers that the person has rejected, by directory and digest. The person is asked once per process about each
   * server.
   */
  const rejected = new Set<string>();
  /** MCP servers that were already reported to the person, by directory and name. */
  const reported = new Set<string>();

  const send = async (
    { directory }: AcpSession,
    { servers, consents }: { servers: readonly Server[]; consents: readonly string[] },
  ): Promise<readonly Listed[]> => {
    const { mcp } = await connect();
    const client = options.editor();
    return mcp.setEditorServers({
      directory,
      client,
      servers: [...servers],
      consents: [...consents],
    });
  };
  const reportOnce = (session: AcpSession, text: string): void => {
    const key = JSON.stringify([session.directory, text]);
    if (!reported.has(key)) session.note(text);
    reported.add(key);
  };
  const prepare = async (
    session: AcpSession,
    { servers, leftOut, listed }: Offer,
    signal: AbortSignal,
  ): Promise<void> => {
    if (leftOut.length > 0) reportOnce(session, leftOutText(leftOut, isElsewhere));
    const consents: string[] = [];
    const refused: string[] = [];
    for (const server of await listed) {
      if (signal.aborted) return;
      if (server.status === "used") continue;
      const key = JSON.stringify([session.directory, server.digest]);
      const isAllowed = !rejected.has(key) && (await askConsent(peer, { session, server, signal }));
      // The prompt was cancelled before the person answered, so the next prompt asks for consent again.
      if (signal.aborted) return;
      if (isAllowed) consents.push(server.digest);
      else refused.push(server.name);
      if (!isAllowed) rejected.add(key);
    }
    if (refused.length > 0) reportOnce(session, refusedText(refused));
    if (consents.length > 0) await send(session, { servers, consents });
    offers.delete(session);
  };
  const start = (session: AcpSession, offer: Offer, signal: AbortSignal): Promise<void> => {
    const work = prepare(session, offer, signal)
      .catch((error: unknown) => {
        offers.delete(session);
        onError(error);
        if (offer.servers.length === 0) return;
        session.note(`The MCP servers of the editor are not used: ${describeError(error).line}`);
      })
      .finally(() => preparing.delete(session));
    preparing.set(session, work);
    return work;
  };
  return {
    opened: (session, params) => {
      const { servers, leftOut } = readServers(params, isElsewhere);
      const listed = isElsewhere ? Promise.resolve([]) : send(session, { servers, consents: [] });
      // Ignore the error here: `ready` reports it.
      listed.catch(() => {});
      offers.set(session, { servers, leftOut, listed });
    },
    ready: async (session, signal) => {
      const ended = AbortSignal.any([signal, session.closed]);
      // If the prompt that asks for consent is cancelled, the next prompt that waits for the answer asks again.
      for (;;) {
        const offer = offers.get(session);
        if (offer === undefined || ended.aborted) return;
        const work = preparing.get(session) ?? start(session, offer, ended);
        // The work does not fail, so this fails only if `ended` aborts.
        await unlessAborted(work, ended).catch(() => {});
      }
    },
  };
}

function readServers(params: unknown, isElsewhere: boolean): Omit<Offer, "listed"> {
  const { mcpServers } = fieldsOf(params);
  const servers: Server[] = [];
  const leftOut: string[] = [];
  for (const sent of Array.isArray(mcpServers) ? mcpServers : []) {
    const parsed = stdioSchema.safeParse(sent);
    if (parsed.success && !isElsewhere) servers.push(parsed.data);
    else leftOut.push(oneLine(String(fieldsOf(sent)["name"]), 60));
  }
  return { servers, leftOut };
}

function leftOutText(names: readonly string[], isElsewhere: boolean): string {
  const reason = isElsewhere
    ? "the Holdfast server may be on another machine"
    : "Holdfast accepts only servers that are started as a program";
  const advice = "Add them under `mcp` in holdfast.jsonc or in your user config.";
  return `These MCP servers of the editor are not used, because ${reason}: ${names.join(", ")}. ${advice}`;
}

function refusedText(names: readonly string[]): string {
  return `These MCP servers of the editor are not started, because you did not allow them: ${names.join(", ")}.`;
}

const answers: readonly PermissionOption[] = [
  { optionId: "start", name: "Start it in this folder", kind: "allow_always" },
  { optionId: "no", name: "Do not start it", kind: "reject_once" },
];

/** Shows the exact command to the person. Returns true only for an explicit yes. */
async function askConsent(
  peer: Peer,
  asked: { session: AcpSession; server: Listed; signal: AbortSignal },
): Promise<boolean> {
  const { session, server, signal } = asked;
  const { sessionId } = session;
  const toolCallId = `mcp/${server.digest}`;
  const title = `Start the MCP server ${server.name}?`;
  const content = [textContent(consentText(session.directory, server), "execute")];
  const params = {
    sessionId,
    toolCall: { toolCallId, status: "pending", kind: "execute", title, content },
    options: answers,
  };
  // An error counts as no consent: the server is not started.
  const answer = await peer.request("session/request_permission", params, signal).catch(() => null);
  const { outcome, optionId } = fieldsOf(fieldsOf(answer)["outcome"]);
  const isAllowed = outcome === "selected" && optionId === "start";
  const status = isAllowed ? "completed" : "failed";
  session.say({ sessionUpdate: "tool_call_update", toolCallId, status });
  return isAllowed;
}

function consentText(directory: string, { command, variables }: Listed): string {
  const [program = "", ...words] = command;
  return [
    `Program: ${shown(program)}`,
    `Arguments: ${list(words)}`,
    `Folder: ${shown(directory)}`,
    `Environment variables: ${list(variables)}`,
    "",
    "The program runs with your rights, outside the sandbox, for all sessions in this folder. Holdfast asks again if the command changes.",
  ].join("\n");
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "none" : items.map((item) => `\n  ${shown(item)}`).join("");
}

/** Quotes a text, so that no character in it can imitate another line of the request. */
function shown(text: string): string {
  return printable(JSON.stringify(text));
}
