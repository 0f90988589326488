import { pino } from "pino";
import type { DestinationStream, Logger } from "pino";
import type { LaneEvent } from "../kernel/event.ts";
import type { AnsweredRequest } from "./ports.ts";
import { createBoundedMap } from "../base/bounded-map.ts";
import { WorkspaceError } from "../workspace/loader.ts";
import type { Follower } from "./stream/follower.ts";

/** The server's log: one JSON object per line, with the ids of the session, prompt or run that it is about. */
export interface ServerLog {
  readonly logger: Logger;
  answered(request: AnsweredRequest): void;
  error(error: unknown): void;
  /** Logs starts and ends of this process's runs from now on. Returns a function that stops this. */
  follow(follower: Follower, isOwn: (owner: string) => boolean): () => void;
  flush(): Promise<void>;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  /** Log level from HOLDFAST_LOG. Missing or unknown: `info`. */
  readonly level: string | undefined;
  /** Removes configured secret keys from every line before it is written. */
  readonly redact: (text: string) => string;
  /** Destination of the lines; omitted: standard error. */
  readonly destination?: DestinationStream;
}

export function createLog(options: LogOptions): ServerLog {
  const level = levelOf(options.level);
  const destination = options.destination ?? openStandardError();
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
      // Refusing a request while the server drains is not a failure. Successful requests are logged only at debug
      // level.
      if (answered.status >= 500 && answered.code !== "draining")
        logger.error({ ...fields, err: error }, "request failed");
      else if (answered.status >= 400) logger.info(fields, "request refused");
      else logger.debug(fields, "request");
    },
    error: (error) => {
      // A mistake in a config file is not a fault of the server. The message names the file, the line and the mistake.
      if (error instanceof WorkspaceError) logger.warn({ code: error.code }, error.message);
      else logger.error({ err: error }, "unexpected error");
    },
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

/** Maximum bytes of lines that wait to be written. Further lines are dropped. */
const maxWaiting = 4 * 1024 * 1024;

/**
 * Writes lines to standard error without blocking. Lines that cannot be written, for example because the disk of the
 * log file is full, are kept and written together with a later line.
 */
function openStandardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: false, maxLength: maxWaiting });
  let isFailing = false;
  // An unhandled error would end the process.
  stream.on("error", () => (isFailing = true));
  stream.on("write", () => (isFailing = false));
  // pino calls this function when the process exits. It repeats a failed write forever.
  const flushSync = stream.flushSync.bind(stream);
  stream.flushSync = () => {
    if (!isFailing) flushSync();
  };
  return stream;
}

/** Returns a listener that logs runs that this process started or resumed. Other nodes log their own runs. */
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
      // A warning is not needed if a person has paused the session.
      const level = event.hold.kind === "person" ? "info" : "warn";
      logger[level]({ sessionId, hold: event.hold }, event.type);
    }
  };
}

const maxRuns = 10_000;

/**
 * Replaces Holdfast's own tokens, wherever the text comes from. `redact` cannot know them, because only their hashes
 * are stored.
 */
function hideTokens(text: string): string {
  return text.replaceAll(/\bhf[a-z]?_[\w-]{16,}/g, "[token]");
}

function levelOf(level: string | undefined): LogLevel {
  return logLevels.find((known) => known === level?.trim().toLowerCase()) ?? "info";
}
