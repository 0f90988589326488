/** The look of the pages that this server makes itself: light or dark, as the reader's system is. */
export const docsStyle = `
:root { color-scheme: light dark;
  --back: light-dark(#ffffff, #14171c); --soft: light-dark(#f5f6f8, #1b1f26); --line: light-dark(#e2e5ea, #2c323c);
  --text: light-dark(#1d2129, #e4e7ec); --muted: light-dark(#667085, #98a2b3); --accent: light-dark(#0b63ce, #79b4ff);
  --get: light-dark(#0b7a4b, #4ad295); --post: light-dark(#0b63ce, #79b4ff); --patch: light-dark(#9a5b00, #f0b35a); --delete: light-dark(#b42318, #ff9288); }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); background: var(--back); color: var(--text);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", sans-serif; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
code { background: var(--soft); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem 1.5rem; border-right: 1px solid var(--line); background: var(--soft); font-size: .875rem; }
nav .brand { font-size: 1.25rem; font-weight: 700; color: var(--text); }
nav .version { margin: 0 0 1rem; color: var(--muted); }
nav h4 { margin: 1.1rem 0 .25rem; text-transform: uppercase; letter-spacing: .05em; font-size: .75rem; } nav h4 a { color: var(--muted); }
nav ul { list-style: none; margin: 0; padding: 0; } nav li a { display: block; padding: .12rem 0; color: var(--text); }
nav .method { width: 3.4rem; font-size: .625rem; margin-right: .4rem; padding: 0; }
main { padding: 2rem clamp(1rem, 4vw, 4rem) 6rem; max-width: 64rem; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; } h2 { margin: 3.5rem 0 .25rem; font-size: 1.5rem; }
h3 { margin: 0 0 .25rem; font-size: 1.125rem; } h3 a { color: inherit; }
h5 { margin: 1.1rem 0 .25rem; font-size: .75rem; text-transform: uppercase; letter-spacing: .05em; color: var(--muted); }
.lead { color: var(--muted); margin-top: .25rem; } .muted { color: var(--muted); }
article { margin: 1.75rem 0; padding-top: 1.75rem; border-top: 1px solid var(--line); }
article:target h3 { color: var(--accent); }
.address { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem; margin: .25rem 0 .75rem; }
.address em { color: var(--accent); font-style: normal; }
.method { display: inline-block; font: 700 .75rem/1.6 ui-monospace, Menlo, Consolas, monospace; }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.patch { color: var(--patch); } .method.delete { color: var(--delete); }
.role { margin-left: auto; font-size: .75rem; color: var(--muted); border: 1px solid var(--line); border-radius: 99px; padding: 0 .6rem; }
.type { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .8125em; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; display: block; overflow-x: auto; }
td { padding: .4rem .9rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td code { white-space: nowrap; overflow-wrap: normal; } td:last-child code { white-space: normal; }
td:last-child { width: 100%; min-width: 14rem; padding-right: 0; } td:nth-last-child(2):not(:first-child) { min-width: 9rem; } tr:last-child > td { border-bottom: 0; }
tr.error td { padding-block: .1rem; border: 0; } tr.error code { background: none; padding: 0; color: var(--muted); }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; overflow-x: auto; line-height: 1.5; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
details { border: 1px solid var(--line); border-radius: 8px; padding: .4rem .8rem; margin: .4rem 0; } summary { cursor: pointer; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); } }
@media print { nav { display: none; } body { display: block; } }
`;
