// Shares of version 1, from 2 to 262144, and weights of version 2, from 1 to 10000.

const MAX_SHARES = 262_144;

export function weightOf(shares: number): number {
  return shares >= MAX_SHARES ? 10_000 : 1 + Math.trunc(((Math.max(shares, 2) - 2) * 9999) / 262_142);
}

export function sharesOf(weight: number): number {
  return Math.trunc(((weight - 1) * 262_142) / 9999) + 2;
}
