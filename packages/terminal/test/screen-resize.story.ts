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

type Size = { readonly columns: number; readonly rows: number };

/** Streams words through a live region while the window changes, and returns all rows of the terminal. */
async function play(next: (size: Size) => Size, panel: readonly string[] = []): Promise<string> {
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
    const text = writes.splice(0).join("");
    if (text !== "") await new Promise<void>((done) => terminal.write(text, done));
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
    const all = ["", ...panel, ...live, "", "working", border, "❯ draft", "────────", "model · ●"];
    const rows = all.slice(-screen.safeRows);
    screen.paint({ rows, cursor: { row: rows.length - 3, column: 7 } });
    await flush();
    const size = next({ columns: terminal.cols, rows: terminal.rows });
    terminal.resize(size.columns, size.rows);
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

function expectWordsOnce(text: string, what: string): void {
  const found = [...text.matchAll(/word-(\d+)\./g)].map(([, number]) => Number(number));
  const printed = Array.from({ length: 144 }, (_, at) => at + 1);
  assert.deepEqual(found, printed, `${what}:\n${text}`);
  assert.match(text, /line of the shell/, what);
  assert.doesNotMatch(text, /─|working|draft|panel/, `${what}:\n${text}`);
}

test("resizes between paints leave every word once, and no row of the live region", async () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const random = randomOf(seed);
    const text = await play((size) => {
      if (random(5) > 0) return size;
      const columns = Math.max(24, Math.min(120, size.columns + random(61) - 30));
      return { columns, rows: 24 + random(12) };
    });
    expectWordsOnce(text, `seed ${seed}`);
  }
});

test("a window that is made very low in steps leaves every word once, and no row of the live region", async () => {
  const panel = Array.from({ length: 30 }, (_, row) => `panel ${row}`);
  for (let seed = 1; seed <= 10; seed += 1) {
    const random = randomOf(seed);
    let isGrowing = false;
    const text = await play(({ columns, rows }) => {
      if (rows <= 4) isGrowing = true;
      if (rows >= 30) isGrowing = false;
      const step = Math.floor((rows * (1 + random(3))) / 12);
      return { columns, rows: isGrowing ? rows + 1 + step : rows - step };
    }, panel);
    expectWordsOnce(text, `seed ${seed}`);
  }
});

test("a window of 37 rows that is split in half leaves every word once, and no row of the live region", async () => {
  const panel = Array.from({ length: 30 }, (_, row) => `panel ${row}`);
  let paints = 0;
  const text = await play(({ columns }) => {
    paints += 1;
    return { columns, rows: paints % 2 === 0 ? 18 : 37 };
  }, panel);
  expectWordsOnce(text, "split");
});

test("rows that one big resize moved into the scrollback are erased when the terminal moves them back", async () => {
  const terminal = new xterm.Terminal({ cols: 40, rows: 24, allowProposedApi: true });
  const screen = new Screen({
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write: (text) => terminal.write(text),
  });
  const draw = (): Promise<void> => {
    const rows = Array.from({ length: 18 }, (_, row) => `row ${row}.`).slice(-screen.rows);
    screen.paint({ rows, cursor: null });
    return new Promise((done) => terminal.write("", done));
  };
  screen.print(["printed"]);
  await draw();
  for (const height of [5, 12, 30]) {
    terminal.resize(40, height);
    await draw();
  }
  const { active } = terminal.buffer;
  const text = Array.from({ length: active.length }, (_, row) =>
    active.getLine(row)?.translateToString(true),
  );
  const shown = text.filter((line) => line !== "");
  assert.deepEqual(shown, ["printed", ...Array.from({ length: 18 }, (_, row) => `row ${row}.`)]);
  terminal.dispose();
});

test("the screen is never erased from its first column on: tmux would move the rows into the scrollback", () => {
  const size = { columns: 40, rows: 24 };
  let written = "";
  const screen = new Screen({
    get columns() {
      return size.columns;
    },
    get rows() {
      return size.rows;
    },
    write: (text) => {
      written += text;
    },
  });
  const draw = (count: number): void =>
    screen.paint({ rows: Array.from({ length: count }, (_, row) => `row ${row}.`), cursor: null });
  draw(20);
  size.rows = 10;
  draw(20);
  draw(3);
  screen.repaint();
  draw(3);
  screen.clear();
  assert.equal(written.split("\u001b[J").length - 1, 6);
  assert.equal(written.includes("\r\u001b[J"), false, written);
});
