/** How much has been verified. */
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
  /** Begins with the number of the promise that is broken. */
  readonly problem: string;
}

/** What an examination has verified and found so far. */
export interface Findings {
  count(what: keyof Tally): void;
  report(sessionId: string, ...problems: readonly string[]): void;
  /** Tells how far it is, and lets others of this process have their say: a file is read at once. */
  progress(): Promise<void>;
  result(): Tally & { violations: readonly Violation[]; violationCount: number };
}

/** A store that is broken all over must not fill the memory with saying so. */
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
