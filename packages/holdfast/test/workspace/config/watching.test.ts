import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { waitFor } from "../../support/wait-for.ts";
import { watchConfig } from "../../../src/workspace/config/watch.ts";
import type { ConfigWatch, WatchOptions } from "../../../src/workspace/config/watch.ts";
import { systemClock } from "../../../src/base/time.ts";
import type { Clock } from "../../../src/base/time.ts";
import { createHandClock, settled } from "../../support/hand-clock.ts";
import { openScene } from "./scene.ts";
import type { Scene } from "./scene.ts";

/** Longer ago than any file of a test. */
const future = Date.UTC(2100, 0, 1);

interface Watching {
  readonly scene: Scene;
  readonly watch: ConfigWatch;
  readonly file: string;
  /** Resolves with the next change. */
  readonly next: () => Promise<void>;
  readonly changes: () => number;
}

async function watching(t: TestContext, options: Partial<WatchOptions> = {}): Promise<Watching> {
  const scene = openScene(t);
  const waiting: (() => void)[] = [];
  let changes = 0;
  const watch = watchConfig({
    clock: systemClock,
    debounce: 5,
    lookEvery: 600_000,
    onChange: () => {
      changes += 1;
      for (const wake of waiting.splice(0)) wake();
    },
    ...options,
  });
  t.after(() => watch.close());
  return {
    scene,
    watch,
    file: join(scene.directory, "holdfast.jsonc"),
    next: () => new Promise((resolve) => waiting.push(resolve)),
    changes: () => changes,
  };
}

/** Does it, and waits until it is told. */
async function told({ next }: Watching, act: () => void): Promise<void> {
  const change = next();
  act();
  await change;
}

test("a file that is written, made, replaced by a rename, removed and made again is a change", async (t) => {
  const scene = await watching(t);
  const { file } = scene;
  await scene.watch.update([file], future);
  await told(scene, () => writeFileSync(file, "{}"));
  await told(scene, () => appendFileSync(file, "\n"));
  for (let round = 0; round < 2; round += 1) {
    await told(scene, () => {
      writeFileSync(`${file}.new`, "{ }");
      renameSync(`${file}.new`, file);
    });
  }
  await told(scene, () => unlinkSync(file));
  await told(scene, () => writeFileSync(file, "{}"));
  await told(scene, () => renameSync(file, `${file}.old`));
  await told(scene, () => renameSync(`${file}.old`, file));
});

// Once a change is told, the folder that has come with it is watched.
test("folders that do not exist yet, that go, and that come again are watched", async (t) => {
  const scene = await watching(t);
  const folder = join(scene.scene.directory, ".holdfast/agents");
  await scene.watch.update([folder], future);
  for (let round = 0; round < 2; round += 1) {
    await told(scene, () => mkdirSync(folder, { recursive: true }));
    await told(scene, () => writeFileSync(join(folder, "a.md"), "a"));
    await told(scene, () => appendFileSync(join(folder, "a.md"), "b"));
    await told(scene, () => unlinkSync(join(folder, "a.md")));
    await told(scene, () => rmSync(join(folder, ".."), { recursive: true }));
  }
});

test("a folder that is removed and made again at once is another, also under the same number", async (t) => {
  const scene = await watching(t);
  const folder = join(scene.scene.directory, ".holdfast/agents");
  mkdirSync(folder, { recursive: true });
  await scene.watch.update([folder], future);
  for (let round = 0; round < 5; round += 1) {
    await told(scene, () => {
      rmSync(join(folder, ".."), { recursive: true });
      mkdirSync(folder, { recursive: true });
    });
    await told(scene, () => writeFileSync(join(folder, "a.md"), "a"));
  }
});

test("the whole project can be replaced by another", async (t) => {
  const scene = await watching(t);
  const { file } = scene;
  const { directory } = scene.scene;
  await scene.watch.update([file], future);
  await told(scene, () => renameSync(directory, `${directory}.old`));
  await told(scene, () => mkdirSync(directory));
  await told(scene, () => writeFileSync(file, "{}"));
  scene.scene.write("next/holdfast.jsonc", "{}");
  await told(scene, () => {
    renameSync(directory, `${directory}.older`);
    renameSync(join(scene.scene.root, "next"), directory);
  });
  await told(scene, () => appendFileSync(file, "\n"));
});

test("what a link leads to is watched where it is, and so is the link", async (t) => {
  const scene = await watching(t);
  const { file } = scene;
  const [one, two] = ["one", "two"].map((name) => join(scene.scene.root, name, "config"));
  assert.ok(one !== undefined && two !== undefined);
  scene.scene.write("one/config", "{}");
  scene.scene.write("two/config", "{}");
  symlinkSync(one, file);
  await scene.watch.update([file, one], future);
  await told(scene, () => appendFileSync(one, "\n"));
  await told(scene, () => {
    unlinkSync(file);
    symlinkSync(two, file);
  });
  await scene.watch.update([file, two], future);
  await told(scene, () => appendFileSync(two, "\n"));
});

test("other files of the project are no change", async (t) => {
  const scene = await watching(t);
  const { file } = scene;
  await scene.watch.update([file], future);
  scene.scene.write("project/src/main.ts", "x");
  scene.scene.write("project/holdfast.jsonc.swp", "x");
  // They were told before this one, if they were.
  await told(scene, () => writeFileSync(file, "{}"));
  await settled();
  assert.equal(scene.changes(), 1);
});

test("many edits at once are one change, at latest after two seconds", async (t) => {
  const hand = createHandClock();
  let planned = 0;
  const clock: Clock = {
    ...hand,
    after: (...call) => {
      planned += 1;
      return hand.after(...call);
    },
  };
  const scene = await watching(t, { clock, debounce: 150 });
  const { file, changes } = scene;
  await scene.watch.update([file], future);
  /** A rename is told once, and what is told plans a call. */
  const edit = async (): Promise<void> => {
    scene.scene.write("drafts/next", "{}");
    const before = planned;
    renameSync(join(scene.scene.root, "drafts/next"), file);
    await waitFor(() => planned, { describe: "a planned call", until: (now) => now > before });
  };
  for (let round = 0; round < 5; round += 1) {
    await edit();
    await hand.move(100);
  }
  assert.equal(changes(), 0);
  const first = scene.next();
  await hand.move(50);
  await first;
  await hand.move(1_000);

  const second = scene.next();
  for (let passed = 0; passed < 2_000; passed += 100) {
    assert.equal(changes(), 1);
    await edit();
    await hand.move(100);
  }
  await second;
  assert.equal(changes(), 2);
});

test("a change that was made while the files were read is not missed", async (t) => {
  const scene = await watching(t);
  const { file } = scene;
  const since = Date.now();
  writeFileSync(file, "{}");
  const change = scene.next();
  await scene.watch.update([file], since);
  assert.equal(await scene.watch.hasChanged(), true);
  await change;
});

test("without being told, changes are found by looking", async (t) => {
  const clock = createHandClock();
  const scene = await watching(t, { clock, lookEvery: 5_000 });
  const { file, changes } = scene;
  // The watched folder is not the one in which it happens: nobody tells.
  scene.scene.write("elsewhere/config", "{}");
  const real = join(scene.scene.root, "elsewhere/config");
  symlinkSync(real, file);
  await scene.watch.update([file], future);
  appendFileSync(real, "\n");
  const change = scene.next();
  const look = (): number => {
    void clock.move(5_000);
    return changes();
  };
  await waitFor(look, { describe: "a change" });
  await change;
});

test("where nothing can be watched, files are looked at more often", async (t) => {
  const clock = createHandClock();
  const scene = await watching(t, {
    clock,
    watchFolder: () => {
      throw new Error("too many are watched");
    },
  });
  await scene.watch.update([scene.file], future);
  writeFileSync(scene.file, "{}");
  const change = scene.next();
  // One look, and the quiet after it.
  await clock.move(2_000);
  await waitFor(() => clock.pending(), { describe: "two timers", until: (count) => count > 1 });
  await clock.move(5);
  await change;
});

test("a folder whose watching fails later is watched again with the next look", async (t) => {
  const clock = createHandClock();
  const failures: (() => void)[] = [];
  let watched = 0;
  const scene = await watching(t, {
    clock,
    watchFolder: (_folder, _onChange, onError) => {
      watched += 1;
      failures.push(onError);
      return { close: () => {} };
    },
  });
  await scene.watch.update([scene.file], future);
  const before = watched;
  failures[0]?.();
  writeFileSync(scene.file, "{}");
  const look = (): number => {
    void clock.move(600_000);
    return watched;
  };
  await waitFor(look, { describe: "a new watch", until: (count) => count > before });
  assert.equal(watched, before + 1);
});

test("M7: whether a file has changed since it was read is known at once, before it is told", async (t) => {
  const acts: ((file: string, folder: string) => void)[] = [
    (file) => writeFileSync(file, "[]"),
    (file) => unlinkSync(file),
    (_, folder) => writeFileSync(join(folder, "b.md"), "b"),
    (_, folder) => rmSync(folder, { recursive: true }),
  ];
  for (const act of acts) {
    const scene = await watching(t, { clock: createHandClock() });
    const folder = join(scene.scene.directory, ".holdfast/agents");
    scene.scene.write("project/holdfast.jsonc", "{}");
    scene.scene.write("project/.holdfast/agents/a.md", "a");
    await scene.watch.update([scene.file, folder], future);
    assert.equal(await scene.watch.hasChanged(), false);
    act(scene.file, folder);
    assert.equal(await scene.watch.hasChanged(), true);
  }
});

test("nothing is told after the end, and nothing keeps the process", async (t) => {
  const clock = createHandClock();
  const scene = await watching(t, { clock });
  await scene.watch.update([scene.file], 0);
  scene.watch.close();
  writeFileSync(scene.file, "{}");
  await clock.move(60_000);
  assert.equal(scene.changes(), 0);
  assert.equal(clock.pending(), 0);
});
