// Runs before anything is painted, so that a page in the dark does not begin with a flash of light.
try {
  const { theme, locale } = JSON.parse(localStorage.getItem("holdfast.settings") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (locale === "zh") document.documentElement.lang = "zh-CN";
} catch {
  // Without storage the system decides.
}
