/** Style of a report. `reportPolicy` contains the hash of this text, and a test checks that the hash is right. */
export const reportStyle = `
:root { color-scheme: light dark; }
body { max-width: 56rem; margin: 2rem auto; padding: 0 1rem; font: 15px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; }
table { width: 100%; margin: 1.5rem 0; border-collapse: collapse; font-size: 13px; }
th, td { padding: 0.3rem 0.6rem; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; white-space: nowrap; }
td:nth-child(2) { width: 100%; white-space: normal; overflow-wrap: anywhere; }
section { margin: 1rem 0; }
.prompt { padding: 0.7rem 1rem; border-left: 3px solid #0c8577; background: #0c857718; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.facts, footer { margin: 0.2rem 0; color: #777; font-size: 12px; }
details { margin: 0.5rem 0; padding: 0.4rem 0.8rem; border: 1px solid #8884; border-radius: 6px; }
summary { cursor: pointer; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: 13px; }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; }
footer { margin: 3rem 0 1rem; }
`;

/** Forbids scripts, requests, forms and frames. */
export const reportPolicy =
  "default-src 'none'; style-src 'sha256-c9/yZfkesgXXk8+/BNo7kTi/dJ0iLRyIRQiabItCMkw='; base-uri 'none'; form-action 'none'";
