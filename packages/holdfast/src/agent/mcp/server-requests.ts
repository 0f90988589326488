import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";
import type { ActiveCaller, Callers } from "./caller.ts";

/** Declares to servers which kinds of requests Holdfast handles. */
export const clientCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  roots: {},
  sampling: {},
};

export interface Root {
  readonly uri: string;
  readonly name: string;
}

/**
 * Returns the MCP roots: the folders that a server should work in. The only one is the directory of the sessions that
 * use the server.
 */
export function rootsOf(directory: string): { readonly roots: Root[] } {
  return { roots: [{ uri: pathToFileURL(directory).href, name: basename(directory) }] };
}

/**
 * Handles requests of servers with a protocol revision before 2026-07-28. Newer servers request input in their results
 * instead.
 */
export function answerServer(
  client: Client,
  { callers, directory }: { callers: Callers; directory: string },
): void {
  client.setRequestHandler("roots/list", () => rootsOf(directory));
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const { action, content } = await whilePaused(callers.current(), (active) =>
      active.caller.elicit(params),
    );
    return content === undefined ? { action } : { action, content: { ...content } };
  });
  client.setRequestHandler("sampling/createMessage", async ({ params }) => ({
    ...(await whilePaused(callers.current(), (active) => active.caller.sample(params))),
  }));
}

/** Pauses the time limits of the call during `work`, because the server waits for a person or the model. */
export async function whilePaused<Result>(
  active: ActiveCaller,
  work: (active: ActiveCaller) => Promise<Result>,
): Promise<Result> {
  const resume = active.pause();
  try {
    return await work(active);
  } finally {
    resume();
  }
}
