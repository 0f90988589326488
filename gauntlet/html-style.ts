/** Styles of the page, for light and dark themes, print and phones. */
export const style = `
:root {
  --ink: #1c1e21; --soft: #595f69; --line: #d9dce1; --paper: #fff; --shade: #f5f6f8;
  --passed: #116b34; --failed: #b3151f; --failed-shade: #fdeeee; --passed-shade: #eef8f1; --link: #0b57b0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e6ea; --soft: #a4abb6; --line: #343a43; --paper: #14171b; --shade: #1d2127;
    --passed: #5cd68a; --failed: #ff8b8b; --failed-shade: #33191c; --passed-shade: #14281c; --link: #8ab8ff;
  }
}
* { box-sizing: border-box; }
body {
  font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 2.5rem auto; max-width: 74rem; padding: 0 1.25rem;
}
h1 { font-size: 2rem; margin: 0 0 0.25rem; letter-spacing: -0.02em; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 0.75rem; }
h3 { font-size: 1.05rem; margin: 0; scroll-margin-top: 1rem; }
header p, section > p { margin: 0 0 0.5rem; max-width: 46rem; color: var(--soft); }
header .about { font-size: 0.9rem; }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.passed { color: var(--passed); } .failed { color: var(--failed); } .notOffered { color: var(--soft); }
.failed a { color: inherit; }
.sums { list-style: none; margin: 0 0 1.25rem; padding: 0; display: grid; gap: 0.4rem; }
.sums li { display: grid; grid-template-columns: 14rem minmax(6rem, 1fr) 19rem; gap: 1rem; align-items: center; }
.bar { display: flex; height: 0.6rem; border-radius: 0.3rem; overflow: hidden; background: var(--line); }
.bar .passed { background: var(--passed); } .bar .failed { background: var(--failed); }
.bar .notOffered { background: var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.7rem; border-bottom: 1px solid var(--line); }
thead th { font-size: 0.85rem; color: var(--soft); vertical-align: bottom; }
.matrix td { white-space: nowrap; font-weight: 600; }
.matrix td.failed { background: var(--failed-shade); } .matrix td.passed { background: var(--passed-shade); }
.matrix td.notOffered { font-weight: 400; }
.matrix tbody th { font-weight: 600; min-width: 15rem; }
.matrix tbody th a { color: inherit; text-decoration: none; } .matrix tbody th a:hover { text-decoration: underline; }
small { display: block; font-weight: 400; color: var(--soft); font-size: 0.85rem; }
section { border-top: 1px solid var(--line); padding: 1rem 0; }
.story { margin: 0.25rem 0 0.25rem 1.05rem; color: inherit; }
summary { cursor: pointer; padding: 0.15rem 0; }
.why { color: var(--soft); overflow-wrap: anywhere; } .time { color: var(--soft); font-size: 0.85rem; }
.timeline { font-size: 13px; margin: 0.4rem 0 1rem; min-width: 44rem; table-layout: fixed; background: var(--shade); }
.timeline th:first-child { width: 5rem; } .timeline td { padding: 0.15rem 0.7rem; overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; color: var(--soft); }
pre { background: var(--shade); padding: 0.75rem 1rem; overflow-x: auto; border-radius: 0.4rem; }
@media (max-width: 48rem) {
  body { margin: 1.25rem auto; padding: 0 0.9rem; }
  .sums li { grid-template-columns: 1fr; gap: 0.2rem; margin-bottom: 0.5rem; }
  .matrix tbody th { min-width: 11rem; } .matrix small { display: none; }
}
@media print { .wide { overflow: visible; } }
`;
