import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import {
  agentPackages,
  expectedPaths,
  thisPlatform,
} from "../../../src/agent/hosted/agent-packages.ts";
import type { PinnedPackages } from "../../../src/agent/hosted/agent-packages.ts";
import { findAgent } from "../../../src/agent/hosted/find-agent.ts";
import { installAgent, removeAgent } from "../../../src/agent/hosted/install-agent.ts";
import type { InstallOptions } from "../../../src/agent/hosted/install-agent.ts";
import { knownAgent, knownAgents } from "../../../src/agent/hosted/known-agents.ts";
import type { KnownAgent } from "../../../src/agent/hosted/known-agents.ts";
import { openNpmRegistry } from "../../support/npm-registry.ts";
import type { Manifest, NpmRegistry } from "../../support/npm-registry.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";

// Installation with the real npm, from a registry on the loopback interface.

const agent: KnownAgent = {
  ...known("claude"),
  package: { name: "some-agent", version: "1.2.3", program: "some-agent/main.js" },
};

const helper = { name: "helper", version: "2.0.0" };
const native: Manifest = { name: "native", version: "3.0.0", os: [process.platform] };
const foreign: Manifest = { name: "foreign", version: "3.0.0", os: ["plan9"] };
const main = {
  name: "some-agent",
  version: "1.2.3",
  dependencies: { helper: "^2.0.0" },
  optionalDependencies: { native: "3.0.0", foreign: "3.0.0" },
  scripts: { install: "echo 1 > script-ran" },
};

interface Place extends InstallOptions {
  readonly registry: NpmRegistry;
}

/** A registry with the agent, a dependency and a package for each of two platforms, all of which are pinned. */
async function openPlace(t: TestContext): Promise<Place> {
  const registry = await openNpmRegistry(t);
  const pin = (manifest: Manifest): PinnedPackages => {
    const { name, version, os = [] } = manifest;
    const integrity = registry.publish(manifest, { "tool.js": name });
    return { [`node_modules/${name}`]: { version, integrity, os: [...os], optional: true } };
  };
  const { scripts: _, name, version, ...edges } = main;
  const packages: PinnedPackages = {
    [`node_modules/${name}`]: {
      version,
      integrity: registry.publish(main, { "main.js": "1" }),
      ...edges,
    },
    "node_modules/helper": {
      version: helper.version,
      integrity: registry.publish(helper, { "index.js": "1" }),
    },
    ...pin(native),
    ...pin(foreign),
  };
  const root = scratchFolder(t, "install");
  const environment = {
    PATH: process.env["PATH"],
    HOME: root,
    npm_config_registry: registry.url,
    npm_config_cache: join(root, "cache"),
    npm_config_update_notifier: "false",
    npm_config_fetch_retries: "0",
  };
  return { registry, folder: join(root, "agents"), packages, environment, progress: () => {} };
}

function known(name: string): KnownAgent {
  const found = knownAgent(name);
  assert.ok(found !== null);
  return found;
}

test("an agent is installed with its pinned packages, without install scripts, and runs with our Node", async (t) => {
  const place = await openPlace(t);
  const record = await installAgent(agent, place);
  assert.deepEqual(
    [record.version, record.integrity, record.node],
    ["1.2.3", place.packages["node_modules/some-agent"]?.integrity, true],
  );
  const found = await findAgent(agent, { folder: place.folder, path: "" });
  const modules = join(place.folder, "claude", "node_modules");
  assert.deepEqual(found, {
    command: [process.execPath, join(modules, "some-agent/main.js")],
    source: "installed",
    version: "1.2.3",
  });
  const installed = readdirSync(modules).filter((name) => !name.startsWith("."));
  assert.deepEqual(installed.toSorted(), ["helper", "native", "some-agent"]);
  assert.ok(!existsSync(join(modules, "some-agent/script-ran")));
  assert.equal(await removeAgent("claude", place.folder), true);
  assert.equal(await findAgent(agent, { folder: place.folder, path: "" }), null);
});

// The registry reports the digest of the other archive, so npm could install it if the digest were not pinned.
for (const replaced of [main, helper, native]) {
  test(`a registry with another archive of ${replaced.name} is refused, and nothing is left`, async (t) => {
    const place = await openPlace(t);
    place.registry.publish(replaced, { "main.js": "other" });
    await assert.rejects(installAgent(agent, place), {
      name: "InstallError",
      message:
        /does not match the checksum in this release of Holdfast, or is missing\. Nothing was installed/,
    });
    assert.deepEqual(readdirSync(place.folder), []);
  });
}

test("an earlier installation stays if another package is refused, and a missing package is named", async (t) => {
  const place = await openPlace(t);
  await installAgent(agent, place);
  const { integrity = "" } = place.packages["node_modules/helper"] ?? {};
  const gone = { version: "4.0.0", integrity };
  const packages: PinnedPackages = {
    ...place.packages,
    "node_modules/some-agent": {
      ...pinnedMain(place),
      optionalDependencies: { ...main.optionalDependencies, gone: "4.0.0" },
    },
    "node_modules/gone": { ...gone, optional: true },
  };
  await assert.rejects(installAgent(agent, { ...place, packages }), /^InstallError: gone@4\.0\.0 /);
  assert.deepEqual(readdirSync(place.folder), ["claude"]);
  assert.ok(existsSync(join(place.folder, "claude", "agent.json")));
});

test("a dependency that is not pinned is not installed", async (t) => {
  const place = await openPlace(t);
  const { "node_modules/helper": _, ...packages } = place.packages;
  await assert.rejects(
    installAgent(agent, { ...place, packages }),
    /npm could not install some-agent/,
  );
  assert.deepEqual(readdirSync(place.folder), []);
});

test("the error for a platform without a pinned program says how to install the agent", async (t) => {
  const place = await openPlace(t);
  const missing = { ...agent, package: { ...main, program: "some-agent-{platform}/main.js" } };
  await assert.rejects(
    installAgent(missing, place),
    /cannot install Claude Code for .*: npm install --global some-agent@1\.2\.3$/,
  );
  assert.deepEqual(readdirSync(place.folder), []);
});

test("the error for an agent that is not on npm says where to get the agent", async (t) => {
  const place = { folder: scratchFolder(t, "install"), packages: {}, environment: {} };
  await assert.rejects(
    installAgent(known("goose"), { ...place, progress: () => {} }),
    /install goose and put it on the PATH/,
  );
});

test("all packages of the known agents are pinned, and the file names no host", () => {
  for (const { name, package: wanted } of knownAgents) {
    if (wanted === null) continue;
    const packages = agentPackages(name);
    assert.equal(packages[`node_modules/${wanted.name}`]?.version, wanted.version, name);
    const places = Object.keys(packages);
    for (const [place, { dependencies, optionalDependencies }] of Object.entries(packages)) {
      for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
        const isPinned = places.some((other) => other.endsWith(`node_modules/${needed}`));
        assert.ok(isPinned, `${needed}, which ${place} of ${name} needs`);
      }
    }
  }
  const file = join(import.meta.dirname, "../../../agent-packages.json");
  assert.doesNotMatch(readFileSync(file, "utf8"), /:\/\//);
});

const at = (place: string): string => `node_modules/${place.replaceAll("/", "/node_modules/")}`;

const needs = (...names: readonly string[]): object => ({
  optionalDependencies: Object.fromEntries(names.map((name) => [name, "1.0.0"])),
});

test("npm is expected to install the packages for its platform, and what only these need", () => {
  const linux = { os: "linux", cpu: "x64", libc: "glibc" };
  const mac = { os: "darwin", cpu: "arm64", libc: null };
  const pinned = { version: "1.0.0", integrity: "" };
  const on = (all: Record<string, object>, platform: typeof mac | typeof linux): string => {
    const packages = Object.fromEntries(
      Object.entries(all).map(([place, fields]) => [at(place), { ...pinned, ...fields }]),
    );
    const root = "node_modules/main";
    const expected = expectedPaths(root, { packages, platform });
    return Object.keys(all)
      .filter((place) => expected.has(at(place)))
      .join();
  };
  const byPlatform = {
    main: needs("listed", "excluded", "arm", "musl", "gnu"),
    listed: { os: ["linux", "win32"], ...needs("below") },
    below: {},
    excluded: { os: ["!linux"] },
    arm: { cpu: ["arm64"] },
    musl: { os: ["linux"], libc: ["musl"] },
    gnu: { libc: ["glibc"] },
  };
  assert.equal(on(byPlatform, linux), "main,listed,below,gnu");
  assert.equal(on(byPlatform, mac), "main,excluded,arm");
  // Two versions of a package, one of them for a single dependent.
  const nested = {
    main: needs("one", "two"),
    one: needs("old"),
    "one/old": needs("leaf"),
    old: needs("one"),
    two: needs("unknown"),
    leaf: {},
  };
  assert.equal(on(nested, linux), "main,one,one/old,two,leaf");
  assert.equal(thisPlatform().os, process.platform);
});

function pinnedMain({ packages }: Place): PinnedPackages[string] {
  const pinned = packages["node_modules/some-agent"];
  assert.ok(pinned !== undefined);
  return pinned;
}
