import { keyOf, Namespace, ServiceAccount } from '../client/index.ts';
import { controller, watch } from '../kit/index.ts';
import type { Controller } from '../kit/index.ts';
import { createIfAbsent } from './create-if-absent.ts';

const NAME = 'default';

/** Creates the service account `default` in every namespace. */
export function serviceAccountController(): Controller {
  return controller(Namespace, {
    name: 'serviceaccount',
    watches: [
      watch(ServiceAccount, {
        to: ({ metadata }) => [metadata.namespace ?? ''],
        when: ({ metadata }) => metadata.name === NAME,
      }),
    ],
    async reconcile(namespace, { objects }) {
      if (namespace.status?.phase !== 'Active') return;
      const accounts = objects(ServiceAccount);
      const wanted = { metadata: { name: NAME, namespace: namespace.metadata.name } };
      if (accounts.get(keyOf(wanted)) === undefined) await createIfAbsent(accounts, wanted);
    },
  });
}
