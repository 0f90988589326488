// The SDK's packages read these variables when they are loaded, and throw if one is empty. Holdfast treats an empty
// variable as not set, so it deletes empty variables before the packages are loaded.

for (const name of ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"]) {
  if (process.env[name]?.trim() === "") delete process.env[name];
}
