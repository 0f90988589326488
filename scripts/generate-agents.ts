import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { agentPackagesSchema } from "../packages/holdfast/src/agent/hosted/agent-packages.ts";
import { knownAgents } from "../packages/holdfast/src/agent/hosted/known-agents.ts";
import type { KnownPackage } from "../packages/holdfast/src/agent/hosted/known-agents.ts";
import { showHelp } from "./read-arguments.ts";

showHelp(`npm run generate:agents

Pins the packages that \`holdfast agents add\` installs: writes packages/holdfast/agent-packages.json with the version
and the digest of each package, for all platforms, as the npm registry reports them. To update an agent, raise its
version in packages/holdfast/src/agent/hosted/known-agents.ts first.

The command lists packages that the registry does not have. Holdfast does not install these packages, so run the command
with a registry that has all of them.`);

type Packages = Record<string, Record<string, unknown>>;

/** Fields of a lock file that npm needs to install the packages. */
const keptFields = [
  "name",
  "version",
  "integrity",
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "os",
  "cpu",
  "libc",
  "optional",
  "peer",
];

const agents: Record<string, Packages> = {};
for (const { name, package: wanted } of knownAgents) {
  if (wanted === null) continue;
  const locked = lockPackages(wanted);
  const missing = removeMissing(locked);
  agents[name] = locked;
  console.log(`${name}: ${Object.keys(locked).length} packages`);
  if (missing.length > 0) console.log(`  not in the registry: ${missing.join(", ")}`);
}
agentPackagesSchema.parse(agents);
const target = join(import.meta.dirname, "../packages/holdfast/agent-packages.json");
writeFileSync(target, formatFile(agents));
console.log(`written to ${target}`);

/** Resolves a package and its dependencies with npm, without downloading them. */
function lockPackages({ name, version }: KnownPackage): Packages {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-agents-"));
  try {
    const dependencies = { [name]: version };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
    // npm under an old Node picks old releases of dependencies.
    const path = `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`;
    const words = ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];
    execFileSync("npm", [...words, "--omit-lockfile-registry-resolved"], {
      cwd: folder,
      env: { ...process.env, PATH: path },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const lock: { packages: Packages } = JSON.parse(
      readFileSync(join(folder, "package-lock.json"), "utf8"),
    );
    return Object.fromEntries(
      Object.entries(lock.packages)
        .filter(([place]) => place !== "")
        .map(([place, fields]) => [place, kept(place, fields)]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function kept(place: string, fields: Record<string, unknown>): Record<string, unknown> {
  if ("resolved" in fields || "link" in fields || "inBundle" in fields) {
    throw new Error(`${place} does not come from the registry alone, so its digest is not known`);
  }
  return Object.fromEntries(
    keptFields.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])),
  );
}

/**
 * Removes optional dependencies that the registry does not have, because `npm ci` refuses a lock file without them.
 * Returns their names.
 */
function removeMissing(packages: Packages): readonly string[] {
  const found = new Set(
    Object.keys(packages).map((place) => place.replace(/^.*node_modules\//, "")),
  );
  const missing = new Set<string>();
  for (const fields of Object.values(packages)) {
    const optional = Object.entries(fields["optionalDependencies"] ?? {});
    if (optional.length === 0) continue;
    for (const [name] of optional) if (!found.has(name)) missing.add(name);
    fields["optionalDependencies"] = Object.fromEntries(
      optional.filter(([name]) => found.has(name)),
    );
  }
  return [...missing].toSorted();
}

/** Writes one package per line, so that an update is easy to review. */
function formatFile(all: Record<string, Packages>): string {
  const parts = Object.entries(all).map(([name, packages]) => {
    const lines = Object.entries(packages).map(
      ([place, fields]) => `    ${JSON.stringify(place)}: ${JSON.stringify(fields)}`,
    );
    return `  ${JSON.stringify(name)}: {\n${lines.join(",\n")}\n  }`;
  });
  return `{\n${parts.join(",\n")}\n}\n`;
}
