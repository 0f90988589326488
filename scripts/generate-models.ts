import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogueFile } from "../packages/holdfast/src/agent/model/catalogue/catalogue.ts";
import { allShutdowns, anthropicShutdowns, convertLists } from "./models/convert.ts";
import type { SourceModel } from "./models/convert.ts";
import { lists, packages } from "./models/sources.ts";
import { showHelp } from "./read-arguments.ts";

showHelp(`npm run generate:models

Downloads the source packages from npm and writes packages/holdfast/models.json. To refresh the catalogue, raise
the versions in scripts/models/sources.ts first.`);

const folder = mkdtempSync(join(tmpdir(), "holdfast-models-"));
try {
  const models = download(packages.models);
  const anthropic = download(packages.anthropic);
  const file = makeFile(models, anthropic);
  const target = join(import.meta.dirname, "../packages/holdfast/models.json");
  writeFileSync(target, formatFile(file));
  console.log(`${Object.keys(file.models).length} models of ${file.generated} in ${target}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Downloads a package without installing it, so that none of its dependencies or scripts are used. */
function download({ name, version }: { name: string; version: string }): string {
  const spec = `${name}@${version}`;
  const options = { cwd: folder, encoding: "utf8" } as const;
  const tarball = execFileSync("npm", ["pack", "--silent", spec], options).trim();
  const target = mkdtempSync(join(folder, "package-"));
  execFileSync("tar", ["xzf", join(folder, tarball), "-C", target, "--strip-components=1"]);
  return target;
}

function makeFile(models: string, anthropic: string): CatalogueFile {
  const data = join(models, "dist/providers/data");
  const manifest: { generatedAt: string } = JSON.parse(
    readFileSync(join(data, ".manifest.json"), "utf8"),
  );
  const sources = lists.map(({ file, provider }) => {
    const groups: Record<string, Record<string, SourceModel>> = JSON.parse(
      readFileSync(join(data, `${file}.json`), "utf8"),
    );
    return { provider, models: Object.values(groups).flatMap((group) => Object.values(group)) };
  });
  const sdk = readFileSync(join(anthropic, "src/resources/messages/messages.ts"), "utf8");
  return {
    format: 1,
    source: `${packages.models.name}@${packages.models.version}`,
    generated: manifest.generatedAt.slice(0, 10),
    models: convertLists(sources, allShutdowns(anthropicShutdowns(sdk))),
  };
}

/** Writes one model per line, so that a refresh is easy to review. */
function formatFile({ models, ...head }: CatalogueFile): string {
  const lines = Object.entries(models).map(
    ([name, model]) => `    ${JSON.stringify(name)}: ${JSON.stringify(model)}`,
  );
  const start = JSON.stringify(head, null, 2).replace(/\n}$/, "");
  return `${start},\n  "models": {\n${lines.join(",\n")}\n  }\n}\n`;
}
