import { setTimeout as pause } from "node:timers/promises";
import type { ModelCall, Part, Reply, Script } from "../../gauntlet/model-server/script.ts";

/** The model's answers, in order, to a prompt that matches `about`. */
interface Work {
  readonly about: RegExp;
  readonly answers: readonly (() => Reply)[];
}

const works: readonly Work[] = [
  {
    about: /is tested/,
    answers: [
      () => answer([...spoken("Let me see.", 60), called("grep", { pattern: "test\\(" })]),
      () => answer(spoken("Three tests cover it; none of them sends the same request twice.", 70)),
    ],
  },
  {
    about: /duplicate orders/,
    answers: [
      () =>
        answer([
          ...thought(
            "A retry repeats the whole request, and nothing ties the second one to the first. The key has to be stored in the same transaction as the order.",
          ),
          ...spoken("I'll look at how orders are made before I change anything.", 40),
          called("grep", { pattern: "createOrder|charge\\(" }),
          called("read", { path: "src/checkout.ts" }),
          called("read", { path: "src/order.ts" }),
        ]),
      () =>
        answer([
          ...spoken(
            "`checkout` creates an order for every request that arrives. It should look for the `Idempotency-Key` first.",
            60,
          ),
          called("edit", {
            path: "src/checkout.ts",
            edits: [
              {
                old: "  const cart = await request.json();\n  const order = await createOrder(cart);\n",
                new: '  const key = request.headers.get("idempotency-key");\n  const known = key && (await findOrder(key));\n  if (known) return Response.json(known, { status: 200 });\n  const cart = await request.json();\n  const order = await createOrder(cart, key);\n',
              },
              {
                old: 'import { createOrder } from "./order.ts";',
                new: 'import { createOrder, findOrder } from "./order.ts";',
              },
            ],
          }),
        ]),
      () => answer([...spoken("Now the tests.", 60), called("shell", { command: "npm test" })]),
      () =>
        answer(
          spoken(
            [
              "`POST /checkout` is idempotent now. A request with an `Idempotency-Key` that was seen before is answered with the order that it made the first time:\n\n",
              "```ts\nconst known = key && (await findOrder(key));\nif (known) return Response.json(known, { status: 200 });\n```\n\n",
              "| request | answer |\n| --- | --- |\n| first with a key | `201`, a new order |\n| again with that key | `200`, the same order |\n| without a key | `201`, as before |\n\n",
              "All three tests pass.",
            ].join(""),
            45,
          ),
        ),
    ],
  },
  {
    about: /two requests at once/,
    answers: [
      () =>
        answer([
          ...spoken("Two at once can both miss the key, so I'll make them race in a test.", 60),
          called("read", { path: "test/checkout.test.js" }),
        ]),
      () => answer([called("shell", { command: "npm test" })]),
      () =>
        answer(
          spoken(
            "The race is real: without a **unique index on the key** both requests pass the check. With the index the second insert fails, and `checkout` answers with the order of the first. I am adding the index to the migration, then the test that holds two requests at the gate and lets them go together, so that it fails every time if the index is ever dropped, and not only on a slow day.",
            150,
          ),
        ),
    ],
  },
  { about: /docs.api/, answers: [() => answer(spoken("It is described now.", 80))] },
  {
    about: /invoices/,
    answers: [
      () =>
        answer([
          ...spoken("The migration is written; it only has to be run.", 50),
          called("read", { path: "migrations/007-invoices.sql" }),
        ]),
      () =>
        answer([
          ...spoken("This changes the database, so I ask first.", 50),
          called("shell", { command: "psql shop -f migrations/007-invoices.sql" }),
        ]),
    ],
  },
  {
    about: /dependencies/,
    answers: [
      () =>
        answer([
          ...spoken("Looking for what is behind.", 60),
          called("shell", { command: "npm run outdated" }),
        ]),
      () => answer([...spoken("Trying them.", 60), called("shell", { command: "npm test" })]),
      () => answer(spoken("Everything is up to date but for `pg`, which needs Node 24.", 60)),
    ],
  },
];

/** Prompts to which the provider returns an error. */
const refusals: readonly { readonly about: RegExp; readonly reply: Reply }[] = [
  {
    about: /upload test/,
    reply: {
      status: 429,
      code: "insufficient_quota",
      message: "You exceeded your current quota.",
    },
  },
  { about: /terms/, reply: { status: 400, message: "The document is not supported." } },
];

/**
 * Chooses the scripted answer: finds the last prompt that has a script, and counts the answers that this prompt has
 * already received.
 */
export const model: Script = (call) => {
  const asked = call.messages.findLastIndex(isWork);
  const text = call.messages[asked]?.text ?? "";
  const refusal = refusals.find(({ about }) => about.test(text));
  if (refusal !== undefined) return refusal.reply;
  const work = works.find(({ about }) => about.test(text));
  const had = call.messages.slice(asked).filter(({ role }) => role === "assistant").length;
  return work?.answers[Math.min(had, work.answers.length - 1)]?.() ?? answer(spoken("Done.", 60));
};

/** True for a prompt that starts its own work. A steering prompt belongs to the work of the run that it joins. */
function isWork({ role, text }: ModelCall["messages"][number]): boolean {
  return role === "user" && [...works, ...refusals].some(({ about }) => about.test(text));
}

function answer(parts: readonly TimedPart[]): Reply {
  const words = parts.filter((part) => "text" in part).length;
  return {
    parts: inTime(parts),
    finish: parts.some((part) => "call" in part) ? "calls" : "stop",
    usage: { input: 5_200 + words * 20, cached: 3_000, output: 60 + words * 2 },
  };
}

type TimedPart = Exclude<Part, { wait: unknown }> & { readonly after?: number };

async function* inTime(parts: readonly TimedPart[]): AsyncGenerator<Part> {
  await pause(350);
  for (const { after = 0, ...part } of parts) {
    await pause(after);
    yield part;
  }
}

function spoken(text: string, after: number): TimedPart[] {
  return (text.match(/\S+\s*/g) ?? []).map((piece) => ({ text: piece, after }));
}

function thought(text: string): TimedPart[] {
  return (text.match(/\S+\s*/g) ?? []).map((piece) => ({ reasoning: piece, after: 20 }));
}

let calls = 0;

function called(name: string, input: unknown): TimedPart {
  calls += 1;
  return { call: { id: `call${calls}`, name, input } };
}
