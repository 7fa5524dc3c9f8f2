import { type ApiObject, JsonBody, encodeJson, parseUntyped, type Status, YamlBody } from '../../api/index.ts';
import {
  type AnswerText,
  type AuditDetail,
  type Call,
  type RequestAudit,
  isLongRunning,
  type UserInfo,
} from '../../apiserver/index.ts';
import { DecodeError, formatGoDuration } from '../../base/index.ts';
import type { AuditEvent, AuditUser, ObjectReference, RawJson, ResponseStatus } from './audit-event.ts';
import type { AuditStage } from './audit-policy.ts';
import type { AuditVerdict } from './audit-rules.ts';
import { sourceAddresses } from './source-addresses.ts';

export interface AuditedRequestOptions {
  readonly auditId: string;
  readonly verdict: AuditVerdict & { readonly level: AuditDetail };
  /** Longer objects are left out of events. */
  readonly maxObjectBytes: number;
}

/** The events of slower requests say how long they took. */
const SLOW_MS = 500;
const MAX_USER_AGENT = 1024;
const TRUNCATED = 'audit.k8s.io/truncated';

/** Collects what is known about one request, and makes its events. */
export class AuditedRequest implements RequestAudit {
  readonly #call: Call;
  readonly #options: AuditedRequestOptions;
  /** The authenticated user, before impersonation. */
  readonly #user: AuditUser;
  #object: ObjectReference | undefined;
  #sent: RawJson | undefined;
  #answer: RawJson | undefined;
  #status: ResponseStatus | undefined;
  #isTooLarge = false;

  constructor(call: Call, options: AuditedRequestOptions) {
    this.#call = call;
    this.#options = options;
    this.#user = userOf(call.principal.user);
    this.#object = referenceOf(call.info);
  }

  sent(object: Partial<ApiObject>, text: (object: Partial<ApiObject>) => string): void {
    const { level, omitManagedFields } = this.#options.verdict;
    this.#object = completed(this.#object ?? {}, object.metadata ?? {});
    if (level === 'Metadata') return;
    this.#sent = this.#kept(text(omitManagedFields ? withoutManagedFields(object) : object));
  }

  sentPatch(body: Uint8Array): void {
    if (this.#options.verdict.level !== 'Metadata') this.#sent = this.#kept(patchText(body));
  }

  answered(status: Status | undefined, text: AnswerText): void {
    const { level, omitManagedFields } = this.#options.verdict;
    if (status !== undefined) this.#status = statusOf(status);
    if (level !== 'RequestResponse') return;
    const pieces = text({ omitManagedFields });
    this.#answer = pieces === undefined ? undefined : this.#joined(pieces);
  }

  /** Sets the status code of the answer, whatever else is known about it. */
  endedWith(code: number): void {
    this.#status = { ...this.#status, code };
  }

  /** Replaces the answer's own status in events. */
  set status(status: ResponseStatus) {
    this.#status = status;
  }

  /** Undefined when the policy omits events of this stage. */
  event(stage: AuditStage, now: number): AuditEvent | undefined {
    const { verdict, auditId } = this.#options;
    if (verdict.omitStages.has(stage)) return undefined;
    const call = this.#call;
    const { impersonation } = call.principal;
    const { receivedAt } = call.record;
    if (stage === 'ResponseComplete' && !isLongRunning(call.info) && now - receivedAt > SLOW_MS)
      this.#annotateLatency(now - receivedAt);
    const annotations = call.record.annotations.for(verdict.level);
    const agent = call.request.header('user-agent') ?? '';
    const constraint = impersonation?.constraint ?? '';
    return {
      level: verdict.level,
      auditID: auditId,
      stage,
      requestURI: call.request.uri,
      verb: call.info.verb,
      user: this.#user,
      ...(impersonation === undefined ? {} : { impersonatedUser: userOf(call.principal.user) }),
      ...(constraint === '' ? {} : { authenticationMetadata: { impersonationConstraint: constraint } }),
      sourceIPs: sourceAddresses(call.request),
      ...(agent === '' ? {} : { userAgent: shortened(agent) }),
      ...(this.#object === undefined ? {} : { objectRef: this.#object }),
      ...(this.#status === undefined ? {} : { responseStatus: this.#status }),
      ...(this.#sent === undefined || this.#isTooLarge ? {} : { requestObject: this.#sent }),
      ...(this.#answer === undefined || this.#isTooLarge ? {} : { responseObject: this.#answer }),
      requestReceivedTimestamp: receivedAt,
      stageTimestamp: stage === 'RequestReceived' ? receivedAt : now,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    };
  }

  #annotateLatency(ms: number): void {
    this.#call.record.annotations.add(
      'apiserver.latency.k8s.io/total',
      formatGoDuration(BigInt(Math.round(ms)) * 1_000_000n),
    );
  }

  #joined(pieces: Iterable<Uint8Array>): RawJson | undefined {
    const taken: Uint8Array[] = [];
    let bytes = 0;
    for (const piece of pieces) {
      bytes += piece.length;
      if (bytes > this.#options.maxObjectBytes) return this.#leftOut();
      taken.push(piece);
    }
    return { json: Buffer.concat(taken).toString().trimEnd() };
  }

  #kept(json: string): RawJson | undefined {
    return json.length > this.#options.maxObjectBytes ? this.#leftOut() : { json };
  }

  /** Notes that the objects of this request are left out, because one of them is too large. */
  #leftOut(): undefined {
    this.#isTooLarge = true;
    this.#call.record.annotations.add(TRUNCATED, 'true');
  }
}

function userOf({ name, uid = '', groups, extra = {} }: UserInfo): AuditUser {
  return {
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function referenceOf(info: Call['info']): ObjectReference | undefined {
  if (!info.isResource) return undefined;
  const { resource, namespace, name, group: apiGroup, version: apiVersion, subresource } = info;
  return present({ resource, namespace, name, apiGroup, apiVersion, subresource });
}

/** Fills in from the object what the path does not say. */
function completed(reference: ObjectReference, metadata: ApiObject['metadata']): ObjectReference {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata;
  const { resource, apiGroup, apiVersion, subresource } = reference;
  return present({
    resource,
    namespace: reference.namespace ?? namespace,
    name: reference.name ?? name,
    uid: reference.uid ?? uid,
    apiGroup,
    apiVersion,
    resourceVersion: reference.resourceVersion ?? resourceVersion,
    subresource,
  });
}

function present(members: { readonly [Name in keyof ObjectReference]: string | undefined }): ObjectReference {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => (value ?? '') !== ''));
}

function statusOf({ status, message, reason, details, code }: Status): ResponseStatus {
  return {
    ...(status === undefined ? {} : { status }),
    ...((message ?? '') === '' ? {} : { message }),
    ...((reason ?? '') === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

function withoutManagedFields(object: Partial<ApiObject>): Partial<ApiObject> {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function shortened(agent: string): string {
  return agent.length > MAX_USER_AGENT ? `${agent.slice(0, MAX_USER_AGENT)}...TRUNCATED` : agent;
}

/** Patches are JSON or YAML; any other is recorded as a string. */
function patchText(body: Uint8Array): string {
  for (const parse of [() => parseUntyped(new JsonBody(body)), () => new YamlBody(body).untyped()]) {
    try {
      return encodeJson(parse());
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  }
  return encodeJson(Buffer.from(body).toString());
}
