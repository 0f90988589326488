import { copyFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ensureWeb } from "../build-web/ensure-web.ts";
import { bundle } from "./bundle.ts";
import { writeDeclarations } from "./declarations.ts";
import { manifestOf } from "./manifest.ts";

/**
 * Packages that are installed as dependencies and not bundled. The SDK: a program that imports holdfast and the SDK
 * must get the same error classes from both. The image library: it reads a WebAssembly file from its own folder.
 */
const external = ["@holdfast/sdk", "@silvia-odwyer/photon-node"];

/** Peer dependencies: programs that add their own tools describe the tool input with zod. */
const peers = { zod: "^4.0.0" };

/**
 * Builds holdfast as it is published, as a package in the target folder: the bundled program, the web page,
 * and the types of its entry.
 */
export async function buildHoldfast(options: { root: string; target: string }): Promise<void> {
  const { root, target } = options;
  const source = join(root, "packages/holdfast");
  await ensureWeb(root);
  await rm(target, { recursive: true, force: true });
  await mkdir(join(target, "bin"), { recursive: true });
  await bundle({ source, target: join(target, "lib"), external, licences: "THIRD-PARTY.md" });
  expectDeclared(await writeDeclarations({ source, target: join(target, "types") }));
  await copyFile(join(source, "bin/run-elsewhere.js"), join(target, "bin/run-elsewhere.js"));
  const bin = await readFile(join(source, "bin/holdfast.js"), "utf8");
  await writeFile(join(target, "bin/holdfast.js"), onBundle(bin), { mode: 0o755 });
  await cp(join(root, "packages/web/dist"), join(target, "web"), {
    recursive: true,
    filter: (path) => !basename(path).startsWith("."),
  });
  await writeFile(join(target, "package.json"), await publishedManifest(source));
  for (const file of ["config.schema.json", "models.json", "agent-packages.json", "README.md"]) {
    await copyFile(join(source, file), join(target, file));
  }
  await copyFile(join(root, "LICENSE"), join(target, "LICENSE"));
}

/** Makes the command start the bundle instead of the sources. */
function onBundle(bin: string): string {
  const before = "../src/cli/program.ts";
  if (bin.split(before).length !== 2) throw new Error(`bin/holdfast.js must name ${before} once`);
  return bin.replace(before, "../lib/cli.js");
}

async function publishedManifest(source: string): Promise<string> {
  const workspace: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(source, "package.json"), "utf8"),
  );
  const entry = { types: "./types/index.d.ts", default: "./lib/index.js" };
  return manifestOf(source, {
    exports: { ".": entry, "./package.json": "./package.json" },
    types: entry.types,
    files: [
      "bin",
      "lib",
      "types",
      "web",
      "config.schema.json",
      "models.json",
      "agent-packages.json",
    ],
    dependencies: Object.fromEntries(external.map((name) => [name, workspace.dependencies[name]])),
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(peers).map((name) => [name, { optional: true }]),
    ),
  });
}

function expectDeclared(packages: ReadonlySet<string>): void {
  const known = new Set([...external, ...Object.keys(peers)]);
  const others = [...packages].filter((name) => !known.has(name));
  if (others.length === 0) return;
  throw new Error(
    `the public types mention ${others.join(", ")}, which the package does not install. Add them to external or peers.`,
  );
}
