import type { MinorVersion } from '../../base/index.ts';

/** The versions of Kubernetes in which a fact holds, both ends included; an end that is missing is open. */
export interface VersionRange {
  readonly since?: MinorVersion;
  readonly until?: MinorVersion;
}

/** A word of a definition line without the versions behind its `@`. */
export interface RangedWord {
  readonly word: string;
  readonly range: VersionRange;
}

const ALWAYS: VersionRange = {};

export function holdsIn({ since, until }: VersionRange, version: MinorVersion): boolean {
  return (since === undefined || since <= version) && (until === undefined || version <= until);
}

/** `1.36` as 36; undefined for anything else. */
export function parseMinor(text: string): MinorVersion | undefined {
  const [, minor] = /^1\.(\d+)$/.exec(text) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

/** Splits `required@1.36`, `required@..1.35` and `required@1.34..1.35`; a word without versions always holds. */
export function parseRanged(text: string): RangedWord {
  if (!text.includes('@')) return { word: text, range: ALWAYS };
  const [, word, since, , until] = /^(.*)@(1\.\d+)?(\.\.(1\.\d+)?)?$/s.exec(text) ?? [];
  const isRange = word !== undefined && (since !== undefined || until !== undefined);
  return isRange ? { word, range: range(parseMinor(since ?? ''), parseMinor(until ?? '')) } : { word: text, range: {} };
}

/**
 * Cuts `whole` where one of `parts` begins or ends, so that each part holds throughout a piece or nowhere in it.
 *
 * Example: `{}` with the part `since 36` becomes `until 35` and `since 36`.
 */
export function pieces(whole: VersionRange, parts: readonly VersionRange[]): readonly VersionRange[] {
  const starts = parts.flatMap(({ since, until }) => [
    ...(since === undefined ? [] : [since]),
    ...(until === undefined ? [] : [until + 1]),
  ]);
  const inside = [...new Set(starts)]
    .filter((start) => (whole.since ?? -1) < start && start <= (whole.until ?? Infinity))
    .sort((left, right) => left - right);
  return [whole.since, ...inside].map((since, index) => {
    const next = inside[index];
    return range(since, next === undefined ? whole.until : next - 1);
  });
}

/** Whether `part` holds in all of a piece that `pieces` made with it. */
export function covers(part: VersionRange, piece: VersionRange): boolean {
  return (part.since ?? 0) <= (piece.since ?? 0) && (piece.until ?? Infinity) <= (part.until ?? Infinity);
}

export function range(since: MinorVersion | undefined, until: MinorVersion | undefined): VersionRange {
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
}
