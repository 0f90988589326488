import assert from "node:assert/strict";
import { test } from "node:test";
import { replying } from "../../holdfast/test/cli/model-cli.ts";
import { coloured, guarded, printable } from "../src/screen/text.ts";
import { keys } from "./support/pty.ts";
import { openModelStory } from "./support/story.ts";

const attacks = [
  "\u001b]0;stolen title\u0007",
  "\u001b[2J\u001b[H",
  "\u001b[3J",
  "\u001b]52;c;c3RvbGVu\u0007",
  "\u001bP+q544e\u001b\\",
  "\u009b2J",
  "\u001b[?1049h",
  "over\rwritten",
  "\u202Egnp.exe",
];

test("control sequences in an answer, in tool output and in a title never reach the terminal", async (t) => {
  const text = attacks.join(" and ");
  const command = `printf '\\033]0;stolen title\\007\\033[31mred\\033[0m\\033[2Jend'`;
  const story = await openModelStory(
    t,
    replying({
      go: [
        {
          parts: [
            { text: `# ${text}\n\n\`\`\`ts\n${text}\n\`\`\`\n` },
            { call: { id: "1", name: "shell", input: { command } } },
          ],
        },
        { parts: [{ text: "The end." }] },
      ],
    }),
  );
  const terminal = story.open({ shell: "echo line of the shell; eval $HOLDFAST" });
  await terminal.shows("local/test");
  terminal.type(`go${keys.enter}`);
  await terminal.contains("The end.");
  const [session] = (await story.holdfast.sessions.list()).items;
  await story.holdfast.session(session?.sessionId ?? "").rename("a \u202E title");
  terminal.type(keys.ctrlO);
  await terminal.shows("q closes");
  const raw = terminal.raw();
  for (const attack of attacks.filter((one) => one !== "\u001b[?1049h")) {
    assert.ok(!raw.includes(attack), JSON.stringify(attack));
  }
  assert.ok(!raw.includes("\u202E"));
  terminal.type("q");
  await terminal.hides("q closes");
  assert.match(terminal.all(), /line of the shell/);
});

test("an answer of one line of 250 KB is cut and does not block the client", async (t) => {
  const story = await openModelStory(
    t,
    replying({ go: [{ parts: [{ text: "x".repeat(250_000) }] }] }),
  );
  const terminal = story.open();
  await terminal.shows("local/test");
  terminal.type(`go${keys.enter}`);
  await terminal.contains("line cut");
  terminal.type("still alive");
  await terminal.shows("❯ still alive");
});

test("an answer that is longer than the event stream carries is printed whole, each line once", async (t) => {
  const lines = Array.from({ length: 3_000 }, (_, at) => `This is line ${at + 1} of the answer.`);
  const first = `${lines.slice(0, 2_500).join("\n\n")}\n\n`;
  const rest = `${lines.slice(2_500).join("\n\n")}\n\nthe-end`;
  const isShown = Promise.withResolvers<void>();
  const story = await openModelStory(
    t,
    replying({ go: [{ parts: [{ text: first }, { wait: isShown.promise }, { text: rest }] }] }),
  );
  const terminal = story.open();
  await terminal.shows("local/test");
  terminal.type(`go${keys.enter}`);
  await terminal.contains("line 2400 of");
  isShown.resolve();
  await terminal.shows("the-end");
  const found = terminal.all().match(/This is line \d+ of the answer\./g);
  assert.deepEqual(found, lines);
});

test("command output keeps its colours and nothing else", () => {
  const output =
    "\u001b]0;title\u0007\u001b[1;31mred\u001b[0m\u001b[2J\u001b[10;10Hend\n10%\r50%\r100%";
  assert.equal(coloured(output), "\u001b[1;31mred\u001b[0mend\n100%\u001b[0m");
});

test("every filter removes all control characters from any text", () => {
  const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCodePoint(code)).join("");
  const text = `${attacks.join("")}${all}${attacks.toReversed().join("")}`;
  // oxlint-disable-next-line no-control-regex -- looks for control characters
  const bad = /[\0-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;
  assert.doesNotMatch(printable(text), bad);
  // oxlint-disable-next-line no-control-regex -- colours are left
  assert.doesNotMatch(coloured(text).replaceAll(/\u001b\[[0-9;:]*m/g, ""), bad);
  // oxlint-disable-next-line no-control-regex -- as above
  assert.doesNotMatch(guarded(text).replaceAll(/\u001b\[[0-9;:]*m/g, ""), bad);
});
