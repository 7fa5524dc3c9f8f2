import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { Difference } from './compare.ts';

/** A place in the answer to a step where we differ, on purpose or not yet the same. */
export interface KnownDifference {
  /** `topic/name` of the case. */
  readonly case: string;
  /** 1 for the first step. */
  readonly step: number;
  /** What lies at this place or below it may differ; `answer` is all of it. */
  readonly place: string;
  readonly reason: string;
}

interface Entry {
  readonly reason: string;
  /** `topic/name STEP PLACE`, with several places after commas. */
  readonly where: readonly string[];
}

/** Reads known-differences.yaml. */
export function loadKnownDifferences(path = join(import.meta.dirname, 'known-differences.yaml')): KnownDifference[] {
  return (load(readFileSync(path, 'utf8')) as Entry[]).flatMap(({ reason, where }) =>
    where.flatMap((text) => {
      const parts = /^(\S+\/\S+) (\d+) (\S.*)$/.exec(text);
      if (parts === null) throw new Error(`Cannot read known difference "${text}": it is not CASE STEP PLACE`);
      const [, id = '', step = '', places = ''] = parts;
      return places.split(', ').map((place) => ({ case: id, step: Number(step), place, reason }));
    }),
  );
}

/** What we answer where a difference is known: by `CASE STEP`, then by place; null where we have nothing. */
export type OurAnswers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const OUR_ANSWERS = join(import.meta.dirname, 'our-answers.json');

/** Reads our-answers.json, which `npm run differential:pin` writes. */
export function loadOurAnswers(): OurAnswers {
  return JSON.parse(readFileSync(OUR_ANSWERS, 'utf8')) as OurAnswers;
}

export function writeOurAnswers(answers: OurAnswers): void {
  const sorted = Object.fromEntries(Object.entries(answers).sort(([left], [right]) => (left < right ? -1 : 1)));
  writeFileSync(OUR_ANSWERS, `${JSON.stringify(sorted, undefined, 2)}\n`);
}

/** The differences of a step in the form of our-answers.json, with whatever Node.js runs this. */
export function pinned(differences: readonly Difference[]): Record<string, unknown> {
  return Object.fromEntries(differences.map(({ place, got }) => [place, withoutVersion(got ?? null)]));
}

function withoutVersion(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(process.version, 'VERSION') : value;
}

/** What a comparison of one step means once the known differences are taken into account. */
export interface Verdict {
  readonly unexpected: readonly Difference[];
  readonly known: readonly { readonly difference: Difference; readonly reason: string }[];
  /** Listed, but the answers are the same there: the list is to be shortened. */
  readonly outdated: readonly KnownDifference[];
}

/**
 * Sorts the differences of a step into known and unexpected ones. `listed` are those of this step. That the server fails
 * is never a known difference.
 */
export function judge(differences: readonly Difference[], listed: readonly KnownDifference[]): Verdict {
  const reasonFor = (difference: Difference): string | undefined =>
    isFailure(difference) ? undefined : listed.find((entry) => isWithin(difference.place, entry.place))?.reason;
  const known = differences.flatMap((difference) => {
    const reason = reasonFor(difference);
    return reason === undefined ? [] : [{ difference, reason }];
  });
  return {
    unexpected: differences.filter((difference) => reasonFor(difference) === undefined),
    known,
    outdated: listed.filter((entry) => !differences.some(({ place }) => isWithin(place, entry.place))),
  };
}

function isFailure({ place, got }: Difference): boolean {
  return place === 'status' && Number(got) >= 500;
}

function isWithin(place: string, outer: string): boolean {
  if (outer === 'answer') return true;
  return place === outer || (place.startsWith(outer) && ['.', '[', ' '].includes(place[outer.length] ?? ''));
}
