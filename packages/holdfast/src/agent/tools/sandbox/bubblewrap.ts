import { existsSync, realpathSync, statSync } from "node:fs";
import { isInside } from "../paths.ts";
import { seccompFilter } from "./seccomp.ts";
import type { Sandbox, SandboxView } from "./sandbox.ts";

export interface BubblewrapOptions {
  /** Absolute path of the `bwrap` program. */
  readonly program: string;
  /** True if `bwrap` supports `--disable-userns` (since version 0.8). */
  readonly disablesUserNamespaces: boolean;
  /** The `cgroup.procs` file of a cgroup that limits the number of processes. Null if there is none. */
  readonly cgroup: string | null;
}

/** Maximum number of processes and threads of a command. A build with a browser test uses about 300. */
export const maxProcesses = 1_000;

const empty = new Uint8Array();

export function createBubblewrap(options: BubblewrapOptions): Sandbox {
  const filter = seccompFilter();
  return {
    name: "bwrap",
    wrap: (view) => {
      const inputs: Uint8Array[] = [];
      const input = (content: Uint8Array): string => String(2 + inputs.push(content));
      const seccomp = filter === null ? [] : ["--seccomp", input(filter)];
      const hidden = outermost(view.hidden).flatMap((path) =>
        statSync(path).isDirectory()
          ? ["--tmpfs", path, "--remount-ro", path]
          : ["--ro-bind-data", input(empty), path],
      );
      const status = 3 + inputs.length;
      const words = [
        options.program,
        ...root(view),
        ...(view.emptied ?? []).flatMap((path) => ["--tmpfs", path]),
        ...(view.visible ?? []).flatMap((path) => ["--ro-bind", path, path]),
        ...view.writable.flatMap((path) => ["--bind", path, path]),
        ...view.pinned.flatMap((path) => ["--bind", path, path]),
        ...view.readOnly.flatMap((path) => ["--ro-bind", path, path]),
        ...hidden,
        ...isolation(options),
        ...(view.network ? [] : ["--unshare-net"]),
        ...seccomp,
        "--json-status-fd",
        String(status),
        "--setenv",
        "TMPDIR",
        "/tmp",
        "--chdir",
        view.directory,
        "--",
        ...view.command,
      ];
      return { command: [...enterCgroup(options.cgroup), ...words], inputs, status };
    },
  };
}

/** Removes paths that are inside another path of the list. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && isInside(path, other)));
}

/** Mounts the file system read-only, with separate devices, processes and temporary files. */
function root({ network }: SandboxView): readonly string[] {
  const mounts = [
    ["--ro-bind", "/", "/"],
    ["--dev", "/dev"],
    // Mount /proc read-only: through it, root could register programs that the kernel runs outside of the sandbox.
    ["--proc", "/proc", "--remount-ro", "/proc"],
    ["--tmpfs", "/tmp"],
    // Hide /run, which contains the sockets of daemons.
    ["--tmpfs", "/run"],
    // Make the programs of NixOS visible, because PATH points to this folder there.
    ["--ro-bind-try", "/run/current-system", "/run/current-system"],
    network ? resolverFile() : [],
  ];
  return mounts.flat();
}

/** Makes the DNS config visible, because /etc/resolv.conf is often a link into /run, which is hidden. */
function resolverFile(): readonly string[] {
  const file = "/etc/resolv.conf";
  const real = existsSync(file) ? realpathSync(file) : file;
  return isInside(real, "/run") ? ["--ro-bind", real, real] : [];
}

function isolation({ disablesUserNamespaces }: BubblewrapOptions): readonly string[] {
  const rights = [
    // When the first process of a process namespace ends, the kernel ends all others.
    ["--unshare-pid", "--die-with-parent", "--new-session"],
    ["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    // Use a user namespace: without it, a command run by root could use root's capabilities outside of the sandbox.
    ["--unshare-user", "--cap-drop", "ALL"],
    disablesUserNamespaces ? ["--disable-userns"] : [],
  ];
  return rights.flat();
}

/**
 * Returns the words to put before a command. They start a shell that moves itself into the cgroup and then executes the
 * command. The cgroup also limits root, which `ulimit` does not.
 */
function enterCgroup(file: string | null): readonly string[] {
  if (file === null) return [];
  return ["/bin/sh", "-c", 'echo 0 2>/dev/null >"$0"; exec "$@"', file];
}
