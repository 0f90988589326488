import { openPlace } from "./server-process.ts";
import type { ServerProcess } from "./server-process.ts";

export interface KillsResult {
  readonly acknowledged: number;
  /** Acknowledged prompts that are missing after the restart or never settle. */
  readonly missing: readonly string[];
}

/**
 * Kills a server with -9 as soon as it has answered 202 to a prompt, repeatedly on one store, and
 * then checks every prompt (P1, P2).
 */
export async function killAfterAccept(options: {
  kills: number;
  onProgress?: (kills: number) => void;
}): Promise<KillsResult> {
  const place = openPlace();
  try {
    const acknowledged: string[] = [];
    for (let kill = 1; kill <= options.kills; kill += 1) {
      const server = await place.start();
      const session = `s${kill}`;
      const body = { sessionId: session, directory: place.folder };
      await server.send("POST", "/v1/sessions", { body });
      if (await killedAfterAccept(server, session)) acknowledged.push(session);
      options.onProgress?.(kill);
    }
    const server = await place.start();
    const missing: string[] = [];
    for (const session of acknowledged) {
      const answer = await server.send("GET", `/v1/sessions/${session}/prompts/p?wait=30`);
      const { status, body } = answer;
      const outcome = body.outcome?.status ?? "none";
      if (status !== 200 || outcome !== "completed")
        missing.push(`${session}: ${status} ${outcome}`);
    }
    return { acknowledged: acknowledged.length, missing };
  } finally {
    await place.close();
  }
}

/** True if the 202 arrived. The process is dead in any case. */
async function killedAfterAccept(server: ServerProcess, session: string): Promise<boolean> {
  let wasAccepted = false;
  const sent = server.send("POST", `/v1/sessions/${session}/prompts`, {
    body: { promptId: "p", text: "say still here" },
    onHead: (status) => {
      wasAccepted = status === 202;
      server.process.kill("SIGKILL");
    },
  });
  // The rest of the response may be lost with the process.
  await sent.catch(() => {});
  await server.ended;
  return wasAccepted;
}
