import { forbiddenField, invalidValue, notSupported, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../api/types/flowcontrol/v1.d.ts';
import type { Whole } from '../kind.ts';

const EXEMPT = 'exempt';
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/** Which requests are meant, and whose. */
export function checkFlowSchema({ metadata, spec }: Whole<FlowSchema>): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.matchingPrecedence === 1 && metadata.name !== EXEMPT) {
    const detail = "only the schema named 'exempt' may have matchingPrecedence 1";
    errors.push(invalidValue('spec.matchingPrecedence', 1, detail));
  }
  return [...errors, ...(spec.rules ?? []).flatMap((rule, index) => checkRule(rule, `spec.rules[${index}]`))];
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
  const own = SUBJECTS.find(([kind]) => kind === subject.kind);
  if (own === undefined) return [];
  const [kind, name] = own;
  const errors =
    subject[name] === undefined
      ? [required(`${field}.${name}`, `${name} is required when subject kind is '${kind}'`)]
      : [];
  if (kind === 'ServiceAccount' && subject.serviceAccount?.namespace === '') {
    errors.push(required(`${field}.serviceAccount.namespace`, 'must specify namespace for service account'));
  }
  for (const [other, member] of SUBJECTS) {
    if (other === kind || subject[member] === undefined) continue;
    errors.push(forbiddenField(`${field}.${member}`, `${member} is forbidden when subject kind is not '${other}'`));
  }
  return errors;
}

/** A list that is not empty, and in which a wildcard stands alone. */
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
  return [
    ...checkVerbs(verbs, `${field}.verbs`),
    ...checkList(apiGroups, `${field}.apiGroups`, groups),
    ...checkList(resources, `${field}.resources`, kinds),
    ...(isUnnamed ? [required(`${field}.namespaces`, detail)] : []),
    ...(isMixed
      ? [invalidValue(`${field}.namespaces`, namespaces, "if '*' is present, must not specify other namespaces")]
      : []),
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
