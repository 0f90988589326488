import { realpath, stat } from "node:fs/promises";
import { isInside, reasonOf } from "../../agent/tools/paths.ts";
import type { InstructionFile } from "./config.ts";
import type { Layer } from "./layer.ts";
import { pathFrom, readText } from "./read-file.ts";
import type { Resolving } from "./resolving.ts";
import { notice } from "./source.ts";

const maxBytes = 65_536;
/** Of all together: they go to the model with every request. */
const maxTotal = 262_144;

/** The user's files, then the project's. A project's may not lead out of it: they go to a model. */
export async function resolveInstructions(
  resolving: Resolving,
): Promise<readonly InstructionFile[]> {
  const { directory, home, files } = resolving;
  const found: InstructionFile[] = [];
  let left = maxTotal;
  for (const layer of [resolving.user, resolving.project]) {
    const isProject = layer.scope === "project";
    for (const [index, written] of (layer.value.instructions ?? []).entries()) {
      const path = ["instructions", index];
      const file = pathFrom(written, { folder: layer.folderOf(path), home });
      const leaveOut = (message: string): void => warn(resolving, layer, { path, message });
      if (isProject && !isInside(file, directory)) {
        leaveOut("leads out of the project; name it in your own config, if it is yours");
        continue;
      }
      files.push(file);
      const read = await readText(file, { within: isProject ? directory : null, maxBytes });
      if (read.status === "missing") leaveOut(`is left out: ${file} does not exist`);
      if (read.status === "unusable") leaveOut(`is left out: ${file} ${read.message}`);
      if (read.status !== "read") continue;
      const size = Buffer.byteLength(read.text);
      if (size > left) {
        leaveOut(`is left out: all instructions together have more than ${maxTotal} bytes`);
        continue;
      }
      left -= size;
      found.push({ path: file, text: read.text });
    }
  }
  return found;
}

/** Folders by their real paths. */
export async function resolveAllowedPaths(resolving: Resolving): Promise<readonly string[]> {
  const { home } = resolving;
  const found = new Set<string>();
  for (const layer of [resolving.user, resolving.project]) {
    for (const [index, written] of (layer.value.sandbox?.allowedPaths ?? []).entries()) {
      const path = ["sandbox", "allowedPaths", index];
      const folder = pathFrom(written, { folder: layer.folderOf(path), home });
      try {
        const real = await realpath(folder);
        if (!(await stat(real)).isDirectory()) throw new Error("it is a file, not a folder");
        found.add(real);
      } catch (error) {
        const message = `is left out: ${folder}: ${reasonOf(error)}`;
        warn(resolving, layer, { path, message });
      }
    }
  }
  return [...found];
}

function warn(
  { notices }: Resolving,
  layer: Layer,
  { path, message }: { path: (string | number)[]; message: string },
): void {
  notices.push(notice("warning", { place: layer.place(path), path, message }));
}
