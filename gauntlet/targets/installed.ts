import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The program of an npm package, which is fetched once into a scratch folder of its own. */
export async function installed(options: {
  package: string;
  version: string;
  /** Where the program is below the folder; the first that is there. */
  programs: readonly string[];
  progress: (message: string) => void;
}): Promise<string> {
  const { package: name, version, programs, progress } = options;
  const place = join(scratch(), `${name.replace("/", "-")}@${version}`);
  if (!existsSync(place)) {
    progress(`fetching ${name} ${version} from npm into ${place}`);
    // Nobody takes a folder for whole that was left half-way.
    const half = `${place}.${process.pid}`;
    mkdirSync(half, { recursive: true });
    try {
      const words = ["install", "--no-audit", "--no-fund", "--prefix", half, `${name}@${version}`];
      await promisify(execFile)("npm", words, { cwd: half, timeout: 600_000 });
      if (!existsSync(place)) renameSync(half, place);
    } finally {
      rmSync(half, { recursive: true, force: true });
    }
  }
  const program = programs
    .map((path) => join(place, "node_modules", path))
    .find((path) => existsSync(path));
  if (program === undefined) {
    throw new Error(`${name} ${version} has no program for ${process.platform}-${process.arch}`);
  }
  return program;
}

function scratch(): string {
  const folder = process.env["HOLDFAST_PEERS"] ?? join(tmpdir(), "holdfast-peers");
  mkdirSync(folder, { recursive: true });
  return folder;
}
