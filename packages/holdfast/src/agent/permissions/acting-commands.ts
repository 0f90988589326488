import type { CommandTable, KnownCommand } from "./known-command.ts";
import { diffOptions, readOnlyGit } from "./read-only-commands.ts";

/** npm options that change neither the program that runs a script nor its working directory. */
const quietOptions = "-s --silent -q --quiet --if-present --verbose --no-color";

/** A command that runs a script of the project. Words after `--` are passed to the script. */
const script: KnownCommand = { only: quietOptions, passesOn: true };

const scriptNames: CommandTable = {
  build: script,
  lint: script,
  run: { ...script, named: true },
  "run-script": { ...script, named: true },
  start: script,
  t: script,
  test: script,
  tst: script,
};

const scripts: KnownCommand = {
  subcommands: scriptNames,
  runs: "config create dlx edit exec explore init set x",
};

/** Options that name a merge strategy, which is a program: `-s x` runs `git-merge-x`. */
const strategies = "-s --strategy";

/**
 * Programs that change something. Their risky options run another program, work in another directory or write to
 * another place. A remembered answer for a listed program also covers other arguments. For a program that is not
 * listed, only the exact command is remembered.
 */
export const actingCommands: CommandTable = {
  cargo: {
    subcommands: Object.fromEntries(
      ["bench", "build", "check", "clippy", "doc", "fmt", "test", "tree"].map((name) => [
        name,
        { risky: "--config -Z --manifest-path --target-dir --artifact-dir --out-dir -C" },
      ]),
    ),
  },
  git: {
    subcommands: {
      ...readOnlyGit,
      add: {},
      am: {},
      apply: { risky: "--unsafe-paths --build-fake-ancestor" },
      archive: { risky: "-o --output --remote --exec" },
      branch: {},
      "check-attr": {},
      "check-ref-format": {},
      checkout: {},
      "cherry-pick": { risky: strategies },
      clean: {},
      clone: { risky: "-u --upload-pack -c --config --template --separate-git-dir" },
      commit: {},
      fetch: { risky: "--upload-pack" },
      "format-patch": { risky: `-o --output-directory ${diffOptions}` },
      fsck: {},
      gc: { risky: "--expire-to" },
      "hash-object": {},
      init: { risky: "--template --separate-git-dir" },
      "ls-remote": { risky: "--upload-pack --exec" },
      merge: { risky: strategies },
      "merge-tree": {},
      mv: {},
      notes: { named: true },
      "pack-refs": {},
      prune: {},
      pull: { risky: `--upload-pack ${strategies}` },
      push: { risky: "--receive-pack --exec" },
      rebase: { risky: `-x --exec ${strategies}` },
      repack: { risky: "--expire-to --filter-to" },
      rerere: {},
      reset: {},
      restore: {},
      revert: { risky: strategies },
      rm: {},
      "show-branch": {},
      "sparse-checkout": { named: true },
      stage: {},
      stash: { risky: diffOptions },
      switch: {},
      tag: { risky: "-u --local-user" },
      worktree: { named: true },
    },
    before: "--no-pager --no-optional-locks --literal-pathspecs -P",
    // Others can run a program, such as `git bisect run x`, and so can an alias of the repository's config.
    runs: "all",
  },
  go: {
    runs: "generate run tool",
    subcommands: Object.fromEntries(
      ["build", "fmt", "list", "test", "vet"].map((name) => [
        name,
        {
          singleDash: true,
          ignoresDashes: true,
          risky:
            "-C -asmflags -blockprofile -compiler -coverprofile -cpuprofile -exec -fuzzcachedir -gccgoflags " +
            "-gcflags -ldflags -memprofile -modfile -mutexprofile -o -outputdir -overlay -pkgdir -toolexec " +
            "-trace -vettool",
        },
      ]),
    ),
  },
  // Variables on the command line can replace the programs that a makefile runs, even the shell.
  make: {
    only: "-j -k -s -B -n --jobs --keep-going --silent --always-make --dry-run",
    operand: /^[^=]*$/,
    maxOperands: 1,
    named: true,
  },
  man: { risky: "-P --pager -H --html -X --gxditview -C --config-file" },
  mkdir: {},
  npm: scripts,
  pnpm: scripts,
  // A daemon runs programs that its config file names.
  rsync: {
    risky:
      "-e --rsh --rsync-path --log-file --write-batch --only-write-batch --daemon --config -M --remote-option",
  },
  // `split` writes each piece into a file; `--filter` runs a program for each.
  split: { risky: "--filter" },
  tar: {
    // The first operand may be option letters without a dash, as in `tar cIf PROGRAM …`.
    firstOperand: /^[^CIFP]*$/,
    risky:
      "-I -F --use-compress-program --to-command --checkpoint-action --info-script --new-volume-script " +
      "--rsh-command --rmt-command --absolute-names -P -C --directory --cd --one-top-level",
  },
  touch: {},
  yarn: scripts,
};
