import { readFileSync, writeFileSync } from "node:fs";

/** Returns the content of a file, or the code of the error. */
export function readOrError(path: string): string {
  return attempt(() => readFileSync(path, "utf8"));
}

/** Writes a file. Returns the word "written", or the code of the error. */
export function writeOrError(path: string): string {
  return attempt(() => {
    writeFileSync(path, "written");
    return "written";
  });
}

function attempt(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
}
