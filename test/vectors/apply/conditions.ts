import type { Chance } from './chance.ts';
import type { Part } from './vector-kind.ts';

/** Conditions of some of these types. */
export function conditions(chance: Chance, types: readonly string[]): Part[] {
  return chance.some(types, 1).map((type) => ({
    type,
    status: chance.pick(['True', 'False']),
    ...chance.members({ reason: () => chance.pick(['R1', 'R2']), message: () => 'm' }),
  }));
}
