import { Unreachable } from "@holdfast/sdk";

/**
 * Sends the request that stops a server. Returns null if the server ended before its response arrived. For example, a
 * server whose disk is full may end by itself at this moment.
 */
export async function requestStop<Answer>(
  send: () => Promise<Answer>,
  isThere: () => Promise<boolean>,
): Promise<Answer | null> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Unreachable) || (await isThere())) throw error;
    return null;
  }
}
