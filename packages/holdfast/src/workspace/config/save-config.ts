import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMissing, makeFolder } from "../../base/folders.ts";
import { writing } from "../settings-file.ts";
import { FileProblem, hashOf, putFile, readWhole } from "../../agent/tools/files.ts";
import type { FileContent } from "../../agent/tools/files.ts";
import type { ConfigText, ReadDraft, SaveAnswer } from "./configs.ts";
import { maxConfigBytes } from "./places.ts";
import type { LayerPlaces } from "./places.ts";
import { ConfigError } from "./read-config.ts";
import { readText } from "./read-file.ts";
import { fileNotice } from "./source.ts";
import type { Trust } from "./trust.ts";

export async function configText(places: LayerPlaces): Promise<ConfigText> {
  const { file } = places;
  const content = await present(places);
  if (content === null) return { file, text: null, digest: null };
  return { file, text: content.bytes.toString("utf8"), digest: content.hash };
}

export async function saveConfig(options: {
  readonly places: LayerPlaces;
  readonly directory: string | null;
  readonly change: { readonly text: string; readonly digest: string | null };
  readonly read: ReadDraft;
  readonly trust: Trust;
}): Promise<SaveAnswer> {
  const { places, directory, change, read, trust } = options;
  const { file, scope } = places;
  const { text, digest } = change;
  const before = await present(places);
  if ((before?.hash ?? null) !== digest) return { status: "stale", digest: before?.hash ?? null };
  const bytes = Buffer.from(text);
  if (bytes.length > maxConfigBytes) {
    const message = `would have ${bytes.length} bytes; the limit is ${maxConfigBytes}`;
    return { status: "bad", notices: [fileNotice("error", file, message)] };
  }
  // If the config was broken before, none of its settings were trusted.
  const wasTrusted = await read(directory, null).then(
    ({ powers }) => powers.trusted,
    () => false,
  );
  try {
    const { powers } = await read(directory, { scope, text });
    await writing(file, async () => putFile({ path: await realFile(file), bytes, before }));
    if (directory !== null && wasTrusted) await trust.set(directory, powers.digest);
    return { status: "saved", file, digest: hashOf(bytes) };
  } catch (error) {
    if (error instanceof ConfigError) return { status: "bad", notices: error.notices };
    if (!(error instanceof FileProblem)) throw error;
    return { status: "stale", digest: (await present(places))?.hash ?? null };
  }
}

async function present({ file, root }: LayerPlaces): Promise<FileContent | null> {
  const read = await readText(file, { root, maxBytes: maxConfigBytes });
  switch (read.status) {
    case "missing":
      return null;
    case "unusable":
      throw new ConfigError([fileNotice("error", file, read.message)], {
        files: [file],
        powers: null,
      });
    case "read":
      return readWhole(read.realPath, maxConfigBytes);
  }
}

/** Returns the real path of a file, so that saving does not replace a symbolic link with a file. */
async function realFile(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await makeFolder(dirname(file), 0o700);
    return join(await realpath(dirname(file)), basename(file));
  }
}
