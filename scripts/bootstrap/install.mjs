import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "./lock.mjs";

/** npm could not install. It has already printed its own message. */
export class InstallFailed extends Error {}

/**
 * Makes node_modules agree with package-lock.json.
 * @param {string} root
 * @param {(root: string) => boolean} install returns whether it worked
 */
export async function ensureInstalled(root, install = npmCi) {
  if (staleReason(root) === undefined) return;
  await withLock(join(root, ".install-lock"), () => {
    const reason = staleReason(root);
    if (reason === undefined) return;
    console.error(`holdfast: running npm ci, because ${reason}`);
    // Remove the stamp first and write it last, so that an interrupted install leaves none.
    rmSync(stampPath(root), { force: true });
    if (!install(root)) throw new InstallFailed("npm ci failed; nothing was run");
    writeFileSync(stampPath(root), fingerprint(root));
  });
}

/**
 * @param {string} root
 * @returns {string | undefined} why an install is needed; undefined if it is not
 */
export function staleReason(root) {
  if (!existsSync(join(root, "node_modules"))) return "node_modules does not exist";
  if (!existsSync(stampPath(root))) return "node_modules has no mark of a finished install";
  if (readFileSync(stampPath(root), "utf8") !== fingerprint(root)) {
    return "node_modules was installed for other dependencies or another platform";
  }
  return undefined;
}

/** @param {string} root */
function stampPath(root) {
  return join(root, "node_modules", ".holdfast-installed");
}

/**
 * Digest of everything that npm ci depends on. The scripts of a package.json are not part of it.
 * @param {string} root
 */
function fingerprint(root) {
  const hash = createHash("sha256").update(`${process.platform}-${process.arch}\n`);
  hash.update(readFileSync(join(root, "package-lock.json")));
  for (const path of manifests(root)) {
    const manifest = { ...JSON.parse(readFileSync(path, "utf8")), scripts: undefined };
    hash.update(`\n${JSON.stringify(manifest)}`);
  }
  return hash.digest("hex");
}

/** @param {string} root */
function manifests(root) {
  const packages = join(root, "packages");
  const folders = existsSync(packages) ? readdirSync(packages).toSorted() : [];
  return [root, ...folders.map((folder) => join(packages, folder))]
    .map((folder) => join(folder, "package.json"))
    .filter((path) => existsSync(path));
}

/** @param {string} root */
function npmCi(root) {
  // Without --include, NODE_ENV=production or a user setting could make npm skip development and optional dependencies.
  // They contain the tools and the Node.js binary.
  const options = [
    "ci",
    "--include=dev",
    "--include=optional",
    "--prefer-offline",
    "--loglevel=error",
  ];
  const npm = process.env["npm_execpath"];
  const [command, first] = npm ? [process.execPath, [npm]] : ["npm", []];
  return spawnSync(command, [...first, ...options], { cwd: root, stdio: "inherit" }).status === 0;
}
