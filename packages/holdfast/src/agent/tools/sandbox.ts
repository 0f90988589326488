import { spawn } from "node:child_process";

/** Runs a command where it can do less harm; what it wraps is started in its place. */
export interface Sandbox {
  readonly name: string;
  wrap(options: {
    readonly command: readonly string[];
    /** May be written to; all else is read-only, and /tmp is a private one. */
    readonly writable: readonly string[];
    /** Not to be seen, and not to be written to, though they may lie in what is writable. */
    readonly hidden: readonly string[];
    readonly readOnly: readonly string[];
    readonly directory: string;
    readonly network: boolean;
  }): readonly string[];
}

const bubblewrap: Sandbox = {
  name: "bwrap",
  wrap: ({ command, writable, hidden, readOnly, directory, network }) => {
    const view = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];
    const binds = [
      ...writable.flatMap((path) => ["--bind", path, path]),
      ...readOnly.flatMap((path) => ["--ro-bind", path, path]),
      ...hidden.flatMap((path) => ["--tmpfs", path]),
    ];
    // Its own process table: when the first process in it ends, nothing of it is left.
    const own = ["--unshare-pid", "--unshare-ipc", "--die-with-parent"];
    const net = network ? [] : ["--unshare-net"];
    const start = ["--setenv", "TMPDIR", "/tmp", "--chdir", directory, "--"];
    return ["bwrap", ...view, ...binds, ...own, ...net, ...start, ...command];
  },
};

let known: Promise<Sandbox | null> | null = null;

/** The machine's sandbox, tried once: it may be installed and still not be permitted to work. */
export function findSandbox(): Promise<Sandbox | null> {
  known ??= isWorking(bubblewrap).then((works) => (works ? bubblewrap : null));
  return known;
}

function isWorking(sandbox: Sandbox): Promise<boolean> {
  const [program = "", ...rest] = sandbox.wrap({
    command: ["/bin/sh", "-c", "exit 0"],
    writable: [],
    hidden: [],
    readOnly: [],
    directory: "/",
    network: false,
  });
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: "ignore" });
    // Not spawn's own time limit: that goes on where there is no such program.
    const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
    const settle = (works: boolean): void => {
      clearTimeout(timer);
      resolve(works);
    };
    child.once("error", () => settle(false));
    child.once("exit", (code) => settle(code === 0));
  });
}
