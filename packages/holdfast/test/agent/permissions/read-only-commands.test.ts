import assert from "node:assert/strict";
import { test } from "node:test";
import { onlyReads } from "../../../src/agent/permissions/known-command.ts";
import { parseCommandLine } from "../../../src/agent/permissions/shell/parse-command-line.ts";

function reads(text: string): boolean {
  const { commands, unexplained } = parseCommandLine(text);
  assert.equal(unexplained, null, text);
  return commands.every(({ words }) => onlyReads(words));
}

test("commands that only read are recognized, with their usual options", () => {
  for (const text of [
    "ls -la src",
    "cat a b",
    "head -n 20 a | tail -5",
    "grep -rn word src",
    "rg -n --pretty word",
    "find . -name '*.ts' -type f",
    "wc -l src/*.ts",
    "ls *.ts",
    "sort -rn -k2 a",
    "uniq -c",
    "date +%F",
    "sed -n '1,20p' a",
    "sed -n 5p a b",
    "sed 's/a/b/g' a",
    "awk '{ print $1 }' a",
    "awk -F : '{ print $1 }' a",
    "git status -s",
    "git --no-pager log --oneline -5",
    "git diff --stat HEAD~1 -- src",
    "git branch -a",
    "git show HEAD@{1}",
    "[ -f a ]",
  ]) {
    assert.equal(reads(text), true, text);
  }
});

test("an option or an operand that runs a program, writes or changes something is found", () => {
  for (const text of [
    "find . -exec rm '{}' +",
    "find . -execdir touch x ';'",
    "find . -ok rm x ';'",
    "find . -delete",
    "find . -fprint out",
    "find . -fprintf out x",
    "find . -fls out",
    "find -- . -delete",
    "sed -i s/a/b/ a",
    "sed -n -i 1p a",
    "sed --in-place s/a/b/ a",
    "sed 'w out' a",
    "sed we a",
    "sed '1e touch x' a",
    "sed 's/a/b/e' a",
    "sed 's/a/b/w out' a",
    "sed 's/a/b/;w out' a",
    "sed -- 'w out' a",
    "sed -f script a",
    "sed -e 1p -e 'w out' a",
    "awk 'BEGIN { system(\"touch x\") }'",
    "awk '{ print > \"out\" }' a",
    "awk '{ print | \"sh\" }' a",
    "awk '\"cmd\" | getline' a",
    "awk -f script a",
    "awk -F -- -f script a",
    "awk -F : 'BEGIN { system(\"x\") }'",
    "sort -o out a",
    "sort -ro out a",
    "sort a -oout",
    "sort --output=out a",
    "sort --o=out a",
    "sort --compress-program=x a",
    "sort -T /tmp a",
    "uniq a out",
    "xxd a out",
    "xxd -r a",
    "tree -o out",
    "rg --pre=x word",
    "rg -z word",
    "rg --hostname-bin x word",
    "fd -x rm",
    "fd . --exec-batch rm",
    "date -s tomorrow",
    "date --se=tomorrow",
    "date 010100002030",
    "hostname evil",
    "hostname -F file",
    "file -C -m x",
    "diff -l a b",
    "printf -v PATH x",
    "test -v 'a[x]'",
    "[ -v 'a[x]' ]",
    "git diff --output=out",
    "git diff --outp=out",
    "git log --ext-diff",
    "git grep -O word",
    "git grep -nO word",
    "git grep --open-files word",
    "git branch new",
    "git branch -D old",
    "git tag v1",
    "git remote add a b",
    "git reflog expire --all",
    "git -c core.pager=x log",
    "git --exec-path=x log",
    "git -C elsewhere log",
    "git fetch",
    "git commit -m x",
    "git config a b",
    "git",
    // A file name that a wildcard finds may be an option.
    "sort *",
    "find *",
    "uniq a*",
    "sed -n 1p *",
    // The arguments are a program, or reading is only one use of many.
    "env ls",
    "xargs ls",
    "tee a",
    "less a",
    "man -P x ls",
    "tar --to-command=x -tf a",
    "python -c x",
    "./ls",
    "/tmp/ls",
    "toString",
  ]) {
    assert.equal(reads(text), false, text);
  }
});
