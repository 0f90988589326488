import type { Database } from "./database.ts";

/** What a failover would lose, if there is a standby and commits do not wait for it; else null. */
export async function replicationWarning(database: Database): Promise<string | null> {
  const [row] = await database.rows<{
    standbys: number;
    synchronous: number;
    names: string;
    commit: string;
  }>({
    text: `
      SELECT count(*)::int AS standbys,
        count(*) FILTER (WHERE sync_state IN ('sync', 'quorum'))::int AS synchronous,
        current_setting('synchronous_standby_names') AS names,
        current_setting('synchronous_commit') AS commit
      FROM pg_stat_replication`,
  });
  if (row === undefined) return null;
  const { commit, names, standbys, synchronous } = row;
  if (commit === "off") {
    return "synchronous_commit is off: a crash of the database loses acknowledged prompts; turn it on";
  }
  const hasStandby = standbys > 0 || names !== "";
  const waits = names !== "" && commit !== "local" && (standbys === 0 || synchronous > 0);
  if (!hasStandby || waits) return null;
  return (
    "a standby is configured, but commits do not wait for it: a failover would lose acknowledged " +
    "prompts; set synchronous_standby_names and leave synchronous_commit on"
  );
}
