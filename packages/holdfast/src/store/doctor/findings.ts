/** Number of items that were checked. */
export interface Tally {
  readonly sessions: number;
  readonly events: number;
  readonly prompts: number;
  readonly asks: number;
  readonly links: number;
  readonly bodies: number;
}

export interface Violation {
  readonly sessionId: string;
  /** Description of the problem. Starts with the number of the broken promise, such as P4 (docs/PROMISES.md). */
  readonly problem: string;
}

/** Counts and problems of an examination so far. */
export interface Findings {
  count(what: keyof Tally): void;
  report(sessionId: string, ...problems: readonly string[]): void;
  /** Reports progress and yields to the event loop, because reads from a file are synchronous. */
  progress(): Promise<void>;
  result(): Tally & { violations: readonly Violation[]; violationCount: number };
}

/** Maximum number of problems to keep, to limit memory if a store is badly damaged. */
const maxViolations = 1_000;

export function createFindings(onProgress: (tally: Tally) => void): Findings {
  const tally = { sessions: 0, events: 0, prompts: 0, asks: 0, links: 0, bodies: 0 };
  const violations: Violation[] = [];
  let violationCount = 0;
  return {
    count: (what) => {
      tally[what] += 1;
    },
    report: (sessionId, ...problems) => {
      violationCount += problems.length;
      const room = maxViolations - violations.length;
      violations.push(...problems.slice(0, room).map((problem) => ({ sessionId, problem })));
    },
    progress: async () => {
      onProgress({ ...tally });
      await new Promise((resolve) => setImmediate(resolve));
    },
    result: () => ({ ...tally, violations, violationCount }),
  };
}
