import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { findAgent } from "../../../src/agent/hosted/find-agent.ts";
import { installAgent, removeAgent } from "../../../src/agent/hosted/install-agent.ts";
import { knownAgent } from "../../../src/agent/hosted/known-agents.ts";
import type { KnownAgent } from "../../../src/agent/hosted/known-agents.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

// Installation with a script in the place of npm, so that no registry is needed.

const agent: KnownAgent = {
  ...known("claude"),
  package: {
    name: "some-agent",
    version: "1.2.3",
    integrity: "sha512-right",
    program: "some-agent/main.js",
  },
};

interface Place {
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly progress: () => void;
}

/** A folder for agents, and an npm that installs the package with this integrity. */
function openPlace(t: TestContext, integrity: string): Place {
  const root = scratchFolder(t, "install");
  const npm = join(root, "bin", "npm");
  mkdirSync(join(root, "bin"));
  const lock = { packages: { "node_modules/some-agent": { version: "1.2.3", integrity } } };
  const script = [
    "#!/bin/sh",
    'echo "$@" > arguments',
    "mkdir -p node_modules/some-agent && echo 1 > node_modules/some-agent/main.js",
    `echo '${JSON.stringify(lock)}' > package-lock.json`,
  ];
  writeFileSync(npm, `${script.join("\n")}\n`);
  chmodSync(npm, 0o755);
  const environment = { PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}` };
  return { folder: join(root, "agents"), environment, progress: () => {} };
}

function known(name: string): KnownAgent {
  const found = knownAgent(name);
  assert.ok(found !== null);
  return found;
}

test("an agent is installed at its exact version, without install scripts, and runs with our Node", async (t) => {
  const place = openPlace(t, "sha512-right");
  const record = await installAgent(agent, place);
  assert.deepEqual(
    [record.version, record.integrity, record.node],
    ["1.2.3", "sha512-right", true],
  );
  const found = await findAgent(agent, { folder: place.folder, path: "" });
  const program = join(place.folder, "claude", "node_modules/some-agent/main.js");
  assert.deepEqual(found, {
    command: [process.execPath, program],
    source: "installed",
    version: "1.2.3",
  });
  const words = readdirSync(join(place.folder, "claude"));
  assert.ok(words.includes("arguments"));
  assert.equal(await removeAgent("claude", place.folder), true);
  assert.equal(await findAgent(agent, { folder: place.folder, path: "" }), null);
});

test("a package with a wrong checksum is refused, and the earlier installation stays", async (t) => {
  const place = openPlace(t, "sha512-right");
  await installAgent(agent, place);
  const wrong = openPlace(t, "sha512-wrong");
  await assert.rejects(
    installAgent(agent, { ...wrong, folder: place.folder }),
    /does not match the checksum in this release of Holdfast/,
  );
  assert.ok(existsSync(join(place.folder, "claude", "agent.json")));
  assert.deepEqual(readdirSync(place.folder), ["claude"], "no half installation is left");
});

test("the error for an agent that is not on npm says where to get the agent", async (t) => {
  const place = openPlace(t, "sha512-right");
  await assert.rejects(installAgent(known("goose"), place), /install goose and put it on the PATH/);
});
