import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { startServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
let server: TestServer;
let project: string;

// A plain JavaScript project with the package installed from its tarball, without a network.
before(async () => {
  server = await startServer();
  project = await mkdtemp(join(tmpdir(), "holdfast-sdk-"));
  await run(process.execPath, [join(root, "scripts/build.ts"), "sdk", join(project, "built")]);
  const npm = { cwd: project };
  const { stdout } = await run("npm", ["pack", "./built", "--silent"], npm);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const quick = ["--offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["install", ...quick, `./${stdout.trim()}`], npm);
});

after(async () => {
  await server.close();
  await rm(project, { recursive: true });
});

test("the published package has no dependencies and no platform modules", async () => {
  const installed = join(project, "node_modules/@holdfast/sdk");
  const description: Record<string, unknown> = JSON.parse(
    await readFile(join(installed, "package.json"), "utf8"),
  );
  assert.deepEqual(
    Object.keys(description).filter((key) => key.toLowerCase().includes("dependencies")),
    [],
  );
  const foreign = /\bnode:|\brequire\(|\bprocess\.|\bBuffer\b/;
  const files = globSync("*.js", { cwd: installed });
  assert.ok(files.includes("index.js"));
  // Examples in comments may use Node.
  const codeOf = (file: string): string =>
    readFileSync(join(installed, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  assert.deepEqual(
    files.filter((file) => foreign.test(codeOf(file))),
    [],
  );
});

test("every example of the README runs as a program in a plain JavaScript project", async () => {
  const readme = await readFile(join(root, "packages/sdk/README.md"), "utf8");
  const programs = [...readme.matchAll(/```js\n(?<program>.*?)```/gs)].map(
    ({ groups }) => groups?.["program"] ?? "",
  );
  const env = { ...process.env, HOLDFAST_URL: server.url, HOLDFAST_TOKEN: server.token };
  const outputs = await Promise.all(
    programs.map(async (program, index) => {
      const file = join(project, `example-${index}.js`);
      await writeFile(file, program);
      const { stdout } = await run(process.execPath, [file], { cwd: project, env });
      return stdout.split("\n").filter((line) => !line.startsWith("so far: "));
    }),
  );
  assert.deepEqual(outputs, [
    ["[demo agent] Hello there", "completed", ""],
    ["one prompt", "refused: conflict", ""],
    ["for good: [demo agent] one two three", ""],
    ["2 covered", "cancelled cancelled", "[demo agent] later", ""],
    ["Which colour?", "completed", ""],
    ["deferred for this run", "completed", ""],
  ]);
});

test("the published types work in strict TypeScript projects with browser or Node types", async () => {
  const program = `
    import { connect, Refused, type ErrorCode, type Prompt } from "@holdfast/sdk";
    const holdfast = connect({ url: "http://localhost", fetch });
    const session = holdfast.session("s1");
    const prompt = await session.prompt("hello", { delivery: "steer", attachments: [{ content: "x" }] });
    for await (const event of prompt.events()) if (event.type === "delta") event.text satisfies string;
    const { status, entry } = await prompt.settled();
    status satisfies "completed" | "failed" | "cancelled";
    entry satisfies Prompt;
    // @ts-expect-error there is no such delivery
    await session.prompt("hello", { delivery: "soon" });
    export const limitOf = (error: unknown): number | null => {
      if (!(error instanceof Refused)) return null;
      error.code satisfies ErrorCode | \`http\${number}\`;
      return error.code === "queueFull" ? error.details.limit : null;
    };
  `;
  await writeFile(join(project, "program.ts"), program);
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
  const browser = ["--lib", "es2023,dom,dom.iterable,dom.asynciterable", "--types", ""];
  const types = join(root, "node_modules/@types");
  const node = ["--lib", "es2023", "--typeRoots", types, "--types", "node"];
  for (const platform of [browser, node]) {
    const args = [compiler, ...strict, ...platform, "program.ts"];
    const { stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
    assert.equal(stdout, "");
  }
});
