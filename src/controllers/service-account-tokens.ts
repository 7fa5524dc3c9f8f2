import { hasReason, keyOf, type Observed, Secret, ServiceAccount } from '../client/index.ts';
import { controller, type Controller, watch } from '../kit/index.ts';

/** The claims of a Secret's token. */
export interface SecretToken {
  readonly namespace: string;
  readonly secretName: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
}

export interface ServiceAccountTokensOptions {
  /** PEM of the CA of the API server's certificate. */
  readonly rootCertificate: string;
  /** Signs a token without expiry. */
  readonly sign: (token: SecretToken) => string;
}

const TYPE = 'kubernetes.io/service-account-token';
const NAME_ANNOTATION = 'kubernetes.io/service-account.name';
const UID_ANNOTATION = 'kubernetes.io/service-account.uid';

/**
 * Fills Secrets of type `kubernetes.io/service-account-token`, and deletes them together with their service account.
 */
export function serviceAccountTokens({ rootCertificate, sign }: ServiceAccountTokensOptions): Controller {
  const authority = Buffer.from(rootCertificate).toString('base64');
  return controller(Secret, {
    name: 'serviceaccount-token',
    queueName: 'serviceaccount_tokens_service',
    concurrency: 5,
    where: { fieldSelector: `type=${TYPE}` },
    watches: [
      watch(ServiceAccount, {
        to: (account, { objects }) =>
          objects(Secret)
            .list()
            .filter((secret) => isOf(secret, account))
            .map(keyOf),
      }),
    ],
    async reconcile(secret, { objects, client, signal }) {
      const { name = '', namespace = '', annotations = {} } = secret.metadata;
      const accountName = annotations[NAME_ANNOTATION] ?? '';
      if (accountName === '') return;
      const uid = annotations[UID_ANNOTATION] ?? '';
      const accounts = client.core.v1.serviceaccounts.namespace(namespace);
      const account =
        objects(ServiceAccount).get(`${namespace}/${accountName}`) ??
        (await accounts.get(accountName, { signal }).catch(unlessMissing)); // the account may be newer than the cache
      const secrets = objects(Secret);
      if (account === undefined || (uid !== '' && uid !== account.metadata.uid)) {
        await secrets.delete(keyOf(secret), { preconditions: { uid: secret.metadata.uid } });
        return;
      }
      const { data = {} } = secret;
      const isWhole = data['token'] && data['namespace'] && data['ca.crt'] === authority;
      if (isWhole) return;
      const serviceAccount = { name: accountName, uid: account.metadata.uid ?? '' };
      const token = data['token'] || base64(sign({ namespace, secretName: name, serviceAccount }));
      const filled = { ...data, 'ca.crt': authority, namespace: data['namespace'] || base64(namespace), token };
      const noted = { ...annotations, [UID_ANNOTATION]: serviceAccount.uid };
      await secrets.update({ ...secret, metadata: { ...secret.metadata, annotations: noted }, data: filled });
    },
  });
}

function isOf({ metadata }: Observed<Secret>, account: Observed<ServiceAccount>): boolean {
  return (
    metadata.namespace === account.metadata.namespace &&
    metadata.annotations?.[NAME_ANNOTATION] === account.metadata.name
  );
}

function unlessMissing(error: unknown): undefined {
  if (!hasReason(error, 'NotFound')) throw error;
  return undefined;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
