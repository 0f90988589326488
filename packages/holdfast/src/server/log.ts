import { pino } from "pino";
import type { DestinationStream, Logger } from "pino";
import type { LaneEvent } from "../kernel/event.ts";
import type { AnsweredRequest } from "./ports.ts";
import { createBoundedMap } from "../base/bounded-map.ts";
import type { Follower } from "./stream/follower.ts";

/** What a server says about itself: a line of JSON each, with the ids of what it is about. */
export interface ServerLog {
  readonly logger: Logger;
  answered(request: AnsweredRequest): void;
  error(error: unknown): void;
  /** From here on runs are told of, too. */
  follow(follower: Follower, isOwn: (owner: string) => boolean): () => void;
  flush(): Promise<void>;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  /** As HOLDFAST_LOG says; `info` for nothing, or for what is no level. */
  readonly level: string | undefined;
  /** Takes configured keys out of a text: nothing is written without it. */
  readonly redact: (text: string) => string;
  /** Where lines go; the standard error output if left out. */
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
    answered: (request) => {
      const { error, duration, actor, ...rest } = request;
      const ms = Math.round(duration * 1000);
      const fields = { ...rest, ms, ...(actor === null ? {} : { actor: actor.id }) };
      // What goes well is of interest only to who looks for it; and a server that stops refuses as it should.
      if (request.status >= 500 && request.code !== "draining")
        logger.error({ ...fields, err: error }, "request failed");
      else if (request.status >= 400) logger.info(fields, "request refused");
      else logger.debug(fields, "request");
    },
    error: (error) => logger.error({ err: error }, "something went wrong"),
    follow: (follower, isOwn) => {
      return follower.listen(runLogger(logger, isOwn));
    },
    flush: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      logger.flush(() => resolve());
      return promise;
    },
  };
}

/** Tells of runs that this process began or took over; others' tell of themselves. */
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
      // What a person does is no trouble.
      const level = event.hold.kind === "person" ? "info" : "warn";
      logger[level]({ sessionId, hold: event.hold }, event.type);
    }
  };
}

const maxRuns = 10_000;

/** Tokens of our own, wherever they come from: only their hashes are kept, so nobody knows them all. */
function hideTokens(text: string): string {
  return text.replaceAll(/\bhf[a-z]?_[\w-]{16,}/g, "[token]");
}

function levelOf(level: string | undefined): LogLevel {
  return logLevels.find((known) => known === level?.trim().toLowerCase()) ?? "info";
}
