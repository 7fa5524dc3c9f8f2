import {
  badRequest,
  conflict,
  formatTime,
  instantOfMillis,
  invalid,
  invalidValue,
  notFound,
  quoteGo,
  StatusError,
  withMeta,
} from '../../api/index.ts';
import type { ApiObject, FieldError } from '../../api/index.ts';
import type { TokenRequest } from '../../api/types/authentication/v1.d.ts';
import type { Pod, ServiceAccount } from '../../api/types/core/v1.d.ts';
import type { ActionCall, ObjectsOf } from '../../apiserver/index.ts';
import type { BoundObject, TokenIssuer } from '../access.ts';
import { ageColumn, nameColumn } from '../columns/column.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';

export function serviceAccounts(environment: KindEnvironment): Kind {
  return defineKind<ServiceAccount>({
    changeSteps: ['metadataChange', 'metadata', 'object'],
    group: '',
    plural: 'serviceaccounts',
    columns: [nameColumn, ageColumn],
    returnsDeletedObject: true,
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,

    warnings({ metadata }, old) {
      if (metadata.annotations?.[ENFORCE] === undefined) return [];
      if (old?.metadata.annotations?.[ENFORCE] !== undefined) return [];
      const advice = 'prefer separate namespaces to isolate access to mounted secrets';
      return [`metadata.annotations[${ENFORCE}]: deprecated in v1.32+; ${advice}`];
    },

    subresources: {
      token: (info) => ({
        type: 'action',
        verbs: info.verbs,
        kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
        struct: info.type,
        run: tokenRequestOf(environment),
      }),
    },
  });
}

/** Secrets are in the same namespace: only the name of a reference is kept. */
function keepSecretNames(account: Whole<ServiceAccount>): void {
  if (account.secrets === undefined) return;
  account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

const KIND = { group: 'authentication.k8s.io', resource: 'TokenRequest' };
const HOUR_SECONDS = 3600;

/** The lifetime that mounted tokens of pods request: an hour plus seconds by which they are recognized. */
const MOUNTED_TOKEN_SECONDS = 3607;

type Reference = NonNullable<Whole<TokenRequest>['spec']['boundObjectRef']>;

/** A token for a service account, bound to an object whose deletion invalidates it. */
function tokenRequestOf(environment: KindEnvironment): (call: ActionCall) => Promise<ApiObject> {
  const objects = {
    Pod: environment.objects.of('', 'pods'),
    Node: environment.objects.of('', 'nodes'),
    Secret: environment.objects.of('', 'secrets'),
  };
  return async (call) => {
    const account = await checkedAccount(call);
    refuseBadLifetime((call.body as unknown as Whole<TokenRequest>).spec.expirationSeconds ?? HOUR_SECONDS);
    const { tokenIssuer: issuer } = environment;
    if (issuer === undefined) {
      const message = 'Cannot issue tokens: this server was started without a key to sign them';
      throw new StatusError({ code: 405, reason: 'MethodNotAllowed', message });
    }
    const request = filledIn(call, account, issuer);
    const { spec } = request as unknown as Whole<TokenRequest>;
    const { audiences = [] } = spec;
    await call.admit(request);
    const reference = spec.boundObjectRef ?? undefined;
    const bound = reference === undefined ? undefined : await findBound(reference, call, objects);
    const seconds = shortened(spec.expirationSeconds ?? HOUR_SECONDS, issuer, call);
    const isMounted = bound?.object.kind === 'Pod' && seconds === MOUNTED_TOKEN_SECONDS;
    const isForUs = audiences.every((audience) => issuer.apiAudiences.includes(audience));
    const extended = isMounted && isForUs ? issuer.extendedExpirationSeconds : undefined;
    const { token, tokenId } = await issuer.issue({
      namespace: call.namespace,
      serviceAccount: { name: account.metadata.name ?? '', uid: account.metadata.uid ?? '' },
      boundTo: bound?.object,
      node: bound?.node,
      audiences,
      expirationSeconds: extended ?? seconds,
      warnAfterSeconds: extended === undefined ? undefined : seconds,
      now: call.context.now,
    });
    call.context.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${tokenId}`);
    const expirationTimestamp = formatTime(instantOfMillis(call.context.now + seconds * 1000));
    return {
      ...request,
      spec: { ...spec, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
      status: { token, expirationTimestamp },
    };
  };
}

/** The request with the server's defaults. */
function filledIn({ body, context }: ActionCall, { metadata }: ApiObject, { apiAudiences }: TokenIssuer): ApiObject {
  const { spec } = body as unknown as Whole<TokenRequest>;
  const audiences = (spec.audiences ?? []).length === 0 ? apiAudiences : (spec.audiences ?? []);
  return {
    ...body,
    metadata: withMeta(body.metadata, {
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
      creationTimestamp: formatTime(instantOfMillis(context.now)),
    }),
    spec: { ...spec, audiences: [...audiences] },
  };
}

/** Checks that the body agrees with the account. */
async function checkedAccount({ namespace, name, body, objects }: ActionCall): Promise<ApiObject> {
  const sent = body.metadata;
  const refuse = (field: string, value: string, what: string): StatusError =>
    invalid(KIND, name, [invalidValue(field, value, `must match the service account ${what} if specified`)]);
  if ((sent.name ?? '') !== '' && sent.name !== name) throw refuse('metadata.name', sent.name ?? '', 'name');
  if ((sent.namespace ?? '') !== '' && sent.namespace !== namespace) {
    throw refuse('metadata.namespace', sent.namespace ?? '', 'namespace');
  }
  const account = await objects.get();
  const { uid = '' } = account.metadata;
  if ((sent.uid ?? '') !== '' && sent.uid !== uid) {
    const why = `the UID in the token request (${sent.uid}) does not match the UID of the service account (${uid})`;
    throw conflict(KIND, name, why);
  }
  return account;
}

const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

function refuseBadLifetime(seconds: number): void {
  const field = 'spec.expirationSeconds';
  const errors: FieldError[] = [];
  if (seconds < MIN_SECONDS)
    errors.push(invalidValue(field, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > MAX_SECONDS) {
    errors.push(invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
  if (errors.length > 0) throw invalid(KIND, '', errors);
}

function shortened(seconds: number, { maxExpirationSeconds: limit }: TokenIssuer, { context }: ActionCall): number {
  if (limit === undefined || seconds <= limit) return seconds;
  context.warn(`requested expiration of ${seconds} seconds shortened to ${limit} seconds`);
  return limit;
}

interface Bound {
  readonly object: BoundObject;
  readonly node: { readonly name: string; readonly uid: string } | undefined;
}

async function findBound(
  reference: Reference,
  { namespace, name: account }: ActionCall,
  objects: Readonly<Record<BoundObject['kind'], ObjectsOf>>,
): Promise<Bound> {
  const { kind = '', apiVersion = '', name = '', uid: expected = '' } = reference;
  if (apiVersion.includes('/') || !isBindable(kind)) {
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    throw badRequest(`cannot bind token to object of type ${group}/${apiVersion.slice(slash + 1)}, Kind=${kind}`);
  }
  const found = await objects[kind].newest(namespace, name);
  if (found === undefined) throw notFound({ group: '', resource: `${kind.toLowerCase()}s` }, name);
  const { uid = '' } = found.metadata;
  const { spec } = found as unknown as Whole<Pod>;
  if (kind === 'Pod' && spec.serviceAccountName !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${quoteGo(account)} to pod running with different serviceaccount name.`,
    );
  }
  if (expected !== '' && uid !== expected) {
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${expected}) does not match the UID in record. ` +
        'The object might have been deleted and then recreated',
    );
  }
  const nodeName = kind === 'Pod' ? (spec.nodeName ?? '') : '';
  const node = nodeName === '' ? undefined : await objects.Node.newest('', nodeName);
  return {
    object: { kind, name, uid },
    node: nodeName === '' ? undefined : { name: nodeName, uid: node?.metadata.uid ?? '' },
  };
}

function isBindable(kind: string): kind is BoundObject['kind'] {
  return kind === 'Pod' || kind === 'Node' || kind === 'Secret';
}
