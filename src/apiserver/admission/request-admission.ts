import { badRequest, managedFieldsProblem, withMeta } from '../../api/index.ts';
import type { ApiObject, GroupVersionKind, Struct } from '../../api/index.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { connectionOptions } from '../request/connection-options.ts';
import { AdmissionAttributes, type AdmissionStep } from './admission-attributes.ts';
import type { OperationOptions } from './operation-options.ts';

export interface RequestAdmissionOptions {
  readonly dryRun: boolean;
  readonly kind?: GroupVersionKind;
  readonly deleteOptions?: OperationOptions;
}

/** The admission of what one request does: the only place where attributes are made. */
export class RequestAdmission {
  readonly #call: Call;
  readonly #endpoint: Endpoint;
  readonly #options: RequestAdmissionOptions;

  constructor(call: Call, endpoint: Endpoint, options: RequestAdmissionOptions) {
    this.#call = call;
    this.#endpoint = endpoint;
    this.#options = options;
  }

  /** The new object after mutation: `object` itself, or what plugins have made of it. */
  mutateCreate(object: ApiObject): Promise<ApiObject> {
    return this.#mutate(this.#create(object), object);
  }

  async validateCreate(object: ApiObject): Promise<void> {
    await this.#admission.validate(this.#create(object));
  }

  /** The changed object after mutation: `object` itself, or what plugins have made of it. */
  mutateUpdate(object: ApiObject, old: ApiObject): Promise<ApiObject> {
    return this.#mutate(this.#attributes({ operation: 'UPDATE', object, old }), object);
  }

  async validateUpdate(object: ApiObject, old: ApiObject): Promise<void> {
    await this.#admission.validate(this.#attributes({ operation: 'UPDATE', object, old }));
  }

  /** Asks for one object; for those of a collection too, whose names are not part of the request. */
  async admitDelete(old: ApiObject): Promise<void> {
    const attributes = this.#attributes({ operation: 'DELETE', object: undefined, old });
    await this.#admission.mutate(attributes);
    await this.#admission.validate(attributes);
  }

  /** Asks for a connection; its options, which are in path and query, take the place of an object. */
  async admitConnect(struct: Struct): Promise<void> {
    if (this.#call.query.has('dryRun')) throw badRequest('dryRun is not supported');
    const object = connectionOptions(this.#call, struct);
    const attributes = this.#attributes({ operation: 'CONNECT', object, old: undefined });
    await this.#admission.mutate(attributes);
    await this.#admission.validate(attributes);
  }

  get #admission() {
    return this.#endpoint.services.admission;
  }

  #create(object: ApiObject): AdmissionAttributes {
    const { resource } = this.#endpoint;
    const { name: path, namespace } = this.#call.info;
    const name = path === '' ? (object.metadata.name ?? '') : path;
    const isNamespace = resource.plural === 'namespaces' && resource.group === '';
    const place = { name, namespace: namespace === '' && isNamespace ? name : namespace };
    return this.#attributes({ operation: 'CREATE', object, old: undefined, ...place });
  }

  #attributes(step: Pick<AdmissionStep, 'operation' | 'object' | 'old'> & Partial<AdmissionStep>): AdmissionAttributes {
    const { namespace, name } = this.#call.info;
    return new AdmissionAttributes(this.#call, this.#endpoint.resource, { namespace, name, ...this.#options, ...step });
  }

  /** Owners that mutation has made unreadable are put back as they were, with a warning. */
  async #mutate(attributes: AdmissionAttributes, before: ApiObject): Promise<ApiObject> {
    const { managedFields } = before.metadata;
    const running = this.#admission.mutate(attributes);
    if (running !== undefined) await running;
    const object = attributes.object ?? before;
    if (object.metadata.managedFields === managedFields) return object;
    const problem = managedFieldsProblem(object.metadata.managedFields);
    if (problem === undefined) return object;
    attributes.warn(
      '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating ' +
        `admission controller; please fix your requests: ${problem}`,
    );
    return { ...object, metadata: withMeta(object.metadata, { managedFields }) };
  }
}
