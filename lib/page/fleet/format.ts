/** `00:01:12`; with more digits for the hours of a long simulation. */
export function formatClock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60), whole % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** `$0.0797`; `$12.40` from one dollar. */
export function formatDollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 1 ? 4 : 2)}`;
}

/** `45 s`, `12 min`, `3 h 5 min`. */
export function formatAge(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `4 of 7.9 cpu`. *Units:* millicores. */
export function formatCpu(requested: number, allocatable: number): string {
  return `${short(requested / 1_000)} of ${short(allocatable / 1_000)} cpu`;
}

/** *Units:* MiB. */
export function formatMemory(requested: number, allocatable: number): string {
  return `${short(requested / 1_024)} of ${short(allocatable / 1_024)} GiB`;
}

function short(value: number): string {
  return String(Number(value.toFixed(value < 10 ? 1 : 0)));
}

export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
