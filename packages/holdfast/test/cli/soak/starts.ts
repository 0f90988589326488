import { existsSync, readFileSync } from "node:fs";
import { serversIn } from "../../support/end-servers.ts";
import { openCli } from "../test-cli.ts";

export interface StartsResult {
  readonly rounds: number;
  readonly outcomes: number;
  /** Servers that started beside another one and ended at once. */
  readonly losers: number;
  readonly problems: readonly string[];
}

/**
 * Starts ten pairs of `holdfast run` in the same 50 ms on an empty data folder, again and again. Each round must
 * have one server and an outcome for every prompt.
 */
export async function soakStarts(options: {
  readonly rounds: number;
  readonly pairs: number;
  readonly say: (line: string) => void;
}): Promise<StartsResult> {
  const { rounds, pairs, say } = options;
  const problems: string[] = [];
  let [outcomes, losers] = [0, 0];
  for (let round = 1; round <= rounds; round += 1) {
    const cleanups: (() => void)[] = [];
    const cli = openCli({ after: (work) => void cleanups.push(work) });
    try {
      const runs = Array.from({ length: 2 * pairs }, (_, n) => cli.run("run", `say hello ${n}`));
      for (const [n, { end, out, err }] of (await Promise.all(runs)).entries()) {
        if (end === 0 && out === `[demo agent] hello ${n}\n`) outcomes += 1;
        else problems.push(`round ${round}, prompt ${n}: exit code ${end}: ${err}`);
      }
      const servers = serversIn(cli.folder).length;
      if (servers !== 1) problems.push(`round ${round}: ${servers} servers are running`);
      const log = `${cli.store}.server.log`;
      const text = existsSync(log) ? readFileSync(log, "utf8") : "";
      losers += text.match(/serverRunning/g)?.length ?? 0;
      say(`round ${round} of ${rounds}: ${outcomes} outcomes, ${problems.length} problems`);
    } finally {
      for (const cleanUp of cleanups) cleanUp();
    }
  }
  return { rounds, outcomes, losers, problems };
}
