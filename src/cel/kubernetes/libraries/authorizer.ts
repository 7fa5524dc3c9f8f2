import {
  binary,
  declareFunction,
  type FunctionDeclaration,
  type Implementation,
  member,
} from '../../check/declarations.ts';
import { dns1123LabelProblems, dns1123SubdomainProblems, trimGo } from '../../../api/values/index.ts';
import type { Library } from '../../library/library.ts';
import { BOOL, objectType, STRING, type Type } from '../../type-terms/index.ts';
import { CelError, noSuchOverload, Opaque, type Value } from '../../values/index.ts';

export const AUTHORIZER_TYPE = objectType('kubernetes.authorization.Authorizer');
const PATH_CHECK_TYPE = objectType('kubernetes.authorization.PathCheck');
const GROUP_CHECK_TYPE = objectType('kubernetes.authorization.GroupCheck');
export const RESOURCE_CHECK_TYPE = objectType('kubernetes.authorization.ResourceCheck');
const DECISION_TYPE = objectType('kubernetes.authorization.Decision');

/** What an expression asks an authorizer. */
export interface AccessQuestion {
  /** Undefined: the user of the request. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | undefined;
  readonly verb: string;
  /** Either a path … */
  readonly path?: string;
  /** … or a resource. */
  readonly resource?: ResourceQuestion;
}

export interface ResourceQuestion {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

export interface AccessAnswer {
  readonly isAllowed: boolean;
  readonly reason: string;
  /** Set when the authorizer failed. */
  readonly error?: string;
}

/** Answers expressions' access questions; synchronous, as evaluation is. */
export interface AccessOracle {
  decide(question: AccessQuestion): AccessAnswer;
}

/** A value that only has member functions. Comparing such values is an error, as in Kubernetes. */
abstract class ReceiverOnly extends Opaque {
  get native(): Value {
    return noSuchOverload();
  }

  equals(): CelError {
    return noSuchOverload();
  }
}

/** The variable `authorizer`. */
export class AuthorizerValue extends ReceiverOnly {
  readonly goName = 'library.authorizerVal';
  override readonly type = AUTHORIZER_TYPE;
  readonly oracle: AccessOracle;
  readonly serviceAccount: AccessQuestion['serviceAccount'];

  constructor(oracle: AccessOracle, serviceAccount?: AccessQuestion['serviceAccount']) {
    super();
    this.oracle = oracle;
    this.serviceAccount = serviceAccount;
  }
}

class PathCheck extends ReceiverOnly {
  readonly goName = 'library.pathCheckVal';
  override readonly type = PATH_CHECK_TYPE;
  readonly authorizer: AuthorizerValue;
  readonly path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck extends ReceiverOnly {
  readonly goName = 'library.groupCheckVal';
  override readonly type = GROUP_CHECK_TYPE;
  readonly authorizer: AuthorizerValue;
  readonly group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** A resource to check; also the variable `authorizer.requestResource`. */
export class ResourceCheck extends ReceiverOnly {
  readonly goName = 'library.resourceCheckVal';
  override readonly type = RESOURCE_CHECK_TYPE;
  readonly authorizer: AuthorizerValue;
  readonly question: ResourceQuestion;

  constructor(authorizer: AuthorizerValue, question: Partial<ResourceQuestion>) {
    super();
    this.authorizer = authorizer;
    const names = { group: '', resource: '', subresource: '', namespace: '', name: '' };
    this.question = { ...names, fieldSelector: '', labelSelector: '', ...question };
  }
}

class Decision extends ReceiverOnly {
  readonly goName = 'library.decisionVal';
  override readonly type = DECISION_TYPE;
  readonly answer: AccessAnswer;

  constructor(answer: AccessAnswer) {
    super();
    this.answer = answer;
  }
}

/** `authorizer.group(…).resource(…).check(…).allowed()` and its relatives. */
export function authorizerLibrary(): Library {
  return {
    functions: [
      declareFunction('path', [
        member('authorizer_path', [AUTHORIZER_TYPE, STRING], PATH_CHECK_TYPE, on(AuthorizerValue, pathCheck)),
      ]),
      declareFunction('group', [
        member('authorizer_group', [AUTHORIZER_TYPE, STRING], GROUP_CHECK_TYPE, on(AuthorizerValue, groupCheck)),
      ]),
      declareFunction('serviceAccount', [
        member('authorizer_serviceaccount', [AUTHORIZER_TYPE, STRING, STRING], AUTHORIZER_TYPE, serviceAccount),
      ]),
      declareFunction('resource', [
        member('groupcheck_resource', [GROUP_CHECK_TYPE, STRING], RESOURCE_CHECK_TYPE, on(GroupCheck, resourceCheck)),
      ]),
      refinement('subresource', 'resourcecheck_subresource'),
      refinement('namespace', 'resourcecheck_namespace'),
      refinement('name', 'resourcecheck_name'),
      declareFunction('check', [
        member('pathcheck_check', [PATH_CHECK_TYPE, STRING], DECISION_TYPE, on(PathCheck, decidePath)),
        member('resourcecheck_check', [RESOURCE_CHECK_TYPE, STRING], DECISION_TYPE, on(ResourceCheck, decideResource)),
      ]),
      reading('errored', BOOL, ({ error }) => error !== undefined),
      reading('error', STRING, ({ error }) => error ?? ''),
      reading('allowed', BOOL, ({ isAllowed }) => isAllowed),
      reading('reason', STRING, ({ reason }) => reason),
    ],
  };
}

/** `fieldSelector` and `labelSelector` of a resource check. */
export function authorizerSelectorsLibrary(): Library {
  return {
    functions: [
      refinement('fieldSelector', 'authorizer_fieldselector'),
      refinement('labelSelector', 'authorizer_labelselector'),
    ],
  };
}

function on<T extends Opaque>(
  kind: abstract new (...args: never) => T,
  apply: (receiver: T, argument: string) => Value,
): Implementation {
  return binary((receiver, argument) =>
    receiver instanceof kind ? apply(receiver, argument as string) : noSuchOverload(),
  );
}

function pathCheck(authorizer: AuthorizerValue, path: string): Value {
  return trimGo(path) === '' ? new CelError('path must not be empty') : new PathCheck(authorizer, path);
}

function groupCheck(authorizer: AuthorizerValue, group: string): Value {
  return new GroupCheck(authorizer, group);
}

function resourceCheck({ authorizer, group }: GroupCheck, resource: string): Value {
  return trimGo(resource) === ''
    ? new CelError('resource must not be empty')
    : new ResourceCheck(authorizer, { group, resource });
}

function serviceAccount(authorizer: Value, namespace: Value, name: Value): Value {
  if (!(authorizer instanceof AuthorizerValue)) return noSuchOverload();
  if (dns1123SubdomainProblems(name as string).length > 0) return new CelError('Invalid service account name');
  if (dns1123LabelProblems(namespace as string).length > 0) return new CelError('Invalid service account namespace');
  return new AuthorizerValue(authorizer.oracle, { namespace: namespace as string, name: name as string });
}

function refinement(name: keyof ResourceQuestion, id: string): FunctionDeclaration {
  const refine = ({ authorizer, question }: ResourceCheck, value: string): Value =>
    new ResourceCheck(authorizer, { ...question, [name]: value });
  return declareFunction(name, [
    member(id, [RESOURCE_CHECK_TYPE, STRING], RESOURCE_CHECK_TYPE, on(ResourceCheck, refine)),
  ]);
}

function decidePath({ authorizer, path }: PathCheck, verb: string): Value {
  return decide(authorizer, { verb, path });
}

function decideResource({ authorizer, question }: ResourceCheck, verb: string): Value {
  return decide(authorizer, { verb, resource: question });
}

function decide({ oracle, serviceAccount }: AuthorizerValue, question: Omit<AccessQuestion, 'serviceAccount'>): Value {
  return new Decision(oracle.decide({ ...question, serviceAccount }));
}

function reading(name: string, result: Type, read: (answer: AccessAnswer) => Value): FunctionDeclaration {
  const apply = (value: Value): Value => (value instanceof Decision ? read(value.answer) : noSuchOverload());
  return declareFunction(name, [member(`decision_${name}`, [DECISION_TYPE], result, apply)]);
}
