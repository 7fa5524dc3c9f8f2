import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { baseEnvironment, formatType } from '../../../src/cel/index.ts';
import { compareAnswers } from './compare.ts';
import { tasks } from './tasks.ts';
import { carryOut } from './uses.ts';
import { type Answer, ask, readWorlds } from './worlds.ts';

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const recorded = (name: string): unknown[] =>
  gunzipSync(readFileSync(join(import.meta.dirname, name)))
    .toString()
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('answers recorded from Kubernetes 1.36', () => {
  const vectors = recorded('vectors.jsonl.gz') as readonly Answer[];
  const worlds = readWorlds(read('worlds.json'));

  it('are at least 2,000, and of all sorts', () => {
    expect(vectors.length).toBeGreaterThan(2000);
    expect(vectors.filter(({ issues }) => issues !== undefined).length).toBeGreaterThan(500);
    expect(vectors.filter(({ error }) => error !== undefined).length).toBeGreaterThan(500);
    expect(vectors.filter(({ value }) => value !== undefined).length).toBeGreaterThan(1000);
  });

  it('are ours: value, type, errors, and cost as estimated and as counted', () => {
    const found = vectors.flatMap((theirs) => {
      const difference = compareAnswers(ask(worlds, theirs.world, theirs.expr), theirs);
      return difference === undefined ? [] : [{ ...difference, expression: `[${theirs.world}] ${theirs.expr}` }];
    });
    expect(found.filter(({ explanation }) => explanation === undefined).slice(0, 10)).toEqual([]);
    expect(found.map(({ expression }) => expression)).toEqual([
      '[mutation] (object.spec.paused ? Object.spec{replicas: 1} : null).a',
      '[mutation] has(obs(object.spec.missing)',
    ]); // what is explained
  });
});

describe('functions recorded from Kubernetes 1.36', () => {
  it('are ours, with all their signatures', () => {
    const ours = [...baseEnvironment().functions()].map(({ name, overloads }) => ({
      name,
      overloads: overloads.map(({ id, args, result, isMember }) => ({
        id,
        args: args.map((type) => formatType(type)),
        result: formatType(result),
        ...(isMember ? { isMember } : {}),
      })),
    }));
    const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);
    const theirs = recorded('declarations.jsonl.gz') as typeof ours;
    expect(ours.sort(byName)).toEqual([...theirs].sort(byName));
  });
});

describe('uses recorded from Kubernetes 1.36', () => {
  const outcomes = recorded('uses.jsonl.gz');

  it.each([...new Set(tasks.map(({ use }) => use))])('come out the same for %s', (use) => {
    for (const [index, task] of tasks.entries()) {
      if (task.use !== use) continue;
      expect({ task: task.expr ?? task.conditions, ...carryOut(task) }).toEqual({
        task: task.expr ?? task.conditions,
        ...(outcomes[index] as object),
      });
    }
  });
});
