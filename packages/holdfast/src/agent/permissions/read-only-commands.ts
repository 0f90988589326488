import type { CommandTable, KnownCommand } from "./known-command.ts";

/** A read-only command without options that run a program or write a file. */
const reads: KnownCommand = { reads: true };

/** A read-only command that prints names and properties of files, not their content. */
const names: KnownCommand = { reads: true, names: true };

/** A read-only command that searches for its first operand in the files that the other operands name. */
const searches: KnownCommand = {
  reads: true,
  wide: "-r -R -d --recursive --dereference-recursive --directories",
  text: "first",
};

function readsWithout(risky: string): KnownCommand {
  return { reads: true, risky };
}

/** Options of `git log`, `git diff` and others that write the output to a file or run programs from git's config. */
export const diffOptions = "--output --ext-diff --textconv --show-signature";

/**
 * Subcommands of git that only read. Each can still run programs from the repository's config
 * (`core.fsmonitor`, `diff.external`), which no rule about options can prevent.
 */
export const readOnlyGit: CommandTable = {
  annotate: reads,
  blame: reads,
  // `git branch NAME` creates a branch. With the options below, it only lists branches.
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
  // Outside of a repository, and for files outside of it, `git diff A B` compares files and folders like `diff`.
  diff: { reads: true, risky: diffOptions, wide: "--no-index", comparesFolders: 2 },
  "diff-files": readsWithout(diffOptions),
  "diff-index": readsWithout(diffOptions),
  "diff-tree": readsWithout(diffOptions),
  "for-each-ref": reads,
  grep: {
    reads: true,
    risky: "-O --open-files-in-pager --textconv --ext-grep",
    wide: "--no-index --untracked",
    text: "first",
  },
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
 * Programs that only read, with their options that run a program, write a file or change the system. Other code decides
 * which files they may read. Programs that can also change something (`tar`, `man`, `less`), or that run a program from
 * their arguments (`env`, `xargs`, `python`), are not listed.
 */
export const readOnlyCommands: CommandTable = {
  "[": { reads: true, names: true, risky: "-v -R", ignoresDashes: true },
  arch: names,
  // An awk script runs programs with `system`, `getline` and `|`, and writes with `>`.
  awk: { reads: true, wide: true, only: "-F -v", operand: /^(?!.*(?:system|getline))[^|>@]*$/s },
  b2sum: { reads: true, wide: "-c --check" },
  base32: reads,
  base64: reads,
  basename: names,
  cat: reads,
  cksum: { reads: true, wide: "-c --check" },
  cmp: reads,
  column: reads,
  comm: reads,
  cut: reads,
  // An operand without `+` sets the clock.
  date: { reads: true, risky: "-s --set", operand: /^\+/ },
  df: names,
  // `-l` runs the program `pr`.
  diff: {
    reads: true,
    risky: "-l --paginate",
    wide: "-r --recursive -N --new-file -P --unidirectional-new-file",
    comparesFolders: 1,
  },
  dirname: names,
  du: { reads: true, names: true, wide: "--files0-from" },
  echo: { reads: true, text: "all" },
  egrep: searches,
  expand: reads,
  false: names,
  fd: { reads: true, names: true, risky: "-x -X --exec --exec-batch" },
  fgrep: searches,
  // `-C` writes a compiled magic file, `-z` runs decompressors.
  file: {
    reads: true,
    names: true,
    risky: "-C --compile -z -Z --uncompress",
    wide: "-f --files-from -m --magic-file",
  },
  find: {
    reads: true,
    names: true,
    wide: "-files0-from",
    words: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls",
    ignoresDashes: true,
  },
  fold: reads,
  free: names,
  getconf: names,
  git: {
    subcommands: readOnlyGit,
    before: "--no-pager --no-optional-locks --literal-pathspecs -P",
  },
  grep: searches,
  groups: names,
  head: reads,
  hexdump: reads,
  // An operand sets the host name.
  hostname: { reads: true, risky: "-F --file -b --boot", maxOperands: 0 },
  id: names,
  join: reads,
  // A jq script can import other files.
  jq: { reads: true, wide: true },
  ls: names,
  lscpu: names,
  md5sum: { reads: true, wide: "-c --check" },
  nl: reads,
  nproc: names,
  od: reads,
  paste: reads,
  pgrep: { reads: true, wide: true },
  printenv: reads,
  // In bash, `-v` assigns the output to a variable, such as PATH, and the conversion `%n` the length of the output.
  printf: {
    reads: true,
    text: "all",
    risky: "-v",
    firstOperand:
      /^(?:[^%]|%%|%\([^()]*\)T|%[-+ #0'\d.*]*(?:hh?|ll?|[Ljtz])?[aAbcdeEfFgGioqQsuxX])*$/s,
  },
  // `ps` shows the arguments of other processes, which may contain secrets.
  ps: { reads: true, wide: true },
  pwd: names,
  readlink: names,
  realpath: names,
  rev: reads,
  // `--pre` and `--hostname-bin` name programs, `-z` runs decompressors.
  rg: { reads: true, risky: "-z --search-zip --pre --hostname-bin", wide: true },
  // sed commands can write (`w`), run programs (`e`) and edit in place (`-i`), so only simple scripts are
  // allowed.
  sed: {
    reads: true,
    text: "first",
    // No option in this list takes a value from the next word. So the first word that is not an option is the sed
    // script.
    only: "-n -E -r --quiet --silent --regexp-extended",
    firstOperand:
      /^(?:(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq]|\/(?:\\.|[^/\\\n])*\/[pd]|s\/(?:\\.|[^/\\\n])*\/(?:\\.|[^/\\\n])*\/[gpI\d]*)$/,
  },
  seq: { reads: true, text: "all" },
  sha1sum: { reads: true, wide: "-c --check" },
  sha256sum: { reads: true, wide: "-c --check" },
  sha512sum: { reads: true, wide: "-c --check" },
  sort: {
    reads: true,
    risky: "-o --output --compress-program -T --temporary-directory",
    wide: "--files0-from",
  },
  stat: names,
  strings: reads,
  tac: reads,
  tail: reads,
  test: { reads: true, names: true, risky: "-v -R", ignoresDashes: true },
  tr: { reads: true, text: "all" },
  // `tree -R` with a depth limit writes an HTML file into each folder.
  tree: { reads: true, names: true, risky: "-o -R --output", wide: "--fromfile" },
  true: names,
  tty: names,
  type: { reads: true, text: "all" },
  uname: names,
  unexpand: reads,
  // The second operand is the output file.
  uniq: { reads: true, maxOperands: 1 },
  uptime: names,
  wc: { reads: true, names: true, wide: "--files0-from" },
  whereis: names,
  which: names,
  who: names,
  whoami: names,
  // The second operand is the output file, and `-r` patches it.
  xxd: { reads: true, risky: "-r -revert", maxOperands: 1 },
};
