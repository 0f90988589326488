import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Reply } from "../gauntlet/model-server/script.ts";
import { waitFor } from "../packages/holdfast/test/support/wait-for.ts";
import { keys } from "../packages/terminal/test/support/pty.ts";
import type { Pty } from "../packages/terminal/test/support/pty.ts";
import { openModelStory } from "../packages/terminal/test/support/story.ts";
import { showHelp } from "./read-arguments.ts";

showHelp(`npm run screens

Writes the screens of docs/TERMINAL.md and README.md: what a real terminal shows during a scripted session.`);

const page = join(import.meta.dirname, "../docs/TERMINAL.md");
const readme = join(import.meta.dirname, "../README.md");

const todo = [
  { text: "Find the rounding", status: "done" },
  { text: "Round in integer cents", status: "active" },
  { text: "Run the tests", status: "open" },
];
const before =
  "export function total(prices) {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n";
const edits = [{ old: "sum + price, 0)", new: "sum + Math.round(price * 100), 0) / 100" }];

const waiting = Promise.withResolvers<void>();
const usage = { input: 12_300, cached: 0, output: 200 };
const steps: readonly Reply[] = [
  {
    usage,
    parts: [
      {
        text: "The total adds **floating-point** prices. I will round each price to cents first.\n",
      },
      { call: { id: "1", name: "todo", input: { items: todo } } },
      { call: { id: "2", name: "read", input: { path: "src/total.js" } } },
    ],
  },
  { usage, parts: [{ call: { id: "3", name: "edit", input: { path: "src/total.js", edits } } }] },
  {
    parts: [{ text: "The total is exact now. Next I run the tests. " }, { wait: waiting.promise }],
  },
];

const cleanup: (() => Promise<void>)[] = [];
const story = await openModelStory({ after: (work) => cleanup.unshift(work) }, ({ messages }) => {
  const asked = messages.filter(({ role }) => role === "assistant").length;
  return steps[Math.min(asked, steps.length - 1)] ?? { parts: [] };
});
// Limits and prices of the model, so that the status line shows the use of its context window and the cost.
const facts = { context: 200_000, output: 8_000, price: { input: 2, output: 8 } };
const configFolder = join(story.folder, "data/holdfast/.config/holdfast");
await mkdir(configFolder, { recursive: true });
await writeFile(
  join(configFolder, "config.jsonc"),
  JSON.stringify({ providers: { local: { models: { test: facts } } } }),
);
await mkdir(join(story.folder, "src"));
await writeFile(join(story.folder, "src/total.js"), before);
const terminal = story.open({ columns: 80, rows: 34 });
const screens: Record<string, string> = {};
try {
  await terminal.shows("local/test");
  terminal.type(`The total of the cart is off by a cent. Fix it${keys.enter}`);
  await terminal.shows(/y yes, once[\s\S]*context 6 %.*\$0\.052/);
  screens["ask"] = shot(terminal);
  terminal.type("y");
  await terminal.shows("Next I run the tests");
  terminal.type(`Also add a test for an empty cart${keys.enter}`);
  terminal.type(`Write a changelog entry${keys.enter}`);
  await terminal.shows(/2 Write a changelog entry .*after 1/);
  screens["queue"] = shot(terminal);
  // Name the model. The client loads the default model while it prints the conversation, so without a name the place of
  // the model's line depends on timing.
  const words = ["--screen-reader", "--model", "local/test"];
  const reader = story.open({ columns: 100, rows: 40, words });
  await reader.shows(/2 Write a changelog entry, after 1/);
  screens["reader"] = shot(reader);
  await addSessions();
  terminal.type(`/sessions${keys.enter}`);
  await terminal.shows(
    /needs you[\s\S]*running, 2 queued[\s\S]*idle[\s\S]*1 other session needs you/,
  );
  const rows = shot(terminal).split("\n");
  screens["sessions"] = rows.slice(rows.findLastIndex((row) => row.startsWith("──"))).join("\n");
} finally {
  waiting.resolve();
  for (const work of cleanup) await work();
}
await replaceScreens(page, screens);
await replaceScreens(readme, screens);

/** Gives the session on the screen a title. Adds an idle session and a session that waits for a person. */
async function addSessions(): Promise<void> {
  const { sessions } = story.holdfast;
  const { items } = await sessions.list();
  for (const { sessionId } of items) {
    await story.holdfast.session(sessionId).rename("Cart total is off by a cent");
  }
  await sessions.create({ directory: story.folder, title: "Explain the checkout flow" });
  const asking = await sessions.create({ directory: story.folder, title: "Round the tax" });
  // The session on the screen has changed the file. Restore it, so that the same edit is possible again.
  await writeFile(join(story.folder, "src/total.js"), before);
  await asking.prompt("Round the tax like the total");
  await waitFor(async () => (await asking.get()).status === "asking", {
    describe: "a session that needs a person",
  });
}

/** Returns the screen with another model name. Fixes the spinner and the elapsed time, because both follow the clock. */
function shot(from: Pty): string {
  return from
    .screen()
    .replaceAll("local/test", "acme/large")
    .replace(/^\S Working… \d+ s/mu, "✶ Working… 1 s")
    .trimEnd();
}

/** Replaces the code block after each `<!-- screen: name -->`. */
async function replaceScreens(
  file: string,
  shots: Readonly<Record<string, string>>,
): Promise<void> {
  const text = await readFile(file, "utf8");
  const pattern = /(<!-- screen: (\w+) -->\n+)```text\n[\s\S]*?\n```/g;
  const next = text.replaceAll(pattern, (_, mark: string, name: string) => {
    return `${mark}\`\`\`text\n${shots[name] ?? ""}\n\`\`\``;
  });
  await writeFile(file, next);
}
