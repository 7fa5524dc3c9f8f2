import type { CustomResourceDefinitionNames } from '../api/types/apiextensions/v1.d.ts';
import { deepEqual } from '../base/index.ts';
import { type Condition, conditionOf, type Definition, isSaid, withCondition, withStatus } from './conditions.ts';

/**
 * Accepts the names that a definition asks for, except those that another definition of its group has; undefined when
 * there is nothing to change. A definition keeps the names it has. `group` are all definitions of its group.
 */
export function acceptNames(definition: Definition, group: readonly Definition[], now: number): Definition | undefined {
  const wanted = definition.spec.names;
  const had = definition.status?.acceptedNames;
  if (had !== undefined && deepEqual(withoutEmpty(wanted), withoutEmpty(had))) return undefined;
  const { names, condition } = decide(wanted, had, group);
  if (had !== undefined && deepEqual(withoutEmpty(names), withoutEmpty(had)) && isSaid(definition, condition)) {
    return undefined;
  }
  const named = withCondition(withStatus(definition, { acceptedNames: names }), condition, now);
  return withCondition(named, established(definition, condition), now);
}

interface Decision {
  readonly names: CustomResourceDefinitionNames;
  readonly condition: Condition;
}

function decide(
  wanted: CustomResourceDefinitionNames,
  had: CustomResourceDefinitionNames | undefined,
  group: readonly Definition[],
): Decision {
  const given = group.flatMap(({ status }) => (status?.acceptedNames === undefined ? [] : [status.acceptedNames]));
  const resources = new Set(
    given.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(given.flatMap(({ kind, listKind = '' }) => [kind, listKind]));
  const names: CustomResourceDefinitionNames = { ...had, plural: had?.plural ?? '', kind: had?.kind ?? '' };
  let condition = ACCEPTED;
  const conflict = (reason: string, message: string): void => {
    condition = { type: 'NamesAccepted', status: 'False', reason, message };
  };
  const take = (member: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string>): void => {
    const name = wanted[member] ?? '';
    if (name !== (had?.[member] ?? '') && taken.has(name)) conflict(CONFLICTS[member], inUse(name));
    else names[member] = name;
  };
  take('plural', resources);
  take('singular', resources);
  const known = new Set(had?.shortNames);
  const lost = (wanted.shortNames ?? []).filter((name) => !known.has(name) && resources.has(name)).map(inUse);
  if (lost.length > 0) conflict('ShortNamesConflict', aggregate(lost));
  else names.shortNames = wanted.shortNames;
  take('kind', kinds);
  take('listKind', kinds);
  names.categories = wanted.categories;
  return { names: ordered(names), condition };
}

const ACCEPTED: Condition = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};

const CONFLICTS = {
  plural: 'PluralConflict',
  singular: 'SingularConflict',
  kind: 'KindConflict',
  listKind: 'ListKindConflict',
} as const;

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

/** Several errors as Go prints them together, each once. */
function aggregate(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/** The Established condition when the names are decided; it becomes true in a separate step. */
function established(definition: Definition, names: Condition): Condition {
  const known = conditionOf(definition, 'Established');
  if (known?.status !== 'True' && names.status === 'True') {
    return {
      type: 'Established',
      status: 'False',
      reason: 'Installing',
      message: 'the initial names have been accepted',
    };
  }
  const { status = 'False', reason = 'NotAccepted', message = 'not all names are accepted' } = known ?? {};
  return { type: 'Established', status, reason, message };
}

/** In the order of the type, without absent members. */
function ordered(names: CustomResourceDefinitionNames): CustomResourceDefinitionNames {
  const { plural, singular, shortNames, kind, listKind, categories } = names;
  return JSON.parse(JSON.stringify({ plural, singular, shortNames, kind, listKind, categories }));
}

function withoutEmpty(names: CustomResourceDefinitionNames): object {
  return Object.fromEntries(
    Object.entries(names).filter(([, value]) => value !== undefined && value !== '' && value.length > 0),
  );
}
