const text = `Holdfast is a runtime for coding-agent sessions that never loses a prompt.

There is no server to start yet. What this repository can do today:

  npm test         run the tests (npm test -- <part of a path> runs some of them)
  npm run check    the gate: format, lint, types, tests

README.md says more.`;

console.log(text);
