import type { ApiObject, GroupVersionKind, Query } from '../../api/index.ts';
import type { AuditDetail } from '../request/request-record.ts';
import type { Call } from '../request/call.ts';
import type { UserInfo } from '../request/principal.ts';
import type { RequestTrace, TraceStep } from '../trace/request-trace.ts';
import type { Resource } from '../resource.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** As much of a request as decides which plugins have anything to do with it. */
export interface AdmissionTarget {
  readonly operation: Operation;
  readonly resource: Resource;
  /** Empty for the resource itself. */
  readonly subresource: string;
}

export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** What is known of one step of a request; the rest is the same for all its steps. */
export interface AdmissionStep {
  readonly operation: Operation;
  readonly namespace: string;
  readonly name: string;
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  readonly dryRun: boolean;
  /** The kind of the objects, where it is not the resource's own: a Scale, a Binding, the options of a connection. */
  readonly kind?: GroupVersionKind;
  /** The options of a delete, which come in the body. */
  readonly deleteOptions?: OperationOptions;
  /** What the client asked for, where these attributes show it as another version of the resource. */
  readonly asked?: AdmissionAttributes;
}

/** A write or a connection on its way through admission, as plugins, webhooks and policies see it. */
export class AdmissionAttributes implements AdmissionTarget {
  readonly operation: Operation;
  readonly resource: Resource;
  /** The kind of `object` and `old`. */
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  /** For Namespaces, their own name. */
  readonly namespace: string;
  /** Empty while a new object's name is still to be generated, and for the objects of a deleted collection. */
  readonly name: string;
  /** The object as it is to be written, which `mutate` may replace; the options of a connection. Absent on delete. */
  object: ApiObject | undefined;
  /** The object as it is stored. Absent on create and connect. */
  readonly old: ApiObject | undefined;
  readonly dryRun: boolean;
  readonly #call: Call;
  readonly #step: AdmissionStep;
  /** The plugin that is at work; for the chain, which says so where the request is traced. */
  plugin: TraceStep | undefined;
  #isReinvoked = false;
  #wantsReinvocation = false;

  constructor(call: Call, resource: Resource, step: AdmissionStep) {
    this.#call = call;
    this.resource = resource;
    this.subresource = call.info.subresource;
    this.operation = step.operation;
    this.kind = step.kind ?? resource;
    this.namespace = step.namespace;
    this.name = step.name;
    this.object = step.object;
    this.old = step.old;
    this.dryRun = step.dryRun;
    this.#step = step;
  }

  get user(): UserInfo {
    return this.#call.principal.user;
  }

  /** Aborts when the answer is no longer wanted. */
  get signal(): AbortSignal {
    return this.#call.request.signal;
  }

  /** CreateOptions, UpdateOptions or DeleteOptions of `meta.k8s.io/v1`, with what the client stated; none for a connection. */
  get options(): OperationOptions | undefined {
    if (this.operation === 'CONNECT') return undefined;
    const kind = this.operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions';
    return this.#step.deleteOptions ?? optionsOfWrite(this.#call.request.query, kind);
  }

  /** Where the steps of the request are noted; undefined when it is not traced. */
  get trace(): RequestTrace | undefined {
    return this.#call.record.trace;
  }

  /** The step of the plugin that is at work, to which it may add steps of its own; undefined when the request is not traced. */
  get step(): TraceStep | undefined {
    return (this.#step.asked ?? this).plugin;
  }

  /** The same request as one for another version of the resource, for rules that name only that one. */
  as(resource: Resource, objects: Pick<AdmissionStep, 'object' | 'old'>): AdmissionAttributes {
    const kind = this.kind === this.resource ? resource : this.kind;
    return new AdmissionAttributes(this.#call, resource, { ...this.#step, ...objects, kind, asked: this });
  }

  /** The resource that the client named, whatever version of it these attributes show. */
  get requestResource(): GroupVersionResource {
    const { group, version, plural } = (this.#step.asked ?? this).resource;
    return { group, version, resource: plural };
  }

  get requestKind(): GroupVersionKind {
    const { group, version, kind } = (this.#step.asked ?? this).kind;
    return { group, version, kind };
  }

  /** Adds a text for the client. */
  warn(message: string): void {
    this.#call.record.warnings.add(message);
  }

  /** Adds an entry to the audit event of the request; the first value of a key stays. */
  annotate(key: string, value: string, detail?: AuditDetail): void {
    this.#call.record.annotations.add(key, value, detail);
  }

  /** True in the second pass of mutation, which a plugin has asked for. */
  get isReinvoked(): boolean {
    return this.#isReinvoked;
  }

  /** Lets all mutating plugins run once more after this pass, because the object is no longer what they saw. */
  requestReinvocation(): void {
    this.#wantsReinvocation = true;
  }

  /** For the chain: whether a second pass is due, which begins with this question. There is never a third. */
  beginReinvocation(): boolean {
    if (!this.#wantsReinvocation || this.#isReinvoked) return false;
    return (this.#isReinvoked = true);
  }
}

/** The options of an operation as an object of `meta.k8s.io/v1`; members that the client left out are absent. */
export interface OperationOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions';
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly [member: string]: unknown;
}

export function operationOptions(kind: OperationOptions['kind'], members: object): OperationOptions {
  const stated = Object.entries(members).filter(([, value]) => value !== undefined);
  return { kind, apiVersion: 'meta.k8s.io/v1', ...Object.fromEntries(stated) };
}

/** The options of a create or update; a patch counts as the one of the two that it turns out to be. */
function optionsOfWrite(query: Query, kind: 'CreateOptions' | 'UpdateOptions'): OperationOptions {
  return operationOptions(kind, {
    dryRun: query.has('dryRun') ? query.all('dryRun') : undefined,
    fieldManager: query.get('fieldManager') || undefined,
    fieldValidation: query.get('fieldValidation') || undefined,
  });
}
