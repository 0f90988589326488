// Runs before the first paint, so that a dark page does not flash white.
try {
  const { theme, locale } = JSON.parse(localStorage.getItem("holdfast.settings") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (locale === "zh") document.documentElement.lang = "zh-CN";
} catch {
  // Without storage, the system theme applies.
}
