/** Formats a time in the time zone of this machine, to the second. */
export function timeText(at: number): string {
  const time = new Date(at);
  const [day, clock] = [
    [time.getFullYear(), time.getMonth() + 1, time.getDate()],
    [time.getHours(), time.getMinutes(), time.getSeconds()],
  ];
  return `${day.map(twoDigits).join("-")} ${clock.map(twoDigits).join(":")}`;
}

/** Formats a time in the time zone of this machine, to the minute. */
export function minuteText(at: number): string {
  return timeText(at).slice(0, -3);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
