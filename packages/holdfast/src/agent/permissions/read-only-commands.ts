import type { CommandTable, KnownCommand } from "./known-command.ts";

/** A command without options that run a program or write. */
const reads: KnownCommand = { reads: true };

function readsWithout(risky: string): KnownCommand {
  return { reads: true, risky };
}

/** Options of `git log`, `git diff` and others that write the output to a file or run programs of the config. */
const diffOptions = "--output --ext-diff --textconv --show-signature";

/**
 * Subcommands of git that only read. Each can still run programs from the repository's config
 * (`core.fsmonitor`, `diff.external`), which no rule about options can prevent.
 */
export const readOnlyGit: CommandTable = {
  annotate: reads,
  blame: reads,
  // With a name, `git branch` creates a branch. With the options below it only lists branches.
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
 * Programs that only read, with their options that run a program, write a file or change the system. Which
 * files they may read is decided elsewhere. Programs that can do more than read (`tar`, `man`, `less`), or that
 * run a program from their arguments (`env`, `xargs`, `python`), are not listed.
 */
export const readOnlyCommands: CommandTable = {
  "[": { reads: true, risky: "-v -R", ignoresDashes: true },
  arch: reads,
  // An awk script runs programs with `system`, `getline` and `|`, and writes with `>`.
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
  // An operand sets the host name.
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
  // bash's `-v` assigns the output to a variable, such as PATH.
  printf: readsWithout("-v"),
  ps: reads,
  pwd: reads,
  readlink: reads,
  realpath: reads,
  rev: reads,
  // `--pre` and `--hostname-bin` name programs, `-z` runs decompressors.
  rg: readsWithout("-z --search-zip --pre --hostname-bin"),
  // sed commands can write (`w`), run programs (`e`) and edit in place (`-i`), so only simple scripts are
  // allowed.
  sed: {
    reads: true,
    // None of these options takes the next word, so the first operand is the script.
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
