import { setTimeout as delay } from "node:timers/promises";
import type { Receipt } from "../../../src/kernel/event.ts";
import type { Random } from "../../store/chaos/random.ts";
import type { Cluster } from "./cluster.ts";
import type { Told } from "./told.ts";

export const sessionCount = 12;

export function sessionName(index: number): string {
  return `session-${index}`;
}

/**
 * Starts clients that send requests to any node, and to another node until they get an answer. Resolves when all
 * prompts are acknowledged.
 */
export async function startClients(
  cluster: Cluster,
  options: {
    random: Random;
    isEnough: (sent: number) => boolean;
    side: number;
    told: Told;
    deadline: AbortSignal;
  },
): Promise<void> {
  const { random, told, deadline } = options;
  let number = 0;
  const one = async (promptId: string): Promise<void> => {
    const sessionId = sessionName(random.below(sessionCount));
    const task = random.chance(0.05) ? spending(random) : { text: chooseText(random, promptId) };
    const body = { promptId, ...task, delivery: delivery(random) };
    const path = `/v1/sessions/${sessionId}/prompts`;
    const { acceptSeq } = await insist<{ acceptSeq: number }>(cluster, {
      ...options,
      request: { method: "POST", path, body },
    });
    told.accepted.push({ sessionId, promptId, acceptSeq });
    if (random.chance(0.08)) {
      const receipt = await insist<Receipt>(cluster, {
        ...options,
        request: {
          method: "POST",
          path: `/v1/sessions/${sessionId}/cancel`,
          body: { cancelId: `cancel-${promptId}`, tree: random.chance(0.5) },
        },
      });
      told.receipts.push({ sessionId, receipt });
    }
    if (random.chance(0.3)) {
      const answer = await insist<PromptAnswer>(cluster, {
        ...options,
        request: { method: "GET", path: `${path}/${promptId}?wait=5` },
      });
      if (answer.outcome !== null) told.outcomes.push({ sessionId, promptId, ...answer.outcome });
    }
  };
  const client = async (): Promise<void> => {
    while (!options.isEnough(number) && !deadline.aborted) {
      number += 1;
      await one(`prompt-${number}`);
    }
  };
  await Promise.all(Array.from({ length: options.side }, client));
}

interface PromptAnswer {
  readonly outcome: Pick<Told["outcomes"][number], "status" | "reason"> | null;
}

interface NodeRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Sends the same request to one node after the other, until one accepts it. */
export async function insist<Answer>(
  cluster: Pick<Cluster, "nodes">,
  options: { random: Random; deadline: AbortSignal; request: NodeRequest },
): Promise<Answer> {
  const { random, deadline, request } = options;
  for (;;) {
    deadline.throwIfAborted();
    const node = cluster.nodes[random.below(cluster.nodes.length)]?.address() ?? null;
    const answer = node === null ? null : await ask(node, request);
    if (answer !== null && answer.status < 300) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the route answers
      return answer.body as Answer;
    }
    // A permanent refusal is a failure: these clients send only valid requests.
    if (answer !== null && answer.status < 500 && !passing.has(answer.status)) {
      throw new Error(
        `${request.path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`,
      );
    }
    await delay(20 + random.below(80));
  }
}

/** Statuses that concern the node or its load, not the request. */
const passing: ReadonlySet<number> = new Set([408, 429]);

/** Null if it is unknown whether the request was executed. */
async function ask(
  { url, token }: { url: string; token: string },
  { method, path, body }: NodeRequest,
): Promise<{ status: number; body: unknown } | null> {
  try {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      signal: AbortSignal.timeout(8_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}

function chooseText(random: Random, promptId: string): string {
  const percent = random.below(100);
  if (percent < 10) return familyText(random, promptId);
  if (percent < 40) return `say ${promptId}`;
  if (percent < 65) return `say a; append acts.txt ${promptId}; say b`;
  if (percent < 85) return `steps ${1 + random.below(4)}; wait ${random.below(150)}ms`;
  return `words 20 every 5ms; append acts.txt ${promptId}; tool read ${promptId}`;
}

/** A tree that would use twice or three times its budget; whichever of its runs meets the limit fails. */
function spending(random: Random): { text: string; budget: { tokens: number } } {
  const [first, second] = random.chance(0.5) ? ["child", "background"] : ["background", "child"];
  const below = `tokens 4; ${second} { tokens 4; tokens 4 }; tokens 4`;
  const text = `tokens 4; ${first} { ${below} }; tokens 4; tokens 4`;
  return { text, budget: { tokens: 8 + random.below(5) } };
}

/** A child and two grandchildren, in the foreground and in the background. */
function familyText(random: Random, promptId: string): string {
  const wait = `wait ${random.below(300)}ms`;
  const below = `append acts.txt ${promptId}; ${wait}`;
  const [first, second] = random.chance(0.5) ? ["child", "background"] : ["background", "child"];
  return `${first} { background { ${below} }; ${second} { ${below} }; ${wait} }; say ${promptId}`;
}

function delivery(random: Random): string {
  const percent = random.below(100);
  if (percent < 78) return "queue";
  return percent < 96 ? "steer" : "interrupt";
}
