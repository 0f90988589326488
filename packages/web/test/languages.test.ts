import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { en } from "../src/i18n/en.ts";
import { zh } from "../src/i18n/zh.ts";

const source = join(import.meta.dirname, "../src");

/** Strings that are the same in both languages. */
const sameInBoth = new Set([
  "app.name",
  "composer.stopHint",
  "settings.languages.en",
  "settings.languages.zh",
]);

type Leaf = readonly [path: string, value: unknown];

function leaves(value: object, path = ""): Leaf[] {
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === "object" && each !== null
      ? leaves(each, `${path}${key}.`)
      : [[`${path}${key}`, each] as const],
  );
}

test("every string has a Chinese version that differs from the English one", () => {
  const chinese = new Map(leaves(zh));
  assert.deepEqual(
    [...chinese.keys()].toSorted(),
    leaves(en)
      .map(([path]) => path)
      .toSorted(),
  );
  const untranslated = leaves(en).filter(
    ([path, text]) =>
      typeof text === "string" && chinese.get(path) === text && !sameInBoth.has(path),
  );
  assert.deepEqual(untranslated, []);
});

test("views contain no text of their own: all strings are in i18n", () => {
  const found = globSync("**/*.tsx", { cwd: source }).flatMap((file) => {
    const text = readFileSync(join(source, file), "utf8");
    const betweenTags = [...text.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+[.!?…]?)\s*</g)];
    const labels = [
      ...text.matchAll(/(?:aria-label|title|placeholder|label)="([^"]*[a-z]{2} [^"]*)"/g),
    ];
    return [...betweenTags, ...labels].map((match) => `${file}: ${match[1]}`);
  });
  assert.deepEqual(found, []);
});

test("a cancelled notice counts prompts by kind and leaves out kinds without any", () => {
  const who = "Ann";
  const cases = [
    { running: 1, queued: 0, background: 0, who },
    { running: 1, queued: 2, background: 0, who },
    { running: 0, queued: 1, background: 3, who },
    { running: 0, queued: 0, background: 0, who },
  ];
  assert.deepEqual(
    cases.map((values) => [en.notices.cancelled(values), zh.notices.cancelled(values)]),
    [
      ["Ann cancelled 1 running prompt", "Ann取消了 1 条运行中的提示词"],
      ["Ann cancelled 1 running and 2 queued prompts", "Ann取消了 1 条运行中、2 条排队中的提示词"],
      ["Ann cancelled 1 queued and 3 background prompts", "Ann取消了 1 条排队中、3 条后台的提示词"],
      ["Ann cancelled 0 prompts", "Ann取消了 0 条提示词"],
    ],
  );
});

test("requests of the agent, of a hosted agent and for a higher limit are written in both languages", () => {
  const run = { action: "run", subject: "ls", path: null } as const;
  const cost = { spent: "$1.50", limit: "$1.00" };
  const tokens = { spent: "12,000", limit: "10,000" };
  const raise = { cost: "$1.00", tokens: "5,000" };
  const texts = [en, zh].map(({ asks }) => [
    asks.may({ ...run, agent: null }),
    asks.may({ ...run, agent: "codex", path: "src" }),
    asks.mayTask({ agent: "claude", taskFor: "codex" }),
    asks.mayTask({ agent: null, taskFor: null }),
    asks.overBudget({ cost, tokens, raise }),
    asks.overBudget({ cost, tokens: null, raise: { ...raise, tokens: null } }),
  ]);
  assert.deepEqual(texts, [
    [
      "Run ls?",
      "codex: Run ls in src?",
      "claude: Give a task to codex?",
      "Give a task to a sub-agent?",
      "$1.50 of $1.00 and 12,000 of 10,000 tokens used. Raise the limit by $1.00 and 5,000 tokens?",
      "$1.50 of $1.00 used. Raise the limit by $1.00?",
    ],
    [
      "是否允许执行 ls？",
      "是否允许 codex 在 src 中执行 ls？",
      "是否允许 claude 向 codex 委派任务？",
      "是否允许向子智能体委派任务？",
      "已用 $1.50（上限 $1.00）、12,000 token（上限 10,000）。是否将上限提高 $1.00、5,000 token？",
      "已用 $1.50（上限 $1.00）。是否将上限提高 $1.00？",
    ],
  ]);
});

test("frequent error codes have a Chinese text, and all others show the server's message", () => {
  const message = "there is no session abc";
  assert.equal(
    en.errors.failed({ code: "unknownSession", message }),
    "there is no session abc (unknownSession)",
  );
  assert.equal(
    zh.errors.failed({ code: "unknownSession", message }),
    "此会话不存在，或此浏览器无权访问。（unknownSession）",
  );
  assert.equal(zh.errors.failed({ code: "invalid", message: "no title" }), "no title（invalid）");
  assert.equal(zh.errors.failed({ code: null, message: "no title" }), "no title");
});

test("a refused provider setting is named in Chinese before the server's message", () => {
  const problem = "The provider rejected the API key.";
  assert.equal(en.providers.refused({ field: "key", problem }), problem);
  assert.equal(
    zh.providers.refused({ field: "key", problem }),
    "请检查 API 密钥：The provider rejected the API key.",
  );
  assert.equal(
    zh.providers.refused({ field: null, problem: null }),
    "请检查设置：服务商没有说明原因。",
  );
  const test = { name: "lab", field: "key", problem } as const;
  assert.equal(en.providers.fails(test), `lab does not work: ${problem}`);
  assert.equal(zh.providers.fails(test), `lab 不可用。请检查 API 密钥：${problem}`);
  assert.equal(zh.providers.fails({ ...test, field: null }), `lab 不可用：${problem}`);
});

test("long counts are grouped in both languages", () => {
  const texts = [en, zh].map(({ diff, conversation }) => [
    diff.omitted({ lines: 12_345 }),
    diff.longLine({ characters: 12_345 }),
    conversation.showMore({ lines: 12_345 }),
    conversation.showEarlier({ lines: 12_345 }),
  ]);
  for (const text of texts.flat()) assert.match(text, /12,345/);
});

/** A row of the term list: forms of the English term, the Chinese term, and words to avoid. */
interface Term {
  readonly english: readonly string[];
  readonly chinese: string;
  readonly avoid: readonly string[];
}

function readTerms(): Term[] {
  const lines = readFileSync(join(source, "i18n/TERMS.md"), "utf8").split("\n");
  const rows = lines.filter((line) => line.startsWith("|")).slice(2);
  return rows.map((row) => {
    const [, english = "", chinese = "", avoid = ""] = row
      .split("|")
      .slice(1)
      .map((cell) => cell.trim());
    return { english: words(english), chinese, avoid: words(avoid) };
  });
}

function words(cell: string): string[] {
  return cell.split(", ").filter((word) => word !== "");
}

test("Chinese strings use the term list if the English ones do", () => {
  const chinese = new Map(leaves(zh));
  const wrong = leaves(en).flatMap(([path, text]) =>
    readTerms()
      .filter(({ english }) => typeof text === "string" && english.some((word) => has(text, word)))
      .filter((term) => !String(chinese.get(path)).includes(term.chinese))
      .map((term) => `${path}: "${String(text)}" has no "${term.chinese}"`),
  );
  assert.deepEqual(wrong, []);
});

test("no string uses a word that the term list rejects", () => {
  const english = leaves(en).filter(([, text]) => typeof text === "string");
  // Whole files, so that strings inside functions count too: code contains no Chinese words.
  const chinese = globSync("i18n/zh/*.ts", { cwd: source }).map(
    (file) => [file, readFileSync(join(source, file), "utf8").replace(/^ *\w+:/gm, "")] as const,
  );
  const wrong = readTerms().flatMap(({ avoid }) =>
    avoid.flatMap((word) => {
      const searched: readonly Leaf[] = /[a-z]/.test(word) ? english : chinese;
      return searched
        .filter(([, text]) => has(String(text), word))
        .map(([place]) => `${place} uses "${word}"`);
    }),
  );
  assert.deepEqual(wrong, []);
});

/** Latin words match as whole words, also in the plural. */
function has(text: string, word: string): boolean {
  return /[a-z]/i.test(word) ? new RegExp(`\\b${word}s?\\b`, "i").test(text) : text.includes(word);
}
