import type { StructuralSchema } from '../../../../src/api/index.ts';
import { SeededRandom } from '../../../../src/base/index.ts';
import { SchemaMaker } from '../../schema/schema-maker.ts';
import type { Scenario, Step } from '../scenario.ts';

/** Chosen so that Kubernetes takes the schemas that come of them. */
const SEEDS = [1, 8, 9, 13, 15, 18, 19, 22, 23, 26, 28, 29, 30, 31, 32, 33, 35, 36];
const UPDATES = 12;

/** Objects that were stored before their schema was made up, and what becomes of changes to them. */
export const random: readonly Scenario[] = SEEDS.map((seed) => {
  const maker = new SchemaMaker(new SeededRandom(seed));
  const schema: StructuralSchema = {
    type: 'object',
    properties: { a: maker.schema(3), b: maker.schema(2), c: maker.schema(1) },
  };
  const value = (): object => ({
    a: maker.value(schema.properties?.['a'] ?? {}),
    b: maker.value(schema.properties?.['b'] ?? {}),
    c: maker.value(schema.properties?.['c'] ?? {}),
  });
  const first = value();
  const steps: Step[] = Array.from({ length: UPDATES }, (_, index) => {
    const changes = Object.entries(value()).filter((_entry, place) => place === index % 3);
    return { update: { ...first, ...Object.fromEntries(changes) } };
  });
  return {
    name: `random ${seed}`,
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    steps: [{ create: first }, { redefine: schema }, { get: true }, ...steps],
  };
});
