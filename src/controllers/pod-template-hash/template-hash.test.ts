import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInTypes, type Struct } from '../../api/index.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { readPodTemplateStructs } from './go-type.ts';
import { TemplateHasher } from './index.ts';

interface GoAnswer {
  readonly template: PodTemplateSpec;
  readonly hash: string;
  readonly afterOneCollision: string;
}

/**
 * Results of `ComputeHash` of Kubernetes 1.36.3: for a plain template, for all kinds of quantities, and for all kinds
 * of fields.
 */
const goAnswers = JSON.parse(
  readFileSync(new URL('testdata/go-hashes.json', import.meta.url), 'utf8'),
) as readonly GoAnswer[];

describe('the hash of a pod template', () => {
  const hasher = new TemplateHasher();

  test.each(goAnswers.map((answer) => [answer.hash, answer] as const))('is %s as in Kubernetes', (hash, answer) => {
    expect(hasher.hash(answer.template)).toBe(hash);
  });

  test.each(goAnswers.map((answer) => [answer.afterOneCollision, answer] as const))(
    'is %s as in Kubernetes after a collision',
    (hash, answer) => {
      expect(hasher.hash(answer.template, 1)).toBe(hash);
    },
  );

  test('differs between no collision and a count of zero, as in Kubernetes', () => {
    expect(hasher.hash({}, 0)).not.toBe(hasher.hash({}));
  });

  test('does not depend on the order of members', () => {
    const labels = { labels: { b: '2', a: '1' } };
    expect(hasher.hash({ metadata: labels })).toBe(hasher.hash({ metadata: { labels: { a: '1', b: '2' } } }));
  });
});

test('the table of Go structs has the fields of the API', () => {
  const structs = readPodTemplateStructs();
  const namesOf = (name: string): string[] =>
    (structs.get(name) ?? []).flatMap(({ jsonName, type }) =>
      jsonName === undefined ? namesOf(type.name) : [jsonName],
    );
  const differences: string[] = [];
  const seen = new Set<string>();
  const visit = (struct: Struct): void => {
    const goName = `v1.${struct.shortName}`;
    if (seen.has(goName)) return;
    seen.add(goName);
    const ours = struct.fields.map(({ name }) => name).toSorted();
    const theirs = namesOf(goName).toSorted();
    if (ours.join() !== theirs.join()) differences.push(`${goName}: ${ours.join()} / ${theirs.join()}`);
    for (const { shape } of struct.fields) {
      const inner = shape.kind === 'list' ? shape.element : shape.kind === 'map' ? shape.value : shape;
      if (inner.kind === 'struct') visit(inner.struct);
    }
  };
  visit(builtInTypes().struct('io.k8s.api.core.v1.PodTemplateSpec'));
  expect(differences).toEqual([]);
  expect(seen.size).toBeGreaterThan(100);
});
