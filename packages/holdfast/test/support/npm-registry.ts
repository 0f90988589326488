import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { listen } from "../../src/server/listen.ts";
import { scratchFolder } from "./scratch-folder.ts";

/** An npm registry on the loopback interface, with packages of one version each. */
export interface NpmRegistry {
  readonly url: string;
  /** Publishes a package, or replaces it. Returns its digest. */
  publish(manifest: Manifest, files: Readonly<Record<string, string>>): string;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
}

export async function openNpmRegistry(t: TestContext): Promise<NpmRegistry> {
  const root = scratchFolder(t, "registry");
  const published = new Map<string, { manifest: Manifest; archive: Buffer; integrity: string }>();
  const server = createServer((request, response) => {
    const [, name = "", rest] = decodeURIComponent(request.url ?? "").split("/");
    const found = published.get(name);
    if (found === undefined) return void response.writeHead(404).end("{}");
    if (rest !== undefined) return void response.end(found.archive);
    const { manifest, integrity } = found;
    const { version } = manifest;
    const dist = { tarball: `http://${request.headers.host}/${name}/archive.tgz`, integrity };
    const versions = { [version]: { ...manifest, dist } };
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  });
  const port = await listen(server, { host: "127.0.0.1", port: 0 });
  t.after(() => server.close());
  return {
    url: `http://127.0.0.1:${port}`,
    publish: (manifest, files) => {
      const folder = join(root, String(published.size), manifest.name);
      mkdirSync(join(folder, "package"), { recursive: true });
      const all = { ...files, "package.json": JSON.stringify(manifest) };
      for (const [name, text] of Object.entries(all)) {
        writeFileSync(join(folder, "package", name), text);
      }
      execFileSync("tar", ["czf", "archive.tgz", "package"], { cwd: folder });
      const archive = readFileSync(join(folder, "archive.tgz"));
      const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
      published.set(manifest.name, { manifest, archive, integrity });
      return integrity;
    },
  };
}
