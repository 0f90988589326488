/** Formats a duration for people: 4 s, 3 min 20 s, 2 h 5 min. */
export function seconds(milliseconds: number): string {
  const total = Math.max(0, Math.round(milliseconds / 1_000));
  if (total < 60) return `${total} s`;
  const minutes = Math.floor(total / 60);
  if (minutes < 60) return `${minutes} min ${total % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Describes how long ago a moment was, in one unit. */
export function ago(milliseconds: number): string {
  const minutes = Math.floor(Math.max(0, milliseconds) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 1_440) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / 1_440)} d`;
}
