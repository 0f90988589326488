import assert from "node:assert/strict";
import { test } from "node:test";
import xterm from "@xterm/headless";
import { Screen } from "../src/screen/screen.ts";
import { wrap } from "../src/screen/text.ts";

/** Numbers from a seed, from 0 up to the limit. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state >>> 8) & 0xffff) % limit;
  };
}

/** Streams words through a live region while the window changes, and returns all rows of the terminal. */
async function play(seed: number, lowest: number): Promise<string> {
  const random = randomOf(seed);
  const terminal = new xterm.Terminal({
    cols: 80,
    rows: 24,
    scrollback: 5_000,
    allowProposedApi: true,
  });
  const writes: string[] = [];
  const screen = new Screen({
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (text) => writes.push(text),
  });
  const flush = async (): Promise<void> => {
    for (const text of writes.splice(0))
      await new Promise<void>((done) => terminal.write(text, done));
  };
  writes.push("line of the shell\r\n");
  await flush();
  let tail: string[] = [];
  for (let word = 1; word <= 150; word += 1) {
    tail.push(`word-${word}.`);
    if (tail.length === 12) {
      screen.print(["", ...wrap(tail.join(" "), screen.columns)]);
      tail = [];
    }
    const border = "─".repeat(screen.columns);
    const live = wrap(tail.join(" "), screen.columns);
    const rows = ["", ...live, "", "working", border, "❯ draft", "────────", "model · ●"];
    screen.paint({ rows, cursor: { row: rows.length - 3, column: 7 } });
    await flush();
    if (random(5) === 0) {
      const columns = Math.max(24, Math.min(120, terminal.cols + random(61) - 30));
      terminal.resize(columns, lowest + random(12));
    }
  }
  screen.print(["", "the end"]);
  screen.clear();
  await flush();
  const { active } = terminal.buffer;
  let text = "";
  for (let row = 0; row < active.length; row += 1) {
    const line = active.getLine(row);
    text += `${line?.isWrapped === true ? "" : "\n"}${line?.translateToString(true) ?? ""}`;
  }
  terminal.dispose();
  return text;
}

test("resizes between paints leave every word once, and no row of the live region", async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const text = await play(seed, 24);
    const found = [...text.matchAll(/word-(\d+)\./g)].map(([, number]) => Number(number));
    const printed = Array.from({ length: 144 }, (_, at) => at + 1);
    assert.deepEqual(found, printed, `seed ${seed}:\n${text}`);
    assert.match(text, /line of the shell/, `seed ${seed}`);
    assert.doesNotMatch(text, /─|working|draft/, `seed ${seed}:\n${text}`);
  }
});
