import { Refused } from "@holdfast/sdk";
import type { SessionDetail, SessionHandle } from "@holdfast/sdk";
import { storeName } from "../../compose/stores.ts";
import { CliError } from "../cli-error.ts";

/** The session as it is; one that is not there is the person's to put right. */
export async function expectSession(
  session: SessionHandle,
  target: { url: string | null; store: string; advice?: string },
): Promise<SessionDetail> {
  try {
    return await session.get();
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "unknownSession") throw error;
    const { url, store, advice = "" } = target;
    const problem = `there is no session ${session.sessionId} ${url === null ? `in ${storeName(store)}` : `at ${url}`}`;
    const lists = "`holdfast sessions` lists what there is";
    throw new CliError("unknownSession", `${problem}; ${advice}${lists}`);
  }
}
