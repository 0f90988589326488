import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { webPagePolicy } from "./security/headers.ts";

/** The files of the built web page. */
export interface WebFiles {
  /** Returns the page; null if it has not been built. */
  page(): Promise<Response | null>;
  /** Returns a file that the page loads; null if there is no such file. */
  file(request: Request): Promise<Response | null>;
}

interface BuiltFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Compressed content; null if the file type is already compressed. */
  readonly compressed: Uint8Array<ArrayBuffer> | null;
  readonly type: string;
  readonly isImmutable: boolean;
}

/** Serves the files of a folder. Only names that were found in the folder are served, so no name can lead out of it. */
export function webFiles(folder: string): WebFiles {
  let built: { at: number; files: Promise<ReadonlyMap<string, BuiltFile>> } | null = null;
  const load = async (): Promise<ReadonlyMap<string, BuiltFile> | null> => {
    const page = await stat(join(folder, "index.html")).catch(() => null);
    if (page === null) return null;
    if (built?.at !== page.mtimeMs) built = { at: page.mtimeMs, files: readFiles(folder) };
    return built.files;
  };
  return {
    page: async () => {
      const page = (await load())?.get("/index.html");
      if (page === undefined) return null;
      const headers = { "content-security-policy": webPagePolicy, "cache-control": "no-cache" };
      return new Response(page.bytes, { headers: { "content-type": page.type, ...headers } });
    },
    file: async (request) => {
      const file = (await load())?.get(new URL(request.url).pathname);
      if (file === undefined) return null;
      const headers = new Headers({
        "content-type": file.type,
        "cache-control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
        vary: "accept-encoding",
      });
      const accepts = request.headers.get("accept-encoding")?.includes("gzip") === true;
      if (!accepts || file.compressed === null) return new Response(file.bytes, { headers });
      headers.set("content-encoding", "gzip");
      return new Response(file.compressed, { headers });
    },
  };
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

const packed = new Set([".woff2", ".png"]);

async function readFiles(folder: string): Promise<ReadonlyMap<string, BuiltFile>> {
  const files = new Map<string, BuiltFile>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const extension = extname(entry.name);
    const type = types[extension];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = new Uint8Array(await readFile(path));
    const name = path.slice(folder.length).replaceAll("\\", "/");
    files.set(name, {
      bytes,
      compressed: packed.has(extension) ? null : new Uint8Array(await promisify(gzip)(bytes)),
      type,
      // The names of these files contain a hash of their content, so the content never changes.
      isImmutable: name.startsWith("/assets/"),
    });
  }
  return files;
}
