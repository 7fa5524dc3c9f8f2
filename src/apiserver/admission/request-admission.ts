import {
  type ApiObject,
  badRequest,
  booleanParameter,
  canonicalize,
  DecodeError,
  type GroupVersionKind,
  integerParameter,
  managedFieldsProblem,
  type Query,
  type Shape,
  type Struct,
  withMeta,
} from '../../api/index.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { AdmissionAttributes } from './admission-attributes.ts';
import type { AdmissionStep, Operation, OperationOptions } from './admission-attributes.ts';
import type { AdmissionPlan } from './admission.ts';

export interface RequestAdmissionOptions {
  readonly dryRun: boolean;
  readonly kind?: GroupVersionKind;
  readonly deleteOptions?: OperationOptions;
}

/** Admission for one request: the only place that creates attributes. */
export class RequestAdmission {
  readonly #call: Call;
  readonly #endpoint: Endpoint;
  readonly #options: RequestAdmissionOptions;

  constructor(call: Call, endpoint: Endpoint, options: RequestAdmissionOptions) {
    this.#call = call;
    this.#endpoint = endpoint;
    this.#options = options;
  }

  /** The new object after mutation: `object` itself, or its replacement by plugins. */
  mutateCreate(object: ApiObject): ApiObject | Promise<ApiObject> {
    const plan = this.#planFor('CREATE');
    return plan.mutates ? mutated(object, this.#create(object), plan) : object;
  }

  validateCreate(object: ApiObject): void | Promise<void> {
    const plan = this.#planFor('CREATE');
    if (plan.validates) return plan.validate(this.#create(object));
  }

  /** The changed object after mutation: `object` itself, or its replacement by plugins. */
  mutateUpdate(object: ApiObject, old: ApiObject): ApiObject | Promise<ApiObject> {
    const plan = this.#planFor('UPDATE');
    return plan.mutates ? mutated(object, this.#attributes({ operation: 'UPDATE', object, old }), plan) : object;
  }

  validateUpdate(object: ApiObject, old: ApiObject): void | Promise<void> {
    const plan = this.#planFor('UPDATE');
    if (plan.validates) return plan.validate(this.#attributes({ operation: 'UPDATE', object, old }));
  }

  /** Admits the deletion of one object; for a collection, the names are not part of the request. */
  async admitDelete(old: ApiObject): Promise<void> {
    await this.#admit(this.#attributes({ operation: 'DELETE', object: undefined, old }));
  }

  /** Admits a connection; its options, from path and query, are the object. */
  async admitConnect(struct: Struct): Promise<void> {
    if (this.#call.request.query.has('dryRun')) throw badRequest('dryRun is not supported');
    const object = connectionOptions(this.#call, struct);
    await this.#admit(this.#attributes({ operation: 'CONNECT', object, old: undefined }));
  }

  async #admit(attributes: AdmissionAttributes): Promise<void> {
    const plan = this.#planFor(attributes.operation);
    await plan.mutate(attributes);
    await plan.validate(attributes);
  }

  #planFor(operation: Operation): AdmissionPlan {
    const { resource, services } = this.#endpoint;
    return services.admission.planFor(operation, resource, this.#call.info.subresource);
  }

  #create(object: ApiObject): AdmissionAttributes {
    const { resource } = this.#endpoint;
    const { name: path, namespace } = this.#call.info;
    const name = path === '' ? (object.metadata.name ?? '') : path;
    const isNamespace = resource.plural === 'namespaces' && resource.group === '';
    const place = namespace === '' && isNamespace ? name : namespace;
    return this.#attributes({ operation: 'CREATE', object, old: undefined }, name, place);
  }

  #attributes(
    { operation, object, old }: Pick<AdmissionStep, 'operation' | 'object' | 'old'>,
    name = this.#call.info.name,
    namespace = this.#call.info.namespace,
  ): AdmissionAttributes {
    const { dryRun, kind, deleteOptions } = this.#options;
    const step = { operation, namespace, name, object, old, dryRun, kind, deleteOptions };
    return new AdmissionAttributes(this.#call, this.#endpoint.resource, step);
  }
}

/** The object after mutation. */
function mutated(
  before: ApiObject,
  attributes: AdmissionAttributes,
  plan: AdmissionPlan,
): ApiObject | Promise<ApiObject> {
  const { managedFields } = before.metadata;
  const running = plan.mutate(attributes);
  if (running === undefined) return withReadableManagers(attributes.object ?? before, managedFields, attributes);
  return running.then(() => withReadableManagers(attributes.object ?? before, managedFields, attributes));
}

/** When a plugin makes managedFields unreadable, restores them, with a warning. */
function withReadableManagers(
  object: ApiObject,
  managedFields: ApiObject['metadata']['managedFields'],
  attributes: AdmissionAttributes,
): ApiObject {
  if (object.metadata.managedFields === managedFields) return object;
  const problem = managedFieldsProblem(object.metadata.managedFields);
  if (problem === undefined) return object;
  attributes.warn(
    '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating ' +
      `admission controller; please fix your requests: ${problem}`,
  );
  return { ...object, metadata: withMeta(object.metadata, { managedFields }) };
}

/** The options of a connection as an object: each member from the query parameter of that name, `path` from the rest of the path. */
function connectionOptions(call: Call, struct: Struct): ApiObject {
  const { query } = call.request;
  const { info } = call;
  const options: Record<string, unknown> = {};
  for (const { name, shape } of struct.fields) {
    if (name === 'path') options[name] = info.subpath;
    else if (query.has(name)) options[name] = valueOf(query, name, shape);
  }
  const { kind = '', version = '' } = struct.kind ?? {};
  try {
    return { ...(canonicalize(options, struct) as object), kind, apiVersion: version } as unknown as ApiObject;
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message, { cause: error });
    throw error;
  }
}

function valueOf(query: Query, name: string, shape: Shape): unknown {
  if (shape.kind === 'list') {
    const isNumeric = shape.element.kind === 'scalar' && shape.element.scalar === 'int32';
    return isNumeric ? query.all(name).map(Number) : query.all(name);
  }
  if (shape.kind !== 'scalar') return undefined;
  switch (shape.scalar) {
    case 'bool':
      return booleanParameter(query, name);
    case 'int32':
    case 'int64':
      return integerParameter(query, name);
    default:
      return query.get(name);
  }
}
