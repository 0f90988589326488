import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { packageFolder } from "../../base/package.ts";

const names = z.record(z.string(), z.string());
const pinnedPackage = z.strictObject({
  /** Name in the registry, if it differs from the path. */
  name: z.string().optional(),
  version: z.string(),
  /** Digest of the package's archive, which npm compares with the download. */
  integrity: z.string().regex(/^sha512-[\w+/]{86}==$/),
  dependencies: names.optional(),
  optionalDependencies: names.optional(),
  peerDependencies: names.optional(),
  peerDependenciesMeta: z.record(z.string(), z.strictObject({ optional: z.boolean() })).optional(),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
  libc: z.array(z.string()).optional(),
  optional: z.literal(true).optional(),
  peer: z.literal(true).optional(),
});

/** Packages of each known agent by their paths, as in the `packages` of a package-lock.json. */
export const agentPackagesSchema = z.record(
  z.string(),
  z.record(z.string().regex(/^node_modules\//), pinnedPackage),
);

/** A package with its exact version and digest. Packages for other platforms are pinned too. */
export type PinnedPackage = z.output<typeof pinnedPackage>;
/** All packages that npm may install for an agent, by their paths, such as `node_modules/zod`. */
export type PinnedPackages = Readonly<Record<string, PinnedPackage>>;

/** Returns the packages of a known agent, from a file that is part of Holdfast (`npm run generate:agents`). */
export function agentPackages(agent: string): PinnedPackages {
  const text = readFileSync(join(packageFolder(), "agent-packages.json"), "utf8");
  return agentPackagesSchema.parse(JSON.parse(text))[agent] ?? {};
}

export interface Platform {
  readonly os: string;
  readonly cpu: string;
  /** `glibc` or `musl` on Linux; null on other systems. */
  readonly libc: string | null;
}

/** Returns the platform of this machine, in the words of npm. */
export function thisPlatform(): Platform {
  const isLinux = process.platform === "linux";
  return { os: process.platform, cpu: process.arch, libc: isLinux ? linuxLibc() : null };
}

/** Node's report names the version of glibc only if Node uses glibc. npm decides in the same way. */
function linuxLibc(): string {
  const { header } = z
    .object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) })
    .parse(process.report.getReport());
  return header.glibcVersionRuntime === undefined ? "musl" : "glibc";
}

/**
 * Returns the paths of the packages that npm must install on this platform: the package of the agent, and all packages
 * that it needs, without those for other platforms.
 */
export function expectedPaths(
  root: string,
  { packages, platform }: { packages: PinnedPackages; platform: Platform },
): ReadonlySet<string> {
  const expected = new Set<string>();
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const pinned = packages[path];
    if (pinned === undefined || expected.has(path) || !suits(pinned, platform)) continue;
    expected.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = pinned;
    for (const name of Object.keys({
      ...dependencies,
      ...optionalDependencies,
      ...peerDependencies,
    })) {
      waiting.push(nearest(name, { path, packages }));
    }
  }
  return expected;
}

/** Returns the path of a dependency as Node finds it: in the package itself, or else in the folders above. */
function nearest(
  name: string,
  { path, packages }: { path: string; packages: PinnedPackages },
): string {
  for (let folder = path; folder !== ""; folder = folderAbove(folder)) {
    const inside = `${folder}/node_modules/${name}`;
    if (inside in packages) return inside;
  }
  return `node_modules/${name}`;
}

function folderAbove(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/node_modules/"), 0));
}

/** True if the package is for this platform. */
function suits({ os, cpu, libc }: PinnedPackage, platform: Platform): boolean {
  return (
    isListed(os, platform.os) &&
    isListed(cpu, platform.cpu) &&
    (libc === undefined || (platform.libc !== null && isListed(libc, platform.libc)))
  );
}

/** `list` has names, or names with an exclamation mark that are excluded. */
function isListed(list: readonly string[] | undefined, value: string): boolean {
  if (list === undefined || list.includes("any")) return true;
  const excluded = list.filter((each) => each.startsWith("!"));
  if (excluded.includes(`!${value}`)) return false;
  return excluded.length === list.length || list.includes(value);
}
