import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Difference } from './difference.ts';
import { type KnownDifference, reasonOf } from './known-differences.ts';

const path = join(import.meta.dirname, '../../docs/reference/validation.md');

/** How many cases of a kind were played, and how many were answered equally. */
export interface KindResult {
  readonly kind: string;
  readonly creates: Count;
  readonly updates: Count;
}

/** The same for the cases that a seed makes, and how many answers have another status code. */
export interface SeedResult {
  readonly seed: string;
  readonly creates: Count;
  readonly updates: Count;
  readonly codes: number;
}

export interface Count {
  readonly cases: number;
  readonly equal: number;
}

export interface Result {
  readonly kinds: readonly KindResult[];
  readonly differences: readonly Difference[];
  readonly known: readonly KnownDifference[];
  readonly seeds: readonly SeedResult[];
  /** Requests that kube-apiserver did not answer. */
  readonly unanswered: number;
}

const INTRODUCTION = `# Validation, compared

Made by \`npm run validate -- --write\`: [valid objects of every kind](../../test/validation/bases) are damaged at random places by
seeded edits, sent to a real kube-apiserver and to ours as dry runs, and the whole answers are compared: code, message, causes
and their order, warnings, and the object with its managed fields. Creates include applies of new objects; updates include
writes of the status. \`npm test\` plays the recorded cases again.
`;

export function writePage({ kinds, differences, known, seeds, unanswered }: Result): void {
  const rows = kinds
    .toSorted((left, right) => (left.kind < right.kind ? -1 : 1))
    .map(({ kind, creates, updates }) => {
      const why = reasonsOf(
        differences.filter((difference) => difference.kind === kind),
        known,
      );
      return `| ${kind} | ${shown(creates)} | ${shown(updates)} | ${why} |`;
    });
  const all = { creates: sum(kinds.map(({ creates }) => creates)), updates: sum(kinds.map(({ updates }) => updates)) };
  const lines = [
    INTRODUCTION,
    '| Seed | Creates equal | Updates equal | Other codes |',
    '|---|---|---|---|',
    ...seeds.map(
      ({ seed, creates, updates, codes }) => `| ${seed} | ${shown(creates)} | ${shown(updates)} | ${codes} |`,
    ),
    '',
    'The kinds, with every base object as it is besides:',
    '',
    '| Kind | Creates equal | Updates equal | What differs |',
    '|---|---|---|---|',
    ...rows,
    `| **all** | ${shown(all.creates)} | ${shown(all.updates)} | |`,
    '',
    `Answers with another status code: ${differences.filter(({ real, ours }) => real.code !== ours.code).length}. kube-apiserver did not answer`,
    `${unanswered} requests: its own code fails on them, and it closes the connection. They are left out.`,
    '',
    '## Why answers differ',
    '',
    '| Reason | Cases |',
    '|---|---|',
    ...known
      .map((entry) => ({ entry, count: differences.filter((one) => reasonOf(one, known) === entry).length }))
      .filter(({ count }) => count > 0)
      .map(({ entry, count }) => `| ${entry.why} | ${count} |`),
    '',
  ];
  writeFileSync(path, lines.join('\n'));
}

function shown({ cases, equal }: Count): string {
  if (cases === 0) return '';
  return equal === cases ? `${cases}` : `${equal} of ${cases} (${((100 * equal) / cases).toFixed(2)} %)`;
}

function sum(counts: readonly Count[]): Count {
  return {
    cases: counts.reduce((total, { cases }) => total + cases, 0),
    equal: counts.reduce((total, { equal }) => total + equal, 0),
  };
}

function reasonsOf(differences: readonly Difference[], known: readonly KnownDifference[]): string {
  return [...new Set(differences.map((difference) => reasonOf(difference, known)?.why ?? 'not explained yet'))].join(
    '; ',
  );
}
