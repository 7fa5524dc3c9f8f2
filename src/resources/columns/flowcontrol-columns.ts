import { compareUtf8 } from '../../base/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/types/flowcontrol/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE } from './column.ts';

export const flowSchemaColumns: readonly Column[] = [
  nameColumn,
  column<FlowSchema>(
    'PriorityLevel',
    'Priority level of its requests',
    ({ spec }) => spec?.priorityLevelConfiguration?.name ?? '',
  ),
  column<FlowSchema>(
    'MatchingPrecedence',
    'Of schemas that match, the one with the least is taken',
    ({ spec }) => spec?.matchingPrecedence ?? 0,
  ),
  column<FlowSchema>(
    'DistinguisherMethod',
    'What tells its flows apart',
    ({ spec }) => spec?.distinguisherMethod?.type ?? NONE,
  ),
  ageColumn,
  column<FlowSchema>('MissingPL', 'Whether the priority level does not exist', isDangling),
];

function isDangling({ status }: FlowSchema): string {
  const condition = each(status?.conditions).find(({ type }) => type === 'Dangling');
  return condition === undefined ? '?' : (condition.status ?? '');
}

/** The order in which they are tried, which is how tables list them. */
export function byPrecedence(left: ApiObject, right: ApiObject): number {
  return precedenceOf(left) - precedenceOf(right) || compareUtf8(left.metadata.name ?? '', right.metadata.name ?? '');
}

function precedenceOf(object: ApiObject): number {
  return (object as unknown as FlowSchema).spec?.matchingPrecedence ?? 0;
}

type Limited = NonNullable<NonNullable<PriorityLevelConfiguration['spec']>['limited']>;
type Queuing = NonNullable<NonNullable<Limited['limitResponse']>['queuing']>;

export const priorityLevelConfigurationColumns: readonly Column[] = [
  nameColumn,
  column<PriorityLevelConfiguration>('Type', 'Whether its requests are limited', ({ spec }) => spec?.type ?? ''),
  column<PriorityLevelConfiguration>(
    'NominalConcurrencyShares',
    'Its share of what the server works on at once',
    ({ spec }) => shares(spec?.limited),
  ),
  queueColumn('Queues', ({ queues = 0 }) => queues, 'How many queues it has'),
  queueColumn('HandSize', ({ handSize = 0 }) => handSize, 'How many queues a flow may use'),
  queueColumn('QueueLengthLimit', ({ queueLengthLimit = 0 }) => queueLengthLimit, 'Longest queue'),
  ageColumn,
];

function shares(limited: Limited | undefined): number | string {
  return limited === undefined ? NONE : (limited.nominalConcurrencyShares ?? 0);
}

function queueColumn(name: string, amount: (queuing: Partial<Queuing>) => number, description: string): Column {
  return column<PriorityLevelConfiguration>(name, description, ({ spec }) => {
    const queuing = spec?.limited?.limitResponse?.queuing;
    return queuing === undefined ? NONE : amount(queuing);
  });
}
