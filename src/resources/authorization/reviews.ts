import {
  badRequest,
  escapeFieldValue,
  internalForm,
  invalid,
  invalidValue,
  matchLabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  required,
  StatusError,
  ValueError,
} from '../../api/index.ts';
import type { ApiObject, FieldError, ObjectMeta } from '../../api/index.ts';
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '../../api/types/authorization/v1.d.ts';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from '../../api/types/meta/v1.d.ts';
import type { AccessRequest, Computed, RequestInfo, UserInfo, WriteContext } from '../../apiserver/index.ts';
import type { AccessReviewer } from '../access.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import type { Kind } from '../kind.ts';
import { checkOperator, checkRequirement } from '../label-selector-rules.ts';

const GROUP = 'authorization.k8s.io';

/** The four kinds of access reviews. Not stored: the answer is the status of the posted object. */
export function accessReviews(environment: KindEnvironment): Kind[] {
  const reviewer = (): AccessReviewer => {
    if (environment.accessReviewer !== undefined) return environment.accessReviewer;
    throw new StatusError({
      code: 501,
      message: 'Cannot review access: this server was started without an authorizer',
    });
  };
  return [
    review('subjectaccessreviews', checkSubjectReview, async (object, context) =>
      reviewSubject(object, context, reviewer()),
    ),
    review('localsubjectaccessreviews', checkLocalReview, async (object, context) =>
      reviewSubject(object, context, reviewer()),
    ),
    review('selfsubjectaccessreviews', checkSelfReview, async (object, context) =>
      reviewSelf(object, context, reviewer()),
    ),
    review('selfsubjectrulesreviews', checkRulesReview, async (object, { user }) =>
      listRules(object, user, reviewer()),
    ),
  ];
}

function review(plural: string, check: (object: ApiObject) => void, create: NonNullable<Computed['create']>): Kind {
  return { group: GROUP, plural, ownRulesFor: OWN_RULES, computed: { check, create } };
}

function reviewSubject(object: ApiObject, { signal }: WriteContext, reviewer: AccessReviewer): Promise<ApiObject> {
  const { spec } = object as unknown as SubjectAccessReview;
  return answered(object, judged({ user: userOf(spec), signal }, spec, reviewer));
}

function checkSubjectReview(object: ApiObject): void {
  const { spec } = object as unknown as SubjectAccessReview;
  refuse([
    ...checkQuestion(spec),
    ...checkSubject(spec),
    ...checkSelectors(spec.resourceAttributes),
    ...checkNoMetadata(object.metadata, { allowsNamespace: false }),
  ]);
}

function checkLocalReview(object: ApiObject): void {
  const { spec } = object as unknown as LocalSubjectAccessReview;
  refuse([
    ...checkQuestion(spec),
    ...checkSubject(spec),
    ...checkSelectors(spec.resourceAttributes),
    ...checkNoMetadata(object.metadata, { allowsNamespace: true }),
    ...checkLocality(spec, object.metadata.namespace ?? ''),
  ]);
}

function checkLocality(spec: SubjectAccessReviewSpec, namespace: string): FieldError[] {
  const errors: FieldError[] = [];
  const asked = spec.resourceAttributes?.namespace ?? '';
  if (spec.resourceAttributes !== undefined && asked !== namespace) {
    const detail = 'must match metadata.namespace';
    errors.push({ reason: 'FieldValueInvalid', field: 'spec.resourceAttributes.namespace', value: asked, detail });
  }
  if (spec.nonResourceAttributes !== undefined) {
    const value = internalForm(spec.nonResourceAttributes, ATTRIBUTES);
    const detail = 'disallowed on this kind of request';
    errors.push({ reason: 'FieldValueInvalid', field: 'spec.nonResourceAttributes', value, detail });
  }
  return errors;
}

function checkSelfReview(object: ApiObject): void {
  const { spec } = object as unknown as SelfSubjectAccessReview;
  refuse([
    ...checkQuestion(spec),
    ...checkSelectors(spec.resourceAttributes),
    ...checkNoMetadata(object.metadata, { allowsNamespace: false }),
  ]);
}

function reviewSelf(object: ApiObject, { user, signal }: WriteContext, reviewer: AccessReviewer): Promise<ApiObject> {
  const { spec } = object as unknown as SelfSubjectAccessReview;
  return answered(object, judged({ user, signal }, spec, reviewer));
}

function checkRulesReview(object: ApiObject): void {
  if (namespaceOf(object) === '') throw badRequest('no namespace on request');
}

function namespaceOf(object: ApiObject): string {
  return (object as unknown as SelfSubjectRulesReview).spec.namespace ?? '';
}

async function listRules(object: ApiObject, user: UserInfo, reviewer: AccessReviewer): Promise<ApiObject> {
  const namespace = namespaceOf(object);
  const rules = (await reviewer.rulesFor?.(user, namespace)) ?? {
    resourceRules: [],
    nonResourceRules: [],
    isIncomplete: true,
    problem: 'the authorizer cannot list its rules',
  };
  const status = {
    resourceRules: rules.resourceRules,
    nonResourceRules: rules.nonResourceRules,
    incomplete: rules.isIncomplete,
    ...(rules.problem === undefined ? {} : { evaluationError: rules.problem }),
  };
  return { kind: object.kind, apiVersion: object.apiVersion, metadata: {}, spec: {}, status };
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: GROUP, resource: '' }, '', errors); // these errors name no kind
}

function userOf({ user = '', uid, groups = [], extra }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

interface Question {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

async function judged(
  subject: Pick<AccessRequest, 'user' | 'signal'>,
  asked: Question,
  reviewer: AccessReviewer,
): Promise<SubjectAccessReviewStatus> {
  const info = questionOf(asked.resourceAttributes, asked.nonResourceAttributes);
  const { verdict, reason, error } = await reviewer.authorizer.authorize({ ...subject, info });
  const problems = [...(error === undefined ? [] : [error]), ...selectorProblems(asked.resourceAttributes)];
  return {
    allowed: verdict === 'allow',
    ...(verdict === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(problems.length === 0 ? {} : { evaluationError: problems.join('; ') }),
  };
}

async function answered(object: ApiObject, status: Promise<SubjectAccessReviewStatus>): Promise<ApiObject> {
  return { ...object, status: await status };
}

/** The request that an access review asks about. */
function questionOf(resource: ResourceAttributes | undefined, other: NonResourceAttributes | undefined): RequestInfo {
  const { verb = '', namespace = '', group = '', version = '', name = '', subresource = '' } = resource ?? {};
  const plural = resource?.resource ?? '';
  return {
    isResource: resource !== undefined,
    path: other?.path ?? '',
    verb: resource === undefined ? (other?.verb ?? '') : verb,
    group,
    version: version === '' && resource !== undefined ? '*' : version,
    namespace,
    resource: plural,
    subresource,
    name,
    subpath: '',
    parts: resource === undefined ? [] : [plural, name, subresource].filter((part) => part !== ''),
    ...(resource?.fieldSelector === undefined ? {} : { fieldSelector: selectorText(resource.fieldSelector) }),
    ...(resource?.labelSelector === undefined ? {} : { labelSelector: labelText(resource.labelSelector) }),
  };
}

/** A selector in request syntax; requirements that requests cannot have are dropped, which asks about more. */
function selectorText({ rawSelector = '', requirements = [] }: SelectorAttributes<FieldSelectorRequirement>): string {
  if (rawSelector !== '') return rawSelector;
  const terms = requirements.flatMap(({ key, operator, values = [] }) => {
    const [value] = values;
    if (value === undefined || values.length > 1) return [];
    if (operator === 'In') return [`${key}=${escapeFieldValue(value)}`];
    return operator === 'NotIn' ? [`${key}!=${escapeFieldValue(value)}`] : [];
  });
  return terms.join(',');
}

/** The same for labels. */
function labelText({ rawSelector = '', requirements = [] }: SelectorAttributes<LabelSelectorRequirement>): string {
  if (rawSelector !== '') return rawSelector;
  const selector = matchLabelSelector({ matchExpressions: requirements });
  return selector instanceof ValueError ? '' : selector.toString();
}

const OWN_RULES = ['fieldSelector', 'labelSelector'].flatMap((name) =>
  ['key', 'operator'].map((member) => `spec.resourceAttributes.${name}.requirements.${member}`),
);

/** What was left out of the question because it is no selector. */
function selectorProblems(resource: ResourceAttributes | undefined): string[] {
  const fields = resource?.fieldSelector;
  const labels = resource?.labelSelector;
  return [
    ...ignored(
      'fieldSelector',
      fields && (fields.rawSelector ?? '') !== ''
        ? [isFields(fields.rawSelector)]
        : fields?.requirements?.map(isSimple),
    ),
    ...ignored(
      'labelSelector',
      labels && (labels.rawSelector ?? '') !== ''
        ? [isLabels(labels.rawSelector)]
        : labels?.requirements?.map(isExpression),
    ),
  ];
}

function ignored(name: string, areValid: readonly boolean[] = []): string[] {
  if (areValid.every(Boolean)) return [];
  const partially = areValid.some(Boolean) ? 'partially ' : '';
  return [`${RESOURCE}.${name} ${partially}ignored due to parse error`];
}

function isFields(text = ''): boolean {
  return !(parseFieldSelector(text) instanceof ValueError);
}

function isLabels(text = ''): boolean {
  return !(parseLabelSelector(text) instanceof ValueError);
}

function isSimple({ operator, values = [] }: FieldSelectorRequirement): boolean {
  return values.length === 1 && (operator === 'In' || operator === 'NotIn');
}

function isExpression(requirement: LabelSelectorRequirement): boolean {
  return !(matchLabelSelector({ matchExpressions: [requirement] }) instanceof ValueError);
}

const RESOURCE = 'spec.resourceAttributes';
const ATTRIBUTES = 'authorization.v1.NonResourceAttributes';
const OTHER = 'spec.nonResourceAttributes';

/** A review must ask about exactly one thing. */
function checkQuestion({ resourceAttributes, nonResourceAttributes }: Question): FieldError[] {
  const errors: FieldError[] = [];
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    errors.push(
      invalidValue(
        OTHER,
        internalForm(nonResourceAttributes, ATTRIBUTES),
        'cannot be specified in combination with resourceAttributes',
      ),
    );
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    errors.push(invalidValue(RESOURCE, null, detail));
  }
  return errors;
}

/** A review must name a user or groups. */
function checkSubject(spec: { readonly user?: string; readonly groups?: readonly string[] }): FieldError[] {
  if ((spec.user ?? '') !== '' || (spec.groups ?? []).length > 0) return [];
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

function checkSelectors(attributes: ResourceAttributes | undefined): FieldError[] {
  const { fieldSelector, labelSelector } = attributes ?? {};
  return [
    ...(fieldSelector === undefined
      ? []
      : checkSelector(fieldSelector, `${RESOURCE}.fieldSelector`, checkFieldRequirement)),
    ...(labelSelector === undefined
      ? []
      : checkSelector(labelSelector, `${RESOURCE}.labelSelector`, (item, field) =>
          checkRequirement(item, field, lenient),
        )),
  ];
}

interface SelectorAttributes<Requirement> {
  readonly rawSelector?: string;
  readonly requirements?: readonly Requirement[];
}

function checkSelector<Requirement>(
  { rawSelector = '', requirements = [] }: SelectorAttributes<Requirement>,
  field: string,
  check: (requirement: Requirement, field: string) => FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    const detail = 'may not specified at the same time as requirements';
    errors.push(invalidValue(`${field}.rawSelector`, rawSelector, detail));
  }
  if (rawSelector === '' && requirements.length === 0) {
    errors.push(
      required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`),
    );
  }
  return [...errors, ...requirements.flatMap((item, index) => check(item, `${field}.requirements[${index}]`))];
}

/** Newer clients may use unknown operators; these requirements are then ignored. */
const lenient = { allowsUnknownOperator: true };

function checkFieldRequirement({ key, operator, values = [] }: FieldSelectorRequirement, field: string): FieldError[] {
  const errors = key === '' ? [required(`${field}.key`, 'must be specified')] : [];
  return [...errors, ...checkOperator({ operator, values }, field, lenient)];
}

/** Reviews are not stored, so they have no names; only a local one has a namespace. */
function checkNoMetadata(metadata: ObjectMeta, options: { readonly allowsNamespace: boolean }): FieldError[] {
  const { managedFields: _1, deletionTimestamp: _2, deletionGracePeriodSeconds: _3, namespace, ...rest } = metadata;
  const checked = options.allowsNamespace || namespace === undefined ? rest : { ...rest, namespace };
  if (Object.keys(checked).length === 0) return [];
  const detail = options.allowsNamespace ? 'must be empty except for namespace' : 'must be empty';
  return [invalidValue('metadata', metadata, detail)];
}
