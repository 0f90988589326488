import { realpath, stat } from "node:fs/promises";
import { isInside, reasonOf } from "../../agent/tools/paths.ts";
import type { CatalogueFile } from "../../agent/model/catalogue/catalogue.ts";
import type { InstructionFile } from "./config.ts";
import type { Layer } from "./layer.ts";
import { pathFrom, readText } from "./read-file.ts";
import type { Resolving } from "./resolving.ts";
import { notice } from "./source.ts";

const maxBytes = 65_536;
/** Maximum total size of the instruction files, because every model request contains them. */
const maxTotal = 262_144;

/**
 * Reads the user's instruction files, then the project's. A project's files must be inside the project, because their
 * content is sent to a model.
 */
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
      const skip = (message: string): void => warn(resolving, layer, { path, message });
      if (isProject && !isInside(file, directory)) {
        skip("is outside of the project; if it is your file, name it in your own config");
        continue;
      }
      files.push(file);
      const read = await readText(file, { root: isProject ? directory : null, maxBytes });
      if (read.status === "missing") skip(`is ignored: ${file} does not exist`);
      if (read.status === "unusable") skip(`is ignored: ${file} ${read.message}`);
      if (read.status !== "read") continue;
      const size = Buffer.byteLength(read.text);
      if (size > left) {
        skip(`is ignored: all instructions together have more than ${maxTotal} bytes`);
        continue;
      }
      left -= size;
      found.push({ path: file, text: read.text });
    }
  }
  return found;
}

/** Maximum size of a catalogue file, far above the size of a catalogue of all models. */
const maxCatalogueBytes = 16 * 1024 * 1024;

/**
 * Reads the user's model catalogue. A project cannot set one, because its prices determine when a budget is used up. A
 * file that cannot be used is ignored with a warning.
 */
export async function resolveCatalogue(resolving: Resolving): Promise<CatalogueFile | null> {
  const { user: layer, home, files } = resolving;
  const path = ["modelCatalogue"];
  const written = layer.value.modelCatalogue;
  if (written === undefined) return null;
  const file = pathFrom(written, { folder: layer.folderOf(path), home });
  files.push(file);
  const read = await readText(file, { root: null, maxBytes: maxCatalogueBytes });
  const { readCatalogue } = await import("../../agent/model/catalogue/read-catalogue.ts");
  const found =
    read.status === "read"
      ? await readCatalogue(read.text)
      : `cannot be used: ${read.status === "missing" ? "the file does not exist" : `the file ${read.message}`}. The built-in catalogue is used instead`;
  if (typeof found !== "string") return found;
  warn(resolving, layer, { path, message: `${file} ${found}` });
  return null;
}

/** Returns the real paths of the folders that `sandbox.allowedPaths` lists. */
export async function resolveAllowedPaths(resolving: Resolving): Promise<readonly string[]> {
  const { home } = resolving;
  const found = new Set<string>();
  for (const layer of [resolving.user, resolving.project]) {
    for (const [index, written] of (layer.value.sandbox?.allowedPaths ?? []).entries()) {
      const path = ["sandbox", "allowedPaths", index];
      const folder = pathFrom(written, { folder: layer.folderOf(path), home });
      try {
        const real = await realpath(folder);
        if (!(await stat(real)).isDirectory()) throw new Error("this path is a file, not a folder");
        found.add(real);
      } catch (error) {
        const message = `is ignored: ${folder}: ${reasonOf(error)}`;
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
