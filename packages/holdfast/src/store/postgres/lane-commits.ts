import type { Queryable } from "./connection.ts";
import { isConnectionLost, isRolledBack } from "./errors.ts";
import { writeLane, writeLanes } from "./lane-write.ts";
import type { LaneWrite } from "./lane-write.ts";

/** Maximum number of statements in flight: the database executes one while the next one is being sent. */
const maxSent = 2;
/** Maximum number of lanes in one statement, to limit how long other statements wait for it. */
const maxLanes = 64;
const maxBytes = 1024 * 1024;

interface Waiting {
  readonly write: LaneWrite;
  readonly resolve: (written: boolean | Promise<boolean>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit across lanes: writes that arrive while statements are in flight share the next statement. Each
 * lane gets its own result.
 */
export class LaneCommits {
  readonly #database: Queryable;
  #waiting: Waiting[] = [];
  #sent = 0;
  #isPlanned = false;

  constructor(database: Queryable) {
    this.#database = database;
  }

  write(write: LaneWrite): Promise<boolean> {
    if (write.lane.base === 0 || sizeOf(write) > maxBytes) return writeLane(this.#database, write);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      this.#plan();
    });
  }

  /** Batches writes that arrive in the same tick. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    process.nextTick(() => {
      this.#isPlanned = false;
      while (this.#sent < maxSent && this.#waiting.length > 0) void this.#send();
    });
  }

  async #send(): Promise<void> {
    const group = this.#waiting.splice(0, groupSize(this.#waiting));
    const writes = group.map(({ write }) => write);
    this.#sent += 1;
    try {
      const written = await writeLanes(this.#database, writes);
      for (const { write, resolve } of group) resolve(written.has(write.sessionId));
    } catch (error) {
      this.#failed(group, error);
    } finally {
      this.#sent -= 1;
      this.#plan();
    }
  }

  /**
   * Retries each write alone, because one of them may have caused the error. If the database itself failed, rejects
   * all.
   */
  #failed(group: readonly Waiting[], error: unknown): void {
    const isShared = group.length === 1 || isConnectionLost(error) || isRolledBack(error);
    for (const { write, resolve, reject } of group) {
      if (isShared) reject(error);
      else resolve(writeLane(this.#database, write));
    }
  }
}

function groupSize(waiting: readonly Waiting[]): number {
  let bytes = 0;
  const end = waiting.findIndex(({ write }, index) => {
    bytes += sizeOf(write);
    return index === maxLanes || bytes > maxBytes;
  });
  return end === -1 ? waiting.length : Math.max(1, end);
}

function sizeOf({ bodies }: LaneWrite): number {
  return bodies.reduce((total, { content }) => total + content.length, 0);
}
