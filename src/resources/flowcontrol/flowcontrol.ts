import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  asJson,
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../api/index.ts';
import { EXEMPT } from '../../api/meaning/index.ts';
import type { ApiObject, FieldError } from '../../api/index.ts';
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  ResourcePolicyRule,
  Subject,
} from '../../api/types/flowcontrol/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { compareUtf8 } from '../../base/index.ts';
import { changes } from '../change.ts';
import { ageColumn, column, each, nameColumn, NONE } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { unversioned } from '../unversioned.ts';
import { checkPriorityLevel } from './check-priority-level.ts';
import { checkFixedSchema } from './fixed-specs.ts';

const flowSchemaColumns: readonly Column<FlowSchema>[] = [
  nameColumn,
  column('PriorityLevel', 'Priority level of its requests', ({ spec }) => spec?.priorityLevelConfiguration?.name ?? ''),
  column(
    'MatchingPrecedence',
    'Of schemas that match, the one with the least is taken',
    ({ spec }) => spec?.matchingPrecedence ?? 0,
  ),
  column('DistinguisherMethod', 'What tells its flows apart', ({ spec }) => spec?.distinguisherMethod?.type ?? NONE),
  ageColumn,
  column('MissingPL', 'Whether the priority level does not exist', isDangling),
];

function isDangling({ status }: FlowSchema): string {
  const condition = each(status?.conditions).find(({ type }) => type === 'Dangling');
  return condition === undefined ? '?' : (condition.status ?? '');
}

/** The matching order, in which tables list them. */
function byPrecedence(left: ApiObject, right: ApiObject): number {
  return precedenceOf(left) - precedenceOf(right) || compareUtf8(left.metadata.name ?? '', right.metadata.name ?? '');
}

function precedenceOf(object: ApiObject): number {
  return (object as unknown as FlowSchema).spec?.matchingPrecedence ?? 0;
}

type Limited = NonNullable<NonNullable<PriorityLevelConfiguration['spec']>['limited']>;
type Queuing = NonNullable<NonNullable<Limited['limitResponse']>['queuing']>;

const priorityLevelConfigurationColumns: readonly Column<PriorityLevelConfiguration>[] = [
  nameColumn,
  column('Type', 'Whether its requests are limited', ({ spec }) => spec?.type ?? ''),
  column('NominalConcurrencyShares', 'Its share of what the server works on at once', ({ spec }) =>
    shares(spec?.limited),
  ),
  queueColumn('Queues', ({ queues = 0 }) => queues, 'How many queues it has'),
  queueColumn('HandSize', ({ handSize = 0 }) => handSize, 'How many queues a flow may use'),
  queueColumn('QueueLengthLimit', ({ queueLengthLimit = 0 }) => queueLengthLimit, 'Longest queue'),
  ageColumn,
];

function shares(limited: Limited | undefined): number | string {
  return limited === undefined ? NONE : (limited.nominalConcurrencyShares ?? 0);
}

function queueColumn(
  name: string,
  amount: (queuing: Partial<Queuing>) => number,
  description: string,
): Column<PriorityLevelConfiguration> {
  return column(name, description, ({ spec }) => {
    const queuing = spec?.limited?.limitResponse?.queuing;
    return queuing === undefined ? NONE : amount(queuing);
  });
}

const GROUP = 'flowcontrol.apiserver.k8s.io';

/** How requests are classified into flows, and the share of each priority level. */
export const flowSchemas = defineKind<FlowSchema>({
  changeSteps: ['metadata', 'object'],
  statusSteps: ['object'],
  group: GROUP,
  plural: 'flowschemas',
  columns: flowSchemaColumns,
  compareRows: byPrecedence,
  statusMetadata: 'all',
  raisesGeneration: changes('spec'),
  ownRulesFor: ['spec.distinguisherMethod.type'],
  validate: checkFlowSchema,
  validateStatus: ({ status }) => checkConditions(status?.conditions),
});

export const priorityLevelConfigurations = defineKind<PriorityLevelConfiguration>({
  changeSteps: ['metadata', 'object'],
  statusSteps: ['object'],
  group: GROUP,
  plural: 'prioritylevelconfigurations',
  columns: priorityLevelConfigurationColumns,
  statusMetadata: 'all',
  raisesGeneration: changes('spec'),
  validate: checkPriorityLevel,
  validateStatus: ({ status }) => checkConditions(status?.conditions),
});

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/** The rules of matched requests and subjects. */
function checkFlowSchema({ metadata, spec }: Whole<FlowSchema>): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.matchingPrecedence === 1 && metadata.name !== EXEMPT) {
    const detail = "only the schema named 'exempt' may have matchingPrecedence 1";
    errors.push(invalidValue('spec.matchingPrecedence', 1, detail));
  }
  const method = spec.distinguisherMethod;
  if (method !== undefined && !METHODS.includes(method.type)) {
    errors.push(notSupported('spec.distinguisherMethod.type', unversioned(method, { Type: '' }), METHODS));
  }
  return [
    ...errors,
    ...(spec.rules ?? []).flatMap((rule, index) => checkRule(rule, `spec.rules[${index}]`)),
    ...checkFixedSchema(metadata.name ?? '', spec),
  ];
}

const METHODS = ['ByNamespace', 'ByUser'];

/** Condition types must be unique. */
function checkConditions(conditions: readonly { readonly type?: string }[] = []): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap(({ type = '' }, index) => {
    const at = `status.conditions[${index}].type`;
    const isTwice = seen.has(type);
    seen.add(type);
    return [...(isTwice ? [duplicate(at, type)] : []), ...(type === '' ? [required(at)] : [])];
  });
}

function checkRule(rule: PolicyRulesWithSubjects, field: string): FieldError[] {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  const errors =
    subjects.length === 0 ? [required(`${field}.subjects`, 'subjects must contain at least one value')] : [];
  errors.push(...subjects.flatMap((subject, index) => checkSubject(subject, `${field}.subjects[${index}]`)));
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  return [
    ...errors,
    ...resourceRules.flatMap((item, index) => checkResourceRule(item, `${field}.resourceRules[${index}]`)),
    ...nonResourceRules.flatMap((item, index) => checkPathRule(item, `${field}.nonResourceRules[${index}]`)),
  ];
}

const SUBJECTS = [
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const;

function checkSubject(subject: Subject, field: string): FieldError[] {
  const given: string = subject.kind ?? '';
  const own = SUBJECTS.find(([kind]) => kind === given);
  if (own === undefined) {
    return [notSupported(`${field}.kind`, asJson(given), SUBJECTS.map(([kind]) => kind).toSorted())];
  }
  const [kind, name] = own;
  const errors =
    subject[name] === undefined
      ? [required(`${field}.${name}`, `${name} is required when subject kind is '${kind}'`)]
      : checkSubjectName(subject, name, `${field}.${name}`);
  for (const [other, member] of SUBJECTS) {
    if (other === kind || subject[member] === undefined) continue;
    errors.push(forbiddenField(`${field}.${member}`, `${member} is forbidden when subject kind is not '${other}'`));
  }
  return errors;
}

function checkSubjectName(subject: Subject, member: 'serviceAccount' | 'user' | 'group', field: string): FieldError[] {
  const name = subject[member]?.name ?? '';
  const errors = name === '' ? [required(`${field}.name`)] : [];
  if (member !== 'serviceAccount') return errors;
  const problems = name === '' || name === '*' ? [] : dns1123SubdomainProblems(name);
  errors.push(...problems.map((problem) => invalidValue(`${field}.name`, name, problem)));
  const namespace = subject.serviceAccount?.namespace ?? '';
  if (namespace === '')
    return [...errors, required(`${field}.namespace`, 'must specify namespace for service account')];
  return [
    ...errors,
    ...dns1123LabelProblems(namespace).map((problem) => invalidValue(`${field}.namespace`, namespace, problem)),
  ];
}

/** A list must not be empty, and a wildcard must be alone. */
function checkList(
  list: readonly string[] | undefined,
  field: string,
  { what, missing }: { readonly what: string; readonly missing: string },
): FieldError[] {
  const given = list ?? [];
  if (given.length === 0) return [required(field, missing)];
  if (given.length === 1 || !given.includes('*')) return [];
  return [invalidValue(field, given, `if '*' is present, must not specify other ${what}`)];
}

function checkVerbs(verbs: readonly string[] | undefined, field: string): FieldError[] {
  const errors = checkList(verbs, field, { what: 'verbs', missing: 'verbs must contain at least one value' });
  const given = verbs ?? [];
  if (errors.length > 0 || given.includes('*') || given.every((verb) => VERBS.includes(verb))) return errors;
  return [notSupported(field, given, VERBS)];
}

function checkResourceRule(rule: ResourcePolicyRule, field: string): FieldError[] {
  const { verbs, apiGroups, resources, clusterScope } = rule;
  const namespaces = rule.namespaces ?? [];
  const groups = { what: 'api groups', missing: 'resource rules must supply at least one api group' };
  const kinds = { what: 'resources', missing: 'resource rules must supply at least one resource' };
  const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
  const isUnnamed = namespaces.length === 0 && clusterScope !== true;
  const isMixed = namespaces.length > 1 && namespaces.includes('*');
  const names = namespaces.includes('*') ? [] : namespaces;
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return [
    ...checkVerbs(verbs, `${field}.verbs`),
    ...checkList(apiGroups, `${field}.apiGroups`, groups),
    ...checkList(resources, `${field}.resources`, kinds),
    ...(isUnnamed ? [required(`${field}.namespaces`, detail)] : []),
    ...(isMixed
      ? [invalidValue(`${field}.namespaces`, namespaces, "if '*' is present, must not specify other namespaces")]
      : []),
    ...names.flatMap((name, index) =>
      dns1123LabelProblems(name).map((problem) => invalidValue(`${field}.namespaces[${index}]`, name, intro + problem)),
    ),
  ];
}

function checkPathRule({ verbs, nonResourceURLs }: NonResourcePolicyRule, field: string): FieldError[] {
  const at = `${field}.nonResourceURLs`;
  const urls = { what: 'non-resource URLs', missing: 'nonResourceURLs must contain at least one value' };
  const paths = (nonResourceURLs ?? []).includes('*') ? [] : (nonResourceURLs ?? []);
  return [
    ...checkVerbs(verbs, `${field}.verbs`),
    ...checkList(nonResourceURLs, at, urls),
    ...paths.flatMap((path, index) => {
      const problem = pathProblem(path);
      return problem === undefined ? [] : [invalidValue(`${at}[${index}]`, path, problem)];
    }),
  ];
}

function pathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const stars = path.split('*').length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}
