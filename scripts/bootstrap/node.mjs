import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const wantedMajor = 24;

/**
 * Returns the current Node if it is new enough, otherwise the one that npm installed.
 * @param {{ root: string, current: Pick<NodeJS.Process, "version" | "execPath" | "platform" | "arch"> }} options
 * @returns {{ path: string, version: string } | { problem: string }}
 */
export function chooseNode({ root, current }) {
  if (majorOf(current.version) >= wantedMajor) {
    return { path: current.execPath, version: current.version };
  }
  const folder = join(root, "node_modules", `node-${current.platform}-${current.arch}`);
  const path = join(folder, "bin", "node");
  if (existsSync(path)) {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return { path, version: `v${manifest.version}` };
  }
  return {
    problem:
      `this is Node ${current.version}, and there is no Node ${wantedMajor} package for ` +
      `${current.platform}-${current.arch}. Install Node ${wantedMajor} or later and run this again.`,
  };
}

/** @param {string} version */
function majorOf(version) {
  return Number(version.replace(/^v/, "").split(".")[0]);
}
