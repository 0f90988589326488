import type { CommandTable, KnownCommand } from "./known-command.ts";

/** A command that has no option to run a program or to write. */
const reads: KnownCommand = { reads: true };

function readsWithout(risky: string): KnownCommand {
  return { reads: true, risky };
}

/** `git log`, `git diff` and others share these: a file for the output, and programs from the config. */
const diffOptions = "--output --ext-diff --textconv --show-signature";

/**
 * Subcommands of git that only read. Each still runs programs that the repository's config names
 * (`core.fsmonitor`, `diff.external`): no option can turn that into a rule's concern.
 */
export const readOnlyGit: CommandTable = {
  annotate: reads,
  blame: reads,
  // With a name it makes a branch; these options only list.
  branch: {
    reads: true,
    maxOperands: 0,
    only: "-a -r -v -vv --all --remotes --verbose --list --show-current --no-color",
  },
  "cat-file": readsWithout("--textconv --filters"),
  "check-ignore": reads,
  cherry: reads,
  "count-objects": reads,
  describe: reads,
  diff: readsWithout(diffOptions),
  "diff-files": readsWithout(diffOptions),
  "diff-index": readsWithout(diffOptions),
  "diff-tree": readsWithout(diffOptions),
  "for-each-ref": reads,
  grep: readsWithout("-O --open-files-in-pager --textconv --ext-grep"),
  log: readsWithout(diffOptions),
  "ls-files": reads,
  "ls-tree": reads,
  "merge-base": reads,
  "name-rev": reads,
  "range-diff": readsWithout(diffOptions),
  reflog: { reads: true, risky: diffOptions, words: "expire delete drop write" },
  remote: { reads: true, maxOperands: 0, only: "-v --verbose" },
  "rev-list": readsWithout(diffOptions),
  "rev-parse": reads,
  shortlog: readsWithout(diffOptions),
  show: readsWithout(diffOptions),
  "show-ref": reads,
  status: reads,
  tag: { reads: true, maxOperands: 0, only: "-l -n --list" },
  version: reads,
  whatchanged: readsWithout(diffOptions),
};

/**
 * Programs that only read, with those of their options that run a program, write a file or change the
 * system. Which files they read is not decided here. A program is missing if reading is only one of its
 * uses (`tar`, `man`, `less`), or if its arguments are a program (`env`, `xargs`, `python`).
 */
export const readOnlyCommands: CommandTable = {
  "[": { reads: true, risky: "-v -R", ignoresDashes: true },
  arch: reads,
  // The program text runs others by `system`, `getline` and `|`, and writes by `>`.
  awk: { reads: true, only: "-F -v", operand: /^(?!.*(?:system|getline))[^|>@]*$/s },
  b2sum: reads,
  base32: reads,
  base64: reads,
  basename: reads,
  cat: reads,
  cksum: reads,
  cmp: reads,
  column: reads,
  comm: reads,
  cut: reads,
  // An operand without `+` sets the clock.
  date: { reads: true, risky: "-s --set", operand: /^\+/ },
  df: reads,
  // `-l` runs `pr`.
  diff: readsWithout("-l --paginate"),
  dirname: reads,
  du: reads,
  echo: reads,
  egrep: reads,
  expand: reads,
  false: reads,
  fd: readsWithout("-x -X --exec --exec-batch"),
  fgrep: reads,
  // `-C` writes a compiled magic file, `-z` runs decompressors.
  file: readsWithout("-C --compile -z -Z --uncompress"),
  find: {
    reads: true,
    words: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls",
    ignoresDashes: true,
  },
  fold: reads,
  free: reads,
  getconf: reads,
  git: {
    subcommands: readOnlyGit,
    before: "--no-pager --no-optional-locks --literal-pathspecs -P",
  },
  grep: reads,
  groups: reads,
  head: reads,
  hexdump: reads,
  // An operand sets the name.
  hostname: { reads: true, risky: "-F --file -b --boot", maxOperands: 0 },
  id: reads,
  join: reads,
  jq: reads,
  ls: reads,
  lscpu: reads,
  md5sum: reads,
  nl: reads,
  nproc: reads,
  od: reads,
  paste: reads,
  pgrep: reads,
  printenv: reads,
  // bash assigns the output to a variable, such as PATH.
  printf: readsWithout("-v"),
  ps: reads,
  pwd: reads,
  readlink: reads,
  realpath: reads,
  rev: reads,
  // `--pre` and `--hostname-bin` name programs, `-z` runs decompressors.
  rg: readsWithout("-z --search-zip --pre --hostname-bin"),
  // Commands of sed write (`w`), run programs (`e`) and edit in place (`-i`): only plain ones are known.
  sed: {
    reads: true,
    // None of these takes the next word, so that the first operand is the script.
    only: "-n -E -r --quiet --silent --regexp-extended",
    firstOperand:
      /^(?:(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq]|\/(?:\\.|[^/\\\n])*\/[pd]|s\/(?:\\.|[^/\\\n])*\/(?:\\.|[^/\\\n])*\/[gpI\d]*)$/,
  },
  seq: reads,
  sha1sum: reads,
  sha256sum: reads,
  sha512sum: reads,
  sort: readsWithout("-o --output --compress-program -T --temporary-directory"),
  stat: reads,
  strings: reads,
  tac: reads,
  tail: reads,
  test: { reads: true, risky: "-v -R", ignoresDashes: true },
  tr: reads,
  // `-R` with a depth writes a page into each folder.
  tree: readsWithout("-o -R --output"),
  true: reads,
  tty: reads,
  type: reads,
  uname: reads,
  unexpand: reads,
  // The second operand is the output.
  uniq: { reads: true, maxOperands: 1 },
  uptime: reads,
  wc: reads,
  whereis: reads,
  which: reads,
  who: reads,
  whoami: reads,
  // The second operand is the output, and `-r` patches it.
  xxd: { reads: true, risky: "-r -revert", maxOperands: 1 },
};
