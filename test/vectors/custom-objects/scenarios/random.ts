import type { StructuralSchema } from '../../../../src/api/index.ts';
import { SeededRandom } from '../../../../src/base/index.ts';
import { SchemaMaker } from '../../schema/schema-maker.ts';
import type { Scenario, Step } from '../scenario.ts';

/** Chosen so that Kubernetes takes the schemas that come of them. */
const SEEDS = [1, 8, 9, 13, 15, 18, 19, 22, 23, 26, 28, 29, 30, 31, 32, 33, 35, 36];
const CREATED_SEEDS = [
  105, 107, 108, 109, 110, 112, 113, 114, 117, 119, 121, 123, 128, 129, 130, 132, 134, 136, 138, 140, 141, 142, 144,
  145, 146, 148, 150, 153, 155, 159,
];
const UPDATES = 12;
const CREATES = 8;

class RandomKind {
  readonly schema: StructuralSchema;
  readonly #maker: SchemaMaker;

  constructor(seed: number) {
    this.#maker = new SchemaMaker(new SeededRandom(seed));
    const properties = { a: this.#maker.schema(3), b: this.#maker.schema(2), c: this.#maker.schema(1) };
    this.schema = { type: 'object', properties };
  }

  value(): object {
    const { properties = {} } = this.schema;
    return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, this.#maker.value(inner)]));
  }
}

/** Objects that were stored before their schema was made up, and what becomes of changes to them. */
const updated = SEEDS.map((seed): Scenario => {
  const kind = new RandomKind(seed);
  const first = kind.value();
  const steps: Step[] = Array.from({ length: UPDATES }, (_, index) => {
    const changes = Object.entries(kind.value()).filter((_entry, place) => place === index % 3);
    return { update: { ...first, ...Object.fromEntries(changes) } };
  });
  return {
    name: `random ${seed}`,
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    steps: [{ create: first }, { redefine: kind.schema }, { get: true }, ...steps],
  };
});

/** New objects, and what is said about fields that the schema does not name. */
const created = CREATED_SEEDS.map((seed): Scenario => {
  const kind = new RandomKind(seed);
  const steps: Step[] = Array.from({ length: CREATES }, (_, index) => ({
    create: kind.value(),
    fieldValidation: index % 3 === 0 ? 'Strict' : 'Warn',
  }));
  return { name: `random ${seed}`, schema: kind.schema, steps };
});

export const random: readonly Scenario[] = [...updated, ...created];
