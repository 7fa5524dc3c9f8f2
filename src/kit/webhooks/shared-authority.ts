import type { Clock, Random } from '../../base/index.ts';
import { type Client, hasReason, Secret, type Stored } from '../../client/index.ts';
import type { AccessNeed } from '../rbac/access-need.ts';
import { WebhookAuthority } from './serving-certificate.ts';

/** The Secret that holds the certificate authority shared by an app's replicas. */
export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

/** A certificate authority and its predecessors. */
export interface FoundAuthority {
  readonly authority: WebhookAuthority;
  /** PEM of former authorities whose certificates are still in use. */
  readonly former: string;
}

export interface AuthorityParts {
  readonly clock: Clock;
  readonly random: Random;
  /** The field manager that writes the Secret. */
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

export const SHARED_AUTHORITY_NEED: AccessNeed = {
  group: '',
  resource: 'secrets',
  verbs: ['get', 'create', 'update'],
  isLocal: true,
};

const CERTIFICATE = 'ca.crt';
const KEY = 'ca.key';
/** How often replicas check for a change by another one. */
export const LOOK_AGAIN_MS = 5 * 60_000;
const MAX_TRIES = 10;
const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g;

/** The certificate authority in a Secret: the first replica makes it, and the first one that finds it due replaces it. */
export async function sharedAuthority(
  client: Client,
  place: SecretPlace,
  parts: AuthorityParts,
): Promise<FoundAuthority> {
  const secrets = client.kind(Secret).namespace(place.namespace);
  const { fieldManager, signal } = parts;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
    const secret = await ifThere(secrets.get(place.name, { signal }));
    const found = secret === undefined ? undefined : read(secret, place, parts);
    if (found !== undefined && !found.authority.isDue) return found;
    const next = { authority: new WebhookAuthority(parts), former: found?.authority.certificate ?? '' };
    try {
      const data = dataOf(next);
      const metadata = { name: place.name };
      if (secret === undefined) await secrets.create({ metadata, data }, { fieldManager, signal });
      else await secrets.update({ ...secret, data: { ...secret.data, ...data } }, { fieldManager, signal });
      return next;
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists') && !hasReason(error, 'Conflict')) throw error;
    }
  }
  throw new Error(
    `Cannot agree on the authority in Secret "${nameOf(place)}": others have changed it ${MAX_TRIES} times`,
  );
}

function nameOf({ namespace, name }: SecretPlace): string {
  return `${namespace}/${name}`;
}

function read({ data = {} }: Stored<Secret>, place: SecretPlace, parts: AuthorityParts): FoundAuthority | undefined {
  const [bundle, privateKey] = [data[CERTIFICATE], data[KEY]].map((text) =>
    Buffer.from(text ?? '', 'base64').toString(),
  );
  if (bundle === '' && privateKey === '') return undefined; // created empty, to be filled
  const [certificate = '', ...former] = (bundle ?? '').match(CERTIFICATES) ?? [];
  try {
    return {
      authority: new WebhookAuthority(parts, { certificate, privateKey: privateKey ?? '' }),
      former: former.join(''),
    };
  } catch (cause) {
    throw new Error(
      `Cannot use the authority in Secret "${nameOf(place)}": its ${CERTIFICATE} and ${KEY} are no pair; remove it to have another one made`,
      { cause },
    );
  }
}

function dataOf({ authority, former }: FoundAuthority): Record<string, string> {
  const { certificate, privateKey } = authority.credential;
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  return { [CERTIFICATE]: encoded(`${certificate}${former}`), [KEY]: encoded(privateKey) };
}

async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
