// SPDX-License-Identifier: Apache-2.0
/** Figures as people read them. */

const UNITS = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
] as const;

/** `1.24 ms`, of seconds. */
export function timeText(seconds: number): string {
  // What is rounded to 1000 has the next unit.
  const [size, unit] = UNITS.find(([size]) => seconds >= 0.9995 * size) ?? ([1e-6, 'µs'] as const);
  const value = seconds / size;
  return `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${unit}`;
}

/** `0.65×`, `104×`. */
export function ratioText(ratio: number): string {
  return `${ratio >= 100 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2)}×`;
}

/** `1,000`. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** `1k`, `16.4k`, `1M`: for axes. */
export function briefCount(count: number): string {
  if (count >= 1e6) return `${Number((count / 1e6).toPrecision(2))}M`;
  if (count >= 1e4) return `${Math.round(count / 1e3)}k`;
  return count >= 1e3 ? `${Number((count / 1e3).toPrecision(2))}k` : String(count);
}

/** `293 MiB`. */
export function memoryText(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** `41 min 05 s`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}
