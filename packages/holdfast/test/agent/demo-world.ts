import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createDemoAgent } from "../../src/agent/demo/demo-agent.ts";
import type { LaneEvent } from "../../src/kernel/event.ts";
import { createRuntime } from "../../src/runtime/runtime.ts";
import type { Runtime, RuntimeOptions } from "../../src/runtime/runtime.ts";
import { examine } from "../../src/store/doctor/doctor.ts";
import { openSqliteReader } from "../../src/store/sqlite/reader.ts";

/** The demo agent at work on a real SQLite file. When the test ends, doctor must find it sound. */
export interface DemoWorld {
  readonly holdfast: Runtime;
  readonly folder: string;
  readonly sessionId: string;
  /** Sends a prompt and waits: `completed: text`, or `failed badKey: text`. */
  prompt(text: string): Promise<string>;
  send(text: string, options?: SendOptions): Promise<string>;
  outcome(promptId: string): Promise<string>;
  /** Resolves with the first event of the type that the session's log has, or will have. */
  event<Type extends LaneEvent["type"]>(
    type: Type,
    sessionId?: string,
  ): Promise<Extract<LaneEvent, { type: Type }>>;
  log(sessionId?: string): Promise<LaneEvent[]>;
  /** The lines of a file in the session's directory, without the marks of their calls. */
  lines(file: string): string[];
}

export type SendOptions = Partial<Omit<Parameters<Runtime["prompt"]>[0], "sessionId" | "text">>;

export async function openDemo(
  test: TestContext,
  settings: Partial<RuntimeOptions> = {},
): Promise<DemoWorld> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-demo-")));
  const file = join(folder, "holdfast.db");
  const errors: unknown[] = [];
  const holdfast = await createRuntime({
    agent: createDemoAgent({ faults: true }),
    store: file,
    // No titles: they arrive at any time, and these tests compare whole logs.
    titles: false,
    onError: (error) => errors.push(error),
    ...settings,
  });
  const { sessionId } = await holdfast.createSession({ sessionId: "main", directory: folder });
  test.after(async () => {
    await holdfast.close();
    const reader = await openSqliteReader({ file });
    const { violations } = await examine(reader);
    await reader.close();
    rmSync(folder, { recursive: true });
    assert.deepEqual({ violations, errors }, { violations: [], errors: [] });
  });

  const send = async (text: string, options: SendOptions = {}): Promise<string> =>
    (await holdfast.prompt({ ...options, sessionId, text })).promptId;
  const outcome = async (promptId: string): Promise<string> => {
    const row = await holdfast.wait({ sessionId, promptId });
    assert.ok(row?.status === "settled");
    const { status, reason } = row.outcome;
    const text = await holdfast.resultText(row);
    return `${status}${reason === null ? "" : ` ${reason}`}${text === null ? "" : `: ${text}`}`;
  };
  return {
    holdfast,
    folder,
    sessionId,
    send,
    outcome,
    prompt: async (text) => outcome(await send(text)),
    event: async <Type extends LaneEvent["type"]>(type: Type, of = sessionId) => {
      for await (const event of holdfast.events({ sessionId: of })) {
        if (isOf(event, type)) return event;
      }
      throw new Error(`${of} has no ${type}`);
    },
    log: async (of = sessionId) => [
      ...(await holdfast.store.events(of, { after: null, limit: 1_000 })),
    ],
    lines: (name) => {
      const path = join(folder, name);
      if (!existsSync(path)) return [];
      const text = readFileSync(path, "utf8").replaceAll(/ ?\[call-\w+\]/g, "");
      return text.split("\n").slice(0, -1);
    },
  };
}

function isOf<Type extends LaneEvent["type"]>(
  event: LaneEvent,
  type: Type,
): event is Extract<LaneEvent, { type: Type }> {
  return event.type === type;
}

/** The types of a log's events, in order, without the events that create the session. */
export function typesOf(log: readonly LaneEvent[]): string[] {
  return log.map(({ type }) => type).filter((type) => type !== "session.created");
}
