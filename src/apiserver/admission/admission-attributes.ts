import type { ApiObject, GroupVersionKind, Query } from '../../api/index.ts';
import type { AuditDetail } from '../request/request-record.ts';
import type { Call } from '../request/call.ts';
import type { UserInfo } from '../request/principal.ts';
import type { RequestTrace, TraceStep } from '../trace/request-trace.ts';
import type { Resource } from '../resource.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The part of a request that decides which plugins apply to it. */
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

/** What differs between the steps of one request. */
export interface AdmissionStep {
  readonly operation: Operation;
  readonly namespace: string;
  readonly name: string;
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  readonly dryRun: boolean;
  /** The kind of the objects, when it is not the resource's own: a Scale, a Binding, the options of a connection. */
  readonly kind?: GroupVersionKind;
  /** The options of a delete, from its body. */
  readonly deleteOptions?: OperationOptions;
  /** The attributes as the client sent them, when these are converted to another version of the resource. */
  readonly asked?: AdmissionAttributes;
}

/** A write or a connection during admission, as plugins, webhooks and policies see it. */
export class AdmissionAttributes implements AdmissionTarget {
  readonly operation: Operation;
  readonly resource: Resource;
  /** The kind of `object` and `old`. */
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  /** The namespace; for Namespaces, their own name. */
  readonly namespace: string;
  /** Empty until a new object's name is generated, and for the objects of a deleted collection. */
  readonly name: string;
  /** The object to be written, which `mutate` may replace; the options of a connection. Absent on delete. */
  object: ApiObject | undefined;
  /** The stored object. Absent on create and connect. */
  readonly old: ApiObject | undefined;
  readonly dryRun: boolean;
  readonly #call: Call;
  readonly #step: AdmissionStep;
  /** The trace step of the plugin that is running; set by the chain. */
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

  /** Aborts when the answer is no longer needed. */
  get signal(): AbortSignal {
    return this.#call.request.signal;
  }

  /** CreateOptions, UpdateOptions or DeleteOptions of `meta.k8s.io/v1`, as the client set them; undefined for a connection. */
  get options(): OperationOptions | undefined {
    if (this.operation === 'CONNECT') return undefined;
    const kind = this.operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions';
    return this.#step.deleteOptions ?? optionsOfWrite(this.#call.request.query, kind);
  }

  /** The trace of the request; undefined when it is not traced. */
  get trace(): RequestTrace | undefined {
    return this.#call.record.trace;
  }

  /** The trace step of the running plugin, which may add steps inside it; undefined when the request is not traced. */
  get step(): TraceStep | undefined {
    return (this.#step.asked ?? this).plugin;
  }

  /** The same request for another version of the resource, for rules that name only that version. */
  as(resource: Resource, objects: Pick<AdmissionStep, 'object' | 'old'>): AdmissionAttributes {
    const kind = this.kind === this.resource ? resource : this.kind;
    return new AdmissionAttributes(this.#call, resource, { ...this.#step, ...objects, kind, asked: this });
  }

  /** The resource that the client named, even when these attributes are converted to another version. */
  get requestResource(): GroupVersionResource {
    const { group, version, plural } = (this.#step.asked ?? this).resource;
    return { group, version, resource: plural };
  }

  get requestKind(): GroupVersionKind {
    const { group, version, kind } = (this.#step.asked ?? this).kind;
    return { group, version, kind };
  }

  /** Adds a warning for the client. */
  warn(message: string): void {
    this.#call.record.warnings.add(message);
  }

  /** Adds an entry to the audit event of the request; the first value of a key stays. */
  annotate(key: string, value: string, detail?: AuditDetail): void {
    this.#call.record.annotations.add(key, value, detail);
  }

  /** Whether this is the second pass of mutation, which a plugin has requested. */
  get isReinvoked(): boolean {
    return this.#isReinvoked;
  }

  /** Makes all mutating plugins run once more after this pass, because the object has changed since they saw it. */
  requestReinvocation(): void {
    this.#wantsReinvocation = true;
  }

  /** For the chain: whether a second pass is due; calling it begins that pass. There is never a third. */
  beginReinvocation(): boolean {
    if (!this.#wantsReinvocation || this.#isReinvoked) return false;
    return (this.#isReinvoked = true);
  }
}

/** The options of an operation as an object of `meta.k8s.io/v1`; members that the client did not set are absent. */
export interface OperationOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions';
  readonly apiVersion: 'meta.k8s.io/v1';
  readonly [member: string]: unknown;
}

export function operationOptions(kind: OperationOptions['kind'], members: object): OperationOptions {
  const stated = Object.entries(members).filter(([, value]) => value !== undefined);
  return { kind, apiVersion: 'meta.k8s.io/v1', ...Object.fromEntries(stated) };
}

/** The options of a create or update; a patch is one of the two, depending on whether the object exists. */
function optionsOfWrite(query: Query, kind: 'CreateOptions' | 'UpdateOptions'): OperationOptions {
  return operationOptions(kind, {
    dryRun: query.has('dryRun') ? query.all('dryRun') : undefined,
    fieldManager: query.get('fieldManager') || undefined,
    fieldValidation: query.get('fieldValidation') || undefined,
  });
}
