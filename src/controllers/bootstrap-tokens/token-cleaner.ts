import { keyOf, Secret } from '../../client/index.ts';
import { controller, type Controller } from '../../kit/index.ts';
import { BOOTSTRAP_TOKEN_TYPE, endOf } from './bootstrap-token.ts';

/** Deletes expired bootstrap tokens. */
export function tokenCleaner(): Controller {
  return controller(Secret, {
    queueName: 'token_cleaner',
    name: 'token-cleaner',
    where: { namespace: 'kube-system', fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}` },
    async reconcile(secret, { objects, clock, after }) {
      const leftMs = endOf(secret) - clock.now();
      if (leftMs === Infinity) return;
      if (leftMs > 0) after(leftMs);
      else await objects(Secret).delete(keyOf(secret), { preconditions: { uid: secret.metadata.uid } });
    },
  });
}
