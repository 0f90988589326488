import assert from "node:assert/strict";
import { test } from "node:test";
import type * as make from "./support/commands.ts";
import { createWorld, done, verdict, withoutEnvelope } from "./support/world.ts";
import type { Session } from "./support/world.ts";

function rename(session: Session, title: string, auto = false): ReturnType<Session["send"]> {
  return session.send({ type: "session.rename", title, auto });
}

function archive(session: Session, archived: boolean): ReturnType<Session["send"]> {
  return session.send({ type: "session.archive", archived });
}

test("a person can set and change a session's title", () => {
  const world = createWorld();
  assert.equal(world.state().title, null);
  const events = [rename(world, "First"), rename(world, "Second")].flatMap(
    (answer) => done(answer).events,
  );
  assert.deepEqual(events.map(withoutEnvelope), [
    { type: "session.renamed", title: "First", auto: false },
    { type: "session.renamed", title: "Second", auto: false },
  ]);
  assert.equal(world.state().title, "Second");
});

test("a program's title applies only to a session without one, and a person's title replaces it", () => {
  const world = createWorld();
  assert.deepEqual(done(rename(world, "Proposed", true)).events.map(withoutEnvelope), [
    { type: "session.renamed", title: "Proposed", auto: true },
  ]);
  assert.deepEqual(done(rename(world, "Another proposal", true)).events, []);
  done(rename(world, "Chosen"));
  assert.deepEqual(done(rename(world, "Late proposal", true)).events, []);
  assert.equal(world.state().title, "Chosen");
});

test("repeating a title or an archive command writes no event", () => {
  const world = createWorld();
  done(rename(world, "Title"));
  done(archive(world, true));
  const log = world.events();
  done(rename(world, "Title"));
  done(archive(world, true));
  assert.deepEqual(world.events(), log);
});

const badTitles: [what: string, title: string][] = [
  ["nothing", ""],
  ["blanks alone", " \u00A0\u3000 "],
  ["201 characters", "x".repeat(201)],
  ["a line break", "one\ntwo"],
  ["a control character", "a\u001B[31mred"],
  ["a later control character", "a\u0085b"],
  ["U+0000", "a\u0000b"],
  ["a line separator", "a\u2028b"],
  ["a paragraph separator", "a\u2029b"],
  ["half of a pair", "a\uD83D"],
];

for (const [what, title] of badTitles) {
  test(`P5: a title of ${what} is refused, and nothing changes`, () => {
    const world = createWorld();
    const log = world.events();
    for (const auto of [true, false]) {
      const answer = rename(world, title, auto);
      assert(answer.status === "refused");
      assert.deepEqual(
        { ...answer.refusal, message: "" },
        { code: "invalid", field: "title", message: "" },
      );
    }
    assert.deepEqual(world.events(), log);
  });
}

test("P5: titles of 1 and of 200 characters are accepted, and a surrogate pair counts as one", () => {
  const world = createWorld();
  for (const title of ["x", "\u{1F600}".repeat(200), "Größe und 大小"]) {
    done(rename(world, title));
    assert.equal(world.state().title, title);
  }
  // A value that is not a text, which the types forbid, may come from outside.
  assert.equal(verdict(world.send(JSON.parse('{ "type": "session.rename" }'))), "invalid");
});

test("an accepted prompt unarchives its session, a refused one does not", () => {
  const world = createWorld();
  done(archive(world, true));
  assert.equal(verdict(world.accept("p1", { bytes: 2000 })), "tooLarge");
  assert.equal(world.state().archived, true);
  const { events } = done(world.accept("p1"));
  assert.deepEqual(
    events.map((event) => event.type),
    ["prompt.accepted"],
  );
  assert.equal(world.state().archived, false);
  done(archive(world, true));
  // A repeated prompt is not a new one.
  done(world.accept("p1"));
  assert.equal(world.state().archived, true);
  done(world.accept("m1", { reply: false }));
  assert.equal(world.state().archived, false);
});

test("C7 a background result unarchives its parent's session", () => {
  const world = createWorld();
  const child = world.session("child");
  done(world.accept("p1"));
  done(world.start("r1"));
  const created = { contentHash: "created", directory: "/project" };
  done(world.link({ sessionId: "child", promptId: "k1" }, { background: true, create: created }));
  const parent = { sessionId: "main", runId: "r1", background: true };
  done(child.accept("k1", { parent }));
  done(archive(world, true));
  done(child.cancel("x1"));
  assert.deepEqual([world.queue(), world.state().archived], [["result:k1"], false]);
});

test("archiving is only a label: runs and queued prompts continue", () => {
  const world = createWorld();
  done(world.accept("p1"));
  done(world.accept("p2"));
  done(world.start("r1"));
  done(archive(world, true));
  done(world.boundary());
  done(world.answer());
  done(world.end());
  assert.deepEqual([world.ready(), world.state().archived], ["start", true]);
  done(world.start("r2"));
  done(archive(world, false));
  assert.equal(world.state().archived, false);
});

test("M8 the labels of a deleted session stay as they were", () => {
  const world = createWorld();
  done(rename(world, "Title"));
  done(archive(world, true));
  done(world.send({ type: "session.delete" }));
  const log = world.events();
  const answers = [rename(world, "Other"), rename(world, "Other", true), archive(world, false)];
  assert.deepEqual(answers.map(verdict), ["deleted", "deleted", "deleted"]);
  assert.deepEqual(world.events(), log);
  assert.deepEqual([world.state().title, world.state().archived], ["Title", true]);
});

test("a session that starts with a transcript records its origin, and its state contains no text of it", () => {
  const world = createWorld();
  const fork = world.session("fork");
  const origin = { kind: "fork", sessionId: "main", seq: 1, transcript: "hash" } as const;
  const { events } = done(fork.create({ origin }));
  assert.deepEqual(events.map(withoutEnvelope), [
    {
      type: "session.created",
      contentHash: "created",
      directory: "/project",
      parent: null,
      budget: null,
      origin,
    },
  ]);
  assert.deepEqual(fork.state(), { ...world.state(), sessionId: "fork" });
  const imported = world.session("imported");
  done(imported.create({ origin: { kind: "import", transcript: "hash" } }));
  assert.equal(imported.events().length, 1);
});

test("P5: an origin is refused for its session, its seq and its transcript", () => {
  const world = createWorld();
  const origin = { kind: "fork", sessionId: "main", seq: 1, transcript: "hash" } as const;
  const attempts: [field: string, origin: make.Fields<"session.create">["origin"]][] = [
    ["origin.sessionId", { ...origin, sessionId: "a b" }],
    ["origin.seq", { ...origin, seq: 0 }],
    ["origin.seq", { ...origin, seq: 1.5 }],
    ["origin.transcript", { ...origin, transcript: "" }],
    ["origin.transcript", { kind: "import", transcript: "" }],
  ];
  for (const [field, bad] of attempts) {
    const answer = world.session("new").create({ origin: bad ?? null });
    assert(answer.status === "refused" && answer.refusal.code === "invalid");
    assert.equal(answer.refusal.field, field);
  }
  assert.equal(world.store.lanes.has("new"), false);
});

test("C1 an archive or delete with `asOf` is refused if the session has changed in the meantime", () => {
  const world = createWorld();
  const asOf = world.state().seq;
  done(world.accept("p1"));
  const log = world.events();
  const meant = [
    { type: "session.archive", archived: true, asOf },
    { type: "session.delete", asOf },
  ] as const;
  for (const command of meant) {
    const answer = world.send(command);
    assert(answer.status === "refused");
    assert.deepEqual(answer.refusal, {
      code: "staleRevision",
      revision: asOf + 1,
      message: "the session has changed since you read it; read it again",
    });
  }
  assert.deepEqual(world.events(), log);
  for (const command of meant) done(world.send({ ...command, asOf: world.state().seq }));
  assert.deepEqual([world.state().archived, world.state().status], [true, "deleted"]);
  assert.deepEqual(done(world.send({ type: "session.delete", asOf })).events, []);
});
