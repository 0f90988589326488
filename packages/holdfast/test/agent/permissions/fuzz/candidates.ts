/** Programs whose first words the fuzz allows: `npm test` stands for the rule `npm test *`. */
export const allowedHeads: readonly string[] = [
  "npm test",
  "git status",
  "git fetch",
  "git grep",
  "ls",
  "sort",
  "split",
  "cat",
  "wc",
];

const operands = [
  "a.txt",
  "b.txt",
  "src/c.ts",
  "x",
  "-l",
  "-n1",
  "--all",
  "a b",
  "",
  "*",
  "?",
  "[ab]",
  "it's",
  '"',
  "#",
  "\\",
  "$x",
  "a;b",
  "rm",
  "touch",
  "PWNED",
  "~",
  "!",
  "{}",
  "HEAD@{1}",
  "HEAD~1",
  "a=b",
  "2",
  "é",
];
const globs = ["*", "*.txt", "src/*", "./*", "?.txt", "[ab].txt", "src/[!x]*"];
/** Options that run a program or write a file; no rule of the fuzz names one. */
const hostileOptions = [
  "--upload-pack=touch",
  "--upl=touch",
  "-Otouch",
  "-inO",
  "--open-files-in-pager=touch",
  "--filter=touch",
  "--fil=touch",
  "-o",
  "-ox",
  "-no",
  "--output=x",
  "--out=x",
  "--compress-program=touch",
  "--script-shell=touch",
  "--script-shell",
  "--prefix=/tmp",
  "-T/tmp",
];

/** Programs that the attacks try to run. */
const hostilePrograms: readonly string[] = ["touch", "rm", "evil", "PWNED"];

/** The bypasses that were found, and close relatives. */
const bypasses = [
  "\\>&touch PWNED",
  "\\>&",
  "\\<&touch PWNED",
  "&>/dev/null touch PWNED",
  "&>/dev/null",
  ">&2 touch PWNED",
  "2>&1&touch PWNED",
  " --upl=touch",
  " -inOtouch",
  " --filter=touch",
  " -uox",
  " --script-shell=touch",
];

/** Syntax that a shell has for running, writing or meaning something else. */
const fragments = [
  "2>&1x",
  ">|x",
  ">x",
  ">>x",
  "<>x",
  "2>x",
  "<a.txt",
  "&",
  "&&",
  "||",
  "|",
  "|&",
  ";",
  ";;",
  ";&",
  "\n",
  "\r\n",
  "\r",
  "\t",
  "\\\n",
  "\\",
  "'",
  '"',
  "`",
  "$(touch PWNED)",
  "`touch PWNED`",
  "$(",
  ")",
  "(",
  "((",
  "))",
  "<(touch PWNED)",
  ">(touch PWNED)",
  "$'\\'",
  '$"',
  "${x}",
  "${x:-`touch PWNED`}",
  "$((a[$(touch PWNED)]))",
  "{a,b}",
  "{touch,PWNED}",
  "{1..3}",
  "~",
  "#",
  " #",
  "!",
  "! ",
  "time ",
  "coproc ",
  "exec ",
  "eval ",
  "command ",
  "builtin ",
  "x=1 ",
  "PATH=. ",
  "if ",
  "then ",
  "; fi",
  "{ ",
  "; }",
  "function ",
  "f() ",
  "<<x\n",
  "<<<x",
  "\ntouch PWNED\n",
  ";touch PWNED",
  "&touch PWNED",
  "|touch PWNED",
  "\n#",
  "#\n",
  "# '\ntouch PWNED\n#'",
  "\\\ntouch PWNED",
  "\u00a0",
  "\u0001",
  "\u007f",
  "\u0085",
  "é",
  "touch PWNED",
  " rm x",
  "alias ls=touch\n",
  "cd /tmp;",
  "cd src && ",
  "cd src; ",
  "*(x)",
  "@(a|b)",
  "[[ ",
  "2",
  "1",
  ">",
  "<",
  ">&",
  "<&",
  "&>",
  "&>>",
  " >/dev/null",
  " 2>/dev/null",
  " 2>&1",
  " </dev/null",
  " >>/dev/null",
  "\v",
  "\f",
];

const letters = Array.from(new Set(fragments.join("")));

/** Every name that could become a program by mistake: all of them record. */
export const recordedPrograms: readonly string[] = [
  ...new Set([
    ...[...allowedHeads, ...hostilePrograms].flatMap((head) => head.split(" ")),
    ..."a b c x y f in do done fi esac a.txt b.txt time coproc function select".split(" "),
  ]),
];

export type Random = () => number;

/** A generator of numbers from 0 to 1 that a seed decides (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A command line made from the grammar; most are then changed at a few places. */
export function createCandidate(random: Random): string {
  let line = listOf(random);
  const changes = Math.floor(random() * 4);
  for (let change = 0; change < changes; change += 1) line = mutate(line, random);
  return line;
}

function listOf(random: Random): string {
  const count = 1 + Math.floor(random() * random() * 5);
  const commands = Array.from({ length: count }, () => commandOf(random));
  const joined = commands.reduce(
    (line, command) =>
      line +
      pick(random, [
        " && ",
        "&&",
        ";",
        "; ",
        " | ",
        "|",
        "||",
        " || ",
        "\n",
        " \n ",
        ";\n",
        " &&\n",
      ]) +
      command,
  );
  return (
    pick(random, ["", "", "", " ", "\n", "# it's\n", "cd src && "]) +
    joined +
    pick(random, ["", "", "", ";", "\n", " # end", " "])
  );
}

function commandOf(random: Random): string {
  const head = pick(random, allowedHeads).split(" ");
  const count = Math.floor(random() * 4);
  const more = Array.from({ length: count }, () => {
    const kind = random();
    if (kind < 0.12) return pick(random, globs);
    if (kind < 0.22)
      return pick(random, [
        ">/dev/null",
        "2>&1",
        "2>/dev/null",
        "</dev/null",
        ">&2",
        "> /dev/null",
      ]);
    if (kind < 0.26) return quote(pick(random, hostileOptions), random);
    return quote(pick(random, operands), random);
  });
  const words = [...head.map((word) => (random() < 0.1 ? quote(word, random) : word)), ...more];
  return words.reduce(
    (text, word) => text + pick(random, [" ", " ", " ", "  ", "\t", " \\\n"]) + word,
  );
}

/** The same word in one of the ways to write it. */
function quote(word: string, random: Random): string {
  const kind = random();
  if (kind < 0.3 && /^[\w./=@{}-]+$/.test(word)) return word;
  if (kind < 0.5) return `'${word.replaceAll("'", "'\\''")}'`;
  if (kind < 0.75) return `"${word.replaceAll(/["\\$`]/g, "\\$&")}"`;
  return word === ""
    ? "''"
    : word.replaceAll(/[^\w./=-]/g, (letter) => (letter > "~" ? `'${letter}'` : `\\${letter}`));
}

function mutate(line: string, random: Random): string {
  const at = Math.floor(random() * (line.length + 1));
  const kind = random();
  if (kind < 0.2) return line.slice(0, at) + pick(random, bypasses) + line.slice(at);
  if (kind < 0.5) return line.slice(0, at) + pick(random, fragments) + line.slice(at);
  if (kind < 0.65) return line.slice(0, at) + line.slice(at + 1);
  if (kind < 0.8) return line.slice(0, at) + pick(random, letters) + line.slice(at + 1);
  if (kind < 0.9) {
    const end = Math.min(line.length, at + 1 + Math.floor(random() * 6));
    return line.slice(0, end) + line.slice(at, end) + line.slice(end);
  }
  const swapped = (line[at + 1] ?? "") + (line[at] ?? "");
  return line.slice(0, at) + swapped + line.slice(at + 2);
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to choose from");
  return item;
}
