import assert from "node:assert/strict";
import { test } from "node:test";
import { editorLink, editors, isThisMachine } from "../src/model/editor-link.ts";

const directory = "/srv/a b";

function link(path: string, editor: (typeof editors)[number] = "vscode"): string | null {
  return editorLink(editor, { path, directory, line: 7 });
}

test("each editor has an address in which the name of a file cannot change the meaning", () => {
  const name = "#1?x=%2e&windowId=_blank/<é>.ts";
  assert.deepEqual(
    editors.map((editor) => link(`${directory}/${name}`, editor)),
    [
      null,
      "vscode://file/srv/a%20b/%231%3Fx%3D%252e%26windowId%3D_blank/%3C%C3%A9%3E.ts:7",
      "cursor://file/srv/a%20b/%231%3Fx%3D%252e%26windowId%3D_blank/%3C%C3%A9%3E.ts:7",
      "zed://file/srv/a%20b/%231%3Fx%3D%252e%26windowId%3D_blank/%3C%C3%A9%3E.ts:7",
      "idea://open?file=%2Fsrv%2Fa%20b%2F%231%3Fx%3D%252e%26windowId%3D_blank%2F%3C%C3%A9%3E.ts&line=7",
    ],
  );
});

test("a file outside the session's directory has no address", () => {
  for (const path of [
    "/srv/a b",
    "/srv/a bc/x.ts",
    "/etc/passwd",
    "/srv/a b/../other/x.ts",
    "/srv/a b/./x.ts",
    "/srv/a b//x.ts",
    "src/x.ts",
    "",
  ]) {
    assert.equal(link(path), null, path);
  }
  for (const unknown of ["", "/"]) {
    assert.equal(editorLink("vscode", { path: "/x.ts", directory: unknown, line: 1 }), null);
  }
});

test("a name that an editor reads as a line number, an option or a project has no address", () => {
  for (const name of ["a\n--wait", "a:9", "a.ts:3:4", "a\\..\\b", "x.code-workspace", "x.IPR"]) {
    assert.equal(link(`${directory}/${name}`), null, name);
  }
  assert.notEqual(link(`${directory}/a:b.ts`), null);
});

test("only loopback addresses are on this machine", () => {
  const names = ["localhost", "127.0.0.1", "[::1]", "x.localhost"];
  const others = ["127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", ""];
  assert.deepEqual([...names, ...others].map(isThisMachine), [
    ...names.map(() => true),
    ...others.map(() => false),
  ]);
});
