import { execFile } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** One program that a shell really started: its name and its arguments. */
export type Execution = readonly string[];

export interface RecordingShell {
  readonly shell: string;
  /** Runs each line with `shell -c`, and returns the programs that each of them started. */
  readonly run: (lines: readonly string[], options: RunOptions) => Promise<readonly Recording[]>;
}

export interface RunOptions {
  /** The status of every program. */
  readonly exitCode: 0 | 1;
  /**
   * True: programs are shell functions if possible. They record the same without starting a process for each program.
   */
  readonly asFunctions: boolean;
}

export interface Recording {
  readonly executions: readonly Execution[];
  /** Files that appeared, and complaints about unknown programs: neither may happen. */
  readonly traces: readonly string[];
}

/** Writes down its name and arguments, and does nothing else. */
const stub = `#!/bin/sh
printf '%s\\0' "$#" "\${0##*/}" "$@" >>"$RECORD"
exit "$EXIT_CODE"
`;

/** Runs the lines that are its arguments, each with a record of its own. */
const driver = `
records=$1 shell=$2 functions=$3 number=0
shift 3
for line do
  RECORD=$records/$number "$shell" -c "$functions$line" </dev/null >/dev/null 2>>"$records/errors"
  number=$((number + 1))
done
`;

/**
 * A shell whose PATH holds nothing but recording stubs, in a folder of its own. The folder has files that
 * wildcards can find, one of which looks like an option.
 */
export function createRecordingShell(options: {
  shell: string;
  folder: string;
  programs: readonly string[];
}): RecordingShell {
  const { shell, folder, programs } = options;
  const bin = join(folder, "bin");
  const scratch = join(folder, "scratch");
  for (const path of [bin, join(scratch, "src")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(bin, ".stub"), stub);
  chmodSync(join(bin, ".stub"), 0o755);
  for (const program of programs) symlinkSync(".stub", join(bin, program));
  for (const name of ["a.txt", "b.txt", "-o", "src/c.ts"]) writeFileSync(join(scratch, name), "");
  const files = new Set(listFiles(scratch));
  const functions = functionsFor(programs);
  let batches = 0;

  const runOnce = async (
    lines: readonly string[],
    { exitCode, asFunctions }: RunOptions,
  ): Promise<Recording[]> => {
    // A process that is left running writes into the records of its own batch.
    batches += 1;
    const records = join(folder, `records-${batches}`);
    mkdirSync(records);
    await promisify(execFile)(
      "/bin/sh",
      ["-c", driver, "sh", records, shell, asFunctions ? functions : "", ...lines],
      {
        cwd: scratch,
        env: { PATH: bin, EXIT_CODE: String(exitCode), HOME: scratch },
        // The driver's own status is that of the last line.
        timeout: 120_000,
      },
    ).catch((error: unknown) => {
      const isKilled = error instanceof Error && "killed" in error && error.killed === true;
      if (isKilled) throw new Error(`${shell} did not end: ${lines.join("\n---\n")}`);
    });
    const traces = strayTraces({ records, scratch, files });
    const recordings = lines.map((_, number) => ({
      executions: readExecutions(join(records, String(number))),
      traces,
    }));
    rmSync(records, { recursive: true });
    return recordings;
  };
  return {
    shell,
    run: async (lines, run) => {
      const recordings = await runOnce(lines, run);
      if (lines.length === 1 || recordings.every(({ traces }) => traces.length === 0))
        return recordings;
      // One line of the batch left a trace. Run each line alone to find it.
      const single: Recording[] = [];
      for (const line of lines) single.push(...(await runOnce([line], run)));
      return single;
    },
  };
}

/** A function for each program whose name can be that of a function. */
function functionsFor(programs: readonly string[]): string {
  const names = programs.filter((name) => /^[A-Za-z]\w*$/.test(name) && !reserved.has(name));
  return names
    .map((name) => `${name}() { printf '%s\\0' $# ${name} "$@" >>"$RECORD"; return $EXIT_CODE; }\n`)
    .join("");
}

const reserved = new Set("do done esac fi function in select test time coproc".split(" "));

/** Lists new files other than the records, and removes them. */
function strayTraces(options: {
  records: string;
  scratch: string;
  files: ReadonlySet<string>;
}): readonly string[] {
  const { records, scratch, files } = options;
  const created = listFiles(scratch).filter((name) => !files.has(name));
  for (const name of created) rmSync(join(scratch, name), { recursive: true, force: true });
  const errors = readFileSync(join(records, "errors"), { flag: "a+", encoding: "utf8" });
  const complaints = errors.split("\n").filter((line) => /not found|syntax/i.test(line));
  return [...created.map((name) => `created ${name}`), ...complaints];
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}

function readExecutions(path: string): readonly Execution[] {
  const fields = readFileSync(path, { flag: "a+", encoding: "utf8" }).split("\0");
  const executions: Execution[] = [];
  for (let at = 0; at < fields.length - 1;) {
    const length = Number(fields[at]) + 1;
    executions.push(fields.slice(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return executions;
}
