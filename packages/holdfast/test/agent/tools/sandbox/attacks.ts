import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isThere, put } from "./field.ts";
import type { Field } from "./field.ts";

/** An attempt of a command to reach something outside of the sandbox. */
export interface Attack {
  readonly name: string;
  /** Whether the sandbox is meant to block it; docs/SECURITY.md lists the others. */
  readonly isBlocked: boolean;
  /** Resolves to whether the attempt has succeeded. */
  readonly attempt: (field: Field) => Promise<boolean>;
}

const node = process.execPath;

/** A setting that makes git run a program, as soon as git looks at a working tree. */
function trap({ proof }: Field): string {
  return `"touch ${proof}; false"`;
}

const evilConfig = (field: Field): string =>
  `[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = ${trap(field).replaceAll('"', String.raw`\"`)}\\n`;

/** Creates a repository in a folder of the project that runs a program when git looks at it. */
function makeEvil(field: Field, folder: string): string {
  return [
    `git init -q ${folder}`,
    `(cd ${folder} && git -c user.name=a -c user.email=b commit -q --allow-empty -m evil)`,
    `git -C ${folder} config core.fsmonitor ${trap(field)}`,
  ].join("; ");
}

async function proves(field: Field, command: string): Promise<boolean> {
  await field.run(command);
  field.git("status");
  field.git("commit", "-q", "--allow-empty", "-m", "later");
  return isThere(field.proof);
}

export const attacks: readonly Attack[] = [
  {
    name: "write outside of the directory",
    isBlocked: true,
    attempt: async (field) => {
      await field.run(`touch ${field.proof}; echo 'touch ${field.proof}' >> ~/.bashrc`);
      return isThere(field.proof) || isThere(join(field.home, ".bashrc"));
    },
  },
  {
    name: "remount the root read-write as root",
    isBlocked: true,
    attempt: async (field) => {
      const file = "/etc/holdfast-escape";
      await field.run(`mount -o remount,rw /; mount -o remount,rw,bind / /; touch ${file}`);
      const isWritten = isThere(file);
      rmSync(file, { force: true });
      return isWritten;
    },
  },
  {
    name: "make a user namespace with capabilities",
    isBlocked: true,
    attempt: async (field) =>
      (await field.run("unshare --user --map-root-user --mount echo made it")).includes(
        "made it\n",
      ),
  },
  {
    name: "read a disk through its own device file",
    isBlocked: true,
    attempt: async (field) => {
      const output = await field.run("mknod disk b 8 0 && echo made it; ls /dev/sda /dev/vda");
      return isMade(output) || /^\/dev\/[sv]da$/m.test(output);
    },
  },
  {
    name: "name a program that the kernel runs for core dumps",
    isBlocked: true,
    attempt: async (field) => {
      const file = "/proc/sys/kernel/core_pattern";
      const output = await field.run(`cat ${file} > before; cat before > ${file} && echo made it`);
      return isMade(output);
    },
  },
  {
    name: "name a program that the kernel runs for an empty cgroup",
    isBlocked: true,
    attempt: async (field) => {
      const command =
        "for folder in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir $folder/holdfast-escape && echo made it; done";
      const output = await field.run(command);
      for (const folder of cgroups()) {
        if (isThere(join(folder, "holdfast-escape"))) rmdirSync(join(folder, "holdfast-escape"));
      }
      return isMade(output);
    },
  },
  {
    name: "plant a git hook",
    isBlocked: true,
    attempt: (field) => {
      const hook = ".git/hooks/pre-commit";
      const command = `mkdir -p .git/hooks; printf '#!/bin/sh\\ntouch ${field.proof}' > ${hook}; chmod +x ${hook}`;
      return proves(field, command);
    },
  },
  {
    name: "plant a git hook where there is no folder for hooks",
    isBlocked: true,
    attempt: (field) => {
      rmSync(join(field.project, ".git/hooks"), { recursive: true });
      const hook = ".git/hooks/pre-commit";
      const command = `mkdir .git/hooks; printf '#!/bin/sh\\ntouch ${field.proof}' > ${hook}; chmod +x ${hook}`;
      return proves(field, command);
    },
  },
  {
    name: "set a program in the git config",
    isBlocked: true,
    attempt: (field) =>
      proves(
        field,
        `git config core.fsmonitor ${trap(field)}; printf "${evilConfig(field)}" >> .git/config`,
      ),
  },
  {
    name: "replace .git with another repository",
    isBlocked: true,
    attempt: (field) => proves(field, `mv .git old; ${makeEvil(field, ".")}`),
  },
  {
    name: "redirect git to another repository with commondir",
    isBlocked: true,
    attempt: (field) =>
      proves(
        field,
        `${makeEvil(field, "evil")}; mv evil/.git evil/dot; echo ../evil/dot > .git/commondir`,
      ),
  },
  {
    name: "add a nested repository that git status looks into",
    isBlocked: true,
    attempt: (field) => proves(field, `${makeEvil(field, "nested")}; git add nested`),
  },
  {
    name: "add a .git file that points to a repository in the project",
    isBlocked: true,
    attempt: (field) =>
      proves(
        field,
        `${makeEvil(field, "nested")}; mv nested/.git dot; echo 'gitdir: ../dot' > nested/.git; git add nested`,
      ),
  },
  {
    name: "change the config of a nested repository of the user",
    isBlocked: true,
    attempt: async (field) => {
      field.git("init", "-q", "nested");
      field.git("-C", "nested", "commit", "-q", "--allow-empty", "-m", "mine");
      field.git("add", "nested");
      await field.run("true");
      return proves(
        field,
        `git -C nested config core.fsmonitor ${trap(field)}; mv nested away; ${makeEvil(field, "nested")}`,
      );
    },
  },
  {
    name: "talk to a daemon over a unix socket",
    isBlocked: true,
    attempt: async (field) => {
      const socket = join(field.project, "daemon.sock");
      const { wasReached } = await field.listen(socket);
      await field.run(connect(JSON.stringify(socket)));
      return wasReached();
    },
  },
  {
    name: "talk to a daemon over an abstract unix socket",
    isBlocked: true,
    attempt: async (field) => {
      const name = `\0holdfast-escape-${process.pid}`;
      const { wasReached } = await field.listen(name);
      await field.run(connect(JSON.stringify(name)));
      return wasReached();
    },
  },
  {
    name: "use the network unasked",
    isBlocked: true,
    attempt: async (field) => {
      const { port, wasReached } = await field.listen(null);
      await field.run(connect(`{ port: ${port}, host: '127.0.0.1' }`));
      return wasReached();
    },
  },
  {
    name: "read an SSH key and other credentials",
    isBlocked: true,
    attempt: async (field) => {
      const files = [
        ".ssh/id_ed25519",
        ".aws/credentials",
        ".config/gcloud/x.json",
        ".kube/config",
      ];
      const more = [".netrc", ".npmrc", ".git-credentials", ".gnupg/key", ".docker/config.json"];
      for (const file of [...files, ...more]) put(join(field.home, file), field.secret);
      return (await field.run("grep -rs secret ~; cat ~/.npmrc")).includes(field.secret);
    },
  },
  {
    name: "read Holdfast's token",
    isBlocked: true,
    attempt: async (field) => {
      put(join(field.data, "token"), field.secret);
      const paths = `${field.data}/token /proc/1/root${field.data}/token`;
      return (await field.run(`cat ${paths}`)).includes(field.secret);
    },
  },
  {
    name: "read the environment of another process",
    isBlocked: true,
    attempt: async (field) => {
      const pid = field.neighbour();
      const output = await field.run(`cat /proc/${pid}/environ /proc/*/environ | tr '\\0' '\\n'`);
      return output.includes(field.secret);
    },
  },
  {
    name: "end a process outside",
    isBlocked: true,
    attempt: async (field) => {
      const pid = field.neighbour();
      await field.run(`kill -9 ${pid}`);
      return isZombieOrGone(pid);
    },
  },
  {
    name: "leave a daemon behind",
    isBlocked: true,
    attempt: async (field) => {
      const name = join(field.project, "daemon.sh");
      put(name, `exec 0<&- 1>&- 2>&- 3>&-; while :; do sleep 1; done`);
      await field.run(`setsid -f env -i /bin/sh ${name} </dev/null >/dev/null 2>&1`);
      return isRunning(name);
    },
  },
  {
    name: "fill the machine with processes",
    isBlocked: true,
    attempt: async (field) => {
      // Dash ends when it cannot fork; bash would try again for a long time.
      put(
        join(field.project, "bomb.sh"),
        "i=0; while [ $i -lt 1500 ]; do sleep 20 & i=$((i+1)); done; echo made it",
      );
      return isMade(await field.run("sh bomb.sh; true"));
    },
  },
  {
    name: "use the kernel's keys and io_uring",
    isBlocked: true,
    attempt: async (field) => {
      const calls = process.arch === "arm64" ? [219, 425] : [250, 425];
      const lines = calls.map((call) => `print syscall(${call}, 0, -3, 0) < 0 ? $!+0 : 0, "\\n";`);
      const output = await field.run(`perl -e '${lines.join(" ")}' || printf '1\\n1\\n'`);
      return !output.startsWith("1\n1");
    },
  },
  {
    name: "write to /tmp, which other programs read",
    isBlocked: true,
    attempt: async (field) => {
      const name = `holdfast-escape-${process.pid}`;
      await field.run(`touch /tmp/${name} /var/tmp/${name} /dev/shm/${name}`);
      return ["/tmp", "/var/tmp", "/dev/shm"].some((folder) => isThere(join(folder, name)));
    },
  },
  {
    name: "read a file elsewhere that is not known to contain a secret",
    isBlocked: false,
    attempt: async (field) => {
      put(join(field.home, "notes.txt"), field.secret);
      return (await field.run("cat ~/notes.txt")).includes(field.secret);
    },
  },
  {
    name: "change a script in the project that the user runs later",
    isBlocked: false,
    attempt: async (field) => {
      put(join(field.project, "build.sh"), "true\n");
      await field.run(`echo 'touch ${field.proof}' > build.sh`);
      execFileSync("sh", [join(field.project, "build.sh")]);
      return isThere(field.proof);
    },
  },
  {
    name: "leave a bare repository in which the user runs git",
    isBlocked: false,
    attempt: async (field) => {
      await field.run(
        `${makeEvil(field, "evil")}; mv evil/.git bare; git config -f bare/config core.worktree ..; rm -r evil`,
      );
      field.git("-C", "bare", "status");
      return isThere(field.proof);
    },
  },
  {
    name: "leave a program with the setuid bit",
    isBlocked: false,
    attempt: async (field) => {
      await field.run("cp /bin/sh shell; chmod u+s shell");
      return (statSync(join(field.project, "shell")).mode & 0o4000) !== 0;
    },
  },
];

/** Whether a command has printed that it succeeded. */
function isMade(output: string): boolean {
  return /^made it$/m.test(output);
}

function connect(address: string): string {
  const code = `require("net").connect(${address}).on("error", () => {})`;
  return `${node} -e '${code.replaceAll("'", '"')}'`;
}

function cgroups(): string[] {
  const root = "/sys/fs/cgroup";
  return isThere(root) ? [root, ...readdirSync(root).map((name) => join(root, name))] : [];
}

function isZombieOrGone(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}

/** Whether a process with this text in its command line is running. */
function isRunning(text: string): boolean {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    });
}
