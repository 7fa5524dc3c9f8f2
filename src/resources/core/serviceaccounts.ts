import type { ServiceAccount } from '../../api/types/core/v1.d.ts';
import { serviceAccountColumns } from '../columns/core-columns.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';
import { tokenRequestOf } from './token-request.ts';

const ENFORCE = 'kubernetes.io/enforce-mountable-secrets';

export function serviceAccounts(environment: KindEnvironment): Kind {
  return defineKind<ServiceAccount>({
    group: '',
    plural: 'serviceaccounts',
    columns: serviceAccountColumns,
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

/** Secrets are of the same namespace: all but the name of a reference is dropped. */
function keepSecretNames(account: Whole<ServiceAccount>): void {
  if (account.secrets === undefined) return;
  account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
