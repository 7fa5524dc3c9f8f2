import { badRequest, invalid, StatusError } from '../../api/index.ts';
import type { ApiObject, FieldError } from '../../api/index.ts';
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
import type { AccessRequest, Computed, UserInfo, WriteContext } from '../../apiserver/index.ts';
import type { AccessReviewer } from '../access.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import type { Kind } from '../kind.ts';
import { questionOf } from './access-question.ts';
import { checkNoMetadata, checkQuestion, checkSelectors, checkSubject } from './review-rules.ts';

const GROUP = 'authorization.k8s.io';

/** The four kinds that ask who may do what. Nothing is stored: the answer is the status of what was posted. */
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
  return { group: GROUP, plural, computed: { check, create } };
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
    const value = spec.nonResourceAttributes;
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
  if (errors.length > 0) throw invalid({ group: GROUP, resource: '' }, '', errors); // reviews are named by no kind here
}

function userOf({ user = '', uid, groups = [], extra }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

interface Asked {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

async function judged(
  subject: Pick<AccessRequest, 'user' | 'signal'>,
  asked: Asked,
  reviewer: AccessReviewer,
): Promise<SubjectAccessReviewStatus> {
  const info = questionOf(asked.resourceAttributes, asked.nonResourceAttributes);
  const { verdict, reason, error } = await reviewer.authorizer.authorize({ ...subject, info });
  return {
    allowed: verdict === 'allow',
    ...(verdict === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(error === undefined ? {} : { evaluationError: error }),
  };
}

async function answered(object: ApiObject, status: Promise<SubjectAccessReviewStatus>): Promise<ApiObject> {
  return { ...object, status: await status };
}
