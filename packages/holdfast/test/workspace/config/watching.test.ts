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
import { openConfigFixture } from "./config-fixture.ts";
import type { ConfigFixture } from "./config-fixture.ts";

/** Longer ago than any file of a test. */
const future = Date.UTC(2100, 0, 1);

interface Watching {
  readonly fixture: ConfigFixture;
  readonly watch: ConfigWatch;
  readonly file: string;
  /** Resolves with the next change. */
  readonly next: () => Promise<void>;
  readonly changes: () => number;
}

async function watching(t: TestContext, options: Partial<WatchOptions> = {}): Promise<Watching> {
  const fixture = openConfigFixture(t);
  const waiting: (() => void)[] = [];
  let changes = 0;
  const watch = watchConfig({
    clock: systemClock,
    debounce: 5,
    pollInterval: 600_000,
    onChange: () => {
      changes += 1;
      for (const wake of waiting.splice(0)) wake();
    },
    ...options,
  });
  t.after(() => watch.close());
  return {
    fixture,
    watch,
    file: join(fixture.directory, "holdfast.jsonc"),
    next: () => new Promise((resolve) => waiting.push(resolve)),
    changes: () => changes,
  };
}

/** Makes a change, and waits until it is reported. */
async function told({ next }: Watching, act: () => void): Promise<void> {
  const change = next();
  act();
  await change;
}

test("writing, creating, renaming, removing and creating a file again are changes", async (t) => {
  const fixture = await watching(t);
  const { file } = fixture;
  await fixture.watch.update([file], future);
  await told(fixture, () => writeFileSync(file, "{}"));
  await told(fixture, () => appendFileSync(file, "\n"));
  for (let round = 0; round < 2; round += 1) {
    await told(fixture, () => {
      writeFileSync(`${file}.new`, "{ }");
      renameSync(`${file}.new`, file);
    });
  }
  await told(fixture, () => unlinkSync(file));
  await told(fixture, () => writeFileSync(file, "{}"));
  await told(fixture, () => renameSync(file, `${file}.old`));
  await told(fixture, () => renameSync(`${file}.old`, file));
});

// When the change is reported, the new folder is already watched.
test("missing folders, removed folders and folders that appear again are watched", async (t) => {
  const fixture = await watching(t);
  const folder = join(fixture.fixture.directory, ".holdfast/agents");
  await fixture.watch.update([folder], future);
  for (let round = 0; round < 2; round += 1) {
    await told(fixture, () => mkdirSync(folder, { recursive: true }));
    await told(fixture, () => writeFileSync(join(folder, "a.md"), "a"));
    await told(fixture, () => appendFileSync(join(folder, "a.md"), "b"));
    await told(fixture, () => unlinkSync(join(folder, "a.md")));
    await told(fixture, () => rmSync(join(folder, ".."), { recursive: true }));
  }
});

test("a folder that is removed and created again at once is detected, even with the same inode", async (t) => {
  const fixture = await watching(t);
  const folder = join(fixture.fixture.directory, ".holdfast/agents");
  mkdirSync(folder, { recursive: true });
  await fixture.watch.update([folder], future);
  for (let round = 0; round < 5; round += 1) {
    await told(fixture, () => {
      rmSync(join(folder, ".."), { recursive: true });
      mkdirSync(folder, { recursive: true });
    });
    await told(fixture, () => writeFileSync(join(folder, "a.md"), "a"));
  }
});

test("replacing the whole project is detected", async (t) => {
  const fixture = await watching(t);
  const { file } = fixture;
  const { directory } = fixture.fixture;
  await fixture.watch.update([file], future);
  await told(fixture, () => renameSync(directory, `${directory}.old`));
  await told(fixture, () => mkdirSync(directory));
  await told(fixture, () => writeFileSync(file, "{}"));
  fixture.fixture.write("next/holdfast.jsonc", "{}");
  await told(fixture, () => {
    renameSync(directory, `${directory}.older`);
    renameSync(join(fixture.fixture.root, "next"), directory);
  });
  await told(fixture, () => appendFileSync(file, "\n"));
});

test("the target of a link and the link itself are watched", async (t) => {
  const fixture = await watching(t);
  const { file } = fixture;
  const [one, two] = ["one", "two"].map((name) => join(fixture.fixture.root, name, "config"));
  assert.ok(one !== undefined && two !== undefined);
  fixture.fixture.write("one/config", "{}");
  fixture.fixture.write("two/config", "{}");
  symlinkSync(one, file);
  await fixture.watch.update([file, one], future);
  await told(fixture, () => appendFileSync(one, "\n"));
  await told(fixture, () => {
    unlinkSync(file);
    symlinkSync(two, file);
  });
  await fixture.watch.update([file, two], future);
  await told(fixture, () => appendFileSync(two, "\n"));
});

test("other files of the project cause no change", async (t) => {
  const fixture = await watching(t);
  const { file } = fixture;
  await fixture.watch.update([file], future);
  fixture.fixture.write("project/src/main.ts", "x");
  fixture.fixture.write("project/holdfast.jsonc.swp", "x");
  // Any report about these files would come before this one.
  await told(fixture, () => writeFileSync(file, "{}"));
  await settled();
  assert.equal(fixture.changes(), 1);
});

test("many edits at once are one change, after two seconds at the latest", async (t) => {
  const hand = createHandClock();
  let planned = 0;
  const clock: Clock = {
    ...hand,
    after: (...call) => {
      planned += 1;
      return hand.after(...call);
    },
  };
  const fixture = await watching(t, { clock, debounce: 150 });
  const { file, changes } = fixture;
  await fixture.watch.update([file], future);
  /** Renames a file into place, which causes one event, and waits until a call is planned for it. */
  const edit = async (): Promise<void> => {
    fixture.fixture.write("drafts/next", "{}");
    const before = planned;
    renameSync(join(fixture.fixture.root, "drafts/next"), file);
    await waitFor(() => planned, { describe: "a planned call", until: (now) => now > before });
  };
  for (let round = 0; round < 5; round += 1) {
    await edit();
    await hand.move(100);
  }
  assert.equal(changes(), 0);
  const first = fixture.next();
  await hand.move(50);
  await first;
  await hand.move(1_000);

  const second = fixture.next();
  for (let passed = 0; passed < 2_000; passed += 100) {
    assert.equal(changes(), 1);
    await edit();
    await hand.move(100);
  }
  await second;
  assert.equal(changes(), 2);
});

test("a change made while the files were read is not missed", async (t) => {
  const fixture = await watching(t);
  const { file } = fixture;
  const since = Date.now();
  writeFileSync(file, "{}");
  const change = fixture.next();
  await fixture.watch.update([file], since);
  assert.equal(await fixture.watch.hasChanged(), true);
  await change;
});

test("without events, changes are found by polling", async (t) => {
  const clock = createHandClock();
  const fixture = await watching(t, { clock, pollInterval: 5_000 });
  const { file, changes } = fixture;
  // The file changes in a folder that is not watched, so no event arrives.
  fixture.fixture.write("elsewhere/config", "{}");
  const real = join(fixture.fixture.root, "elsewhere/config");
  symlinkSync(real, file);
  await fixture.watch.update([file], future);
  appendFileSync(real, "\n");
  const change = fixture.next();
  const look = (): number => {
    void clock.move(5_000);
    return changes();
  };
  await waitFor(look, { describe: "a change" });
  await change;
});

test("if nothing can be watched, files are polled more often", async (t) => {
  const clock = createHandClock();
  const fixture = await watching(t, {
    clock,
    watchFolder: () => {
      throw new Error("too many are watched");
    },
  });
  await fixture.watch.update([fixture.file], future);
  writeFileSync(fixture.file, "{}");
  const change = fixture.next();
  // The time of one poll and of the quiet period after it.
  await clock.move(2_000);
  await waitFor(() => clock.pending(), { describe: "two timers", until: (count) => count > 1 });
  await clock.move(5);
  await change;
});

test("a folder whose watcher fails later is watched again at the next poll", async (t) => {
  const clock = createHandClock();
  const failures: (() => void)[] = [];
  let watched = 0;
  const fixture = await watching(t, {
    clock,
    watchFolder: (_folder, _onChange, onError) => {
      watched += 1;
      failures.push(onError);
      return { close: () => {} };
    },
  });
  await fixture.watch.update([fixture.file], future);
  const before = watched;
  failures[0]?.();
  writeFileSync(fixture.file, "{}");
  const look = (): number => {
    void clock.move(600_000);
    return watched;
  };
  await waitFor(look, { describe: "a new watch", until: (count) => count > before });
  assert.equal(watched, before + 1);
});

test("M7: a change since the last read is detected at once, before any event", async (t) => {
  const acts: ((file: string, folder: string) => void)[] = [
    (file) => writeFileSync(file, "[]"),
    (file) => unlinkSync(file),
    (_, folder) => writeFileSync(join(folder, "b.md"), "b"),
    (_, folder) => rmSync(folder, { recursive: true }),
  ];
  for (const act of acts) {
    const fixture = await watching(t, { clock: createHandClock() });
    const folder = join(fixture.fixture.directory, ".holdfast/agents");
    fixture.fixture.write("project/holdfast.jsonc", "{}");
    fixture.fixture.write("project/.holdfast/agents/a.md", "a");
    await fixture.watch.update([fixture.file, folder], future);
    assert.equal(await fixture.watch.hasChanged(), false);
    act(fixture.file, folder);
    assert.equal(await fixture.watch.hasChanged(), true);
  }
});

test("after the close no change is reported, and nothing keeps the process alive", async (t) => {
  const clock = createHandClock();
  const fixture = await watching(t, { clock });
  await fixture.watch.update([fixture.file], 0);
  fixture.watch.close();
  writeFileSync(fixture.file, "{}");
  await clock.move(60_000);
  assert.equal(fixture.changes(), 0);
  assert.equal(clock.pending(), 0);
});
