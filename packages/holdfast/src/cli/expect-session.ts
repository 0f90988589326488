import type { LaneState, StoreReader } from "../main.ts";
import { storeName } from "../main.ts";
import { CliError } from "./cli-error.ts";

/** The session of that id; one that is not there is the person's to put right. */
export async function expectSession(
  reader: StoreReader,
  target: { sessionId: string; store: string },
): Promise<LaneState> {
  const { sessionId, store } = target;
  const lane = await reader.lane(sessionId);
  if (lane !== null) return lane;
  const problem = `there is no session ${sessionId} in ${storeName(store)}`;
  throw new CliError("unknownSession", `${problem}; \`holdfast sessions\` lists what there is`);
}
