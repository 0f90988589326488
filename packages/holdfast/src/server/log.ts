import { pino } from "pino";
import type { DestinationStream, Logger } from "pino";
import type { LaneEvent } from "../kernel/event.ts";
import type { AnsweredRequest } from "./ports.ts";
import { createBoundedMap } from "../base/bounded-map.ts";
import type { Follower } from "./stream/follower.ts";

/** The server's log: one JSON object per line, with the ids of the session, prompt or run. */
export interface ServerLog {
  readonly logger: Logger;
  answered(request: AnsweredRequest): void;
  error(error: unknown): void;
  /** From now on, also logs when runs of this process start and end. */
  follow(follower: Follower, isOwn: (owner: string) => boolean): () => void;
  flush(): Promise<void>;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  /** Value of HOLDFAST_LOG. `info` if missing or not a level. */
  readonly level: string | undefined;
  /** Removes configured keys from every line before it is written. */
  readonly redact: (text: string) => string;
  /** Where lines go; standard error by default. */
  readonly destination?: DestinationStream;
}

export function createLog(options: LogOptions): ServerLog {
  const level = levelOf(options.level);
  const destination = options.destination ?? pino.destination({ dest: 2, sync: false });
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => hideTokens(options.redact(line)) },
    },
    destination,
  );
  return {
    logger,
    answered: (answered) => {
      const { error, duration, actor, request: _, ...rest } = answered;
      const ms = Math.round(duration * 1000);
      const fields = { ...rest, ms, ...(actor === null ? {} : { actor: actor.id }) };
      // Successful requests are logged at debug level only. Refusing requests while draining is no
      // failure.
      if (answered.status >= 500 && answered.code !== "draining")
        logger.error({ ...fields, err: error }, "request failed");
      else if (answered.status >= 400) logger.info(fields, "request refused");
      else logger.debug(fields, "request");
    },
    error: (error) => logger.error({ err: error }, "unexpected error"),
    follow: (follower, isOwn) => {
      const logRun = runLogger(logger, isOwn);
      return follower.listen(logRun);
    },
    flush: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      logger.flush(() => resolve());
      return promise;
    },
  };
}

/** Logs runs that this process started or resumed. Other nodes log their own. */
function runLogger(logger: Logger, isOwn: (owner: string) => boolean): (event: LaneEvent) => void {
  const own = createBoundedMap<string, number>(maxRuns);
  return (event) => {
    const { sessionId, at } = event;
    if (event.type === "run.started" || event.type === "run.resumed") {
      const { runId, owner, attempt } = event;
      if (!isOwn(owner)) return;
      own.set(runId, at);
      logger.info({ sessionId, runId, attempt }, event.type);
    }
    if (event.type === "run.ended") {
      const { runId, attempt, outcome, usage } = event;
      const since = own.take(runId);
      if (since === null) return;
      const { status, reason } = outcome;
      logger.info({ sessionId, runId, attempt, status, reason, usage, ms: at - since }, event.type);
    }
    if (event.type === "run.suspended" || event.type === "run.handedOver") {
      const { runId, attempt } = event;
      if (own.take(runId) !== null) logger.warn({ sessionId, runId, attempt }, event.type);
    }
    if (event.type === "hold.placed") {
      // A session that a person pauses is no reason for a warning.
      const level = event.hold.kind === "person" ? "info" : "warn";
      logger[level]({ sessionId, hold: event.hold }, event.type);
    }
  };
}

const maxRuns = 10_000;

/**
 * Hides our tokens, wherever the text comes from. Only their hashes are stored, so `redact` cannot
 * know them all.
 */
function hideTokens(text: string): string {
  return text.replaceAll(/\bhf[a-z]?_[\w-]{16,}/g, "[token]");
}

function levelOf(level: string | undefined): LogLevel {
  return logLevels.find((known) => known === level?.trim().toLowerCase()) ?? "info";
}
