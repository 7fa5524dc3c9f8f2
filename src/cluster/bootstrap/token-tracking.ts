import type { ApiObject } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';
import type { OwnObject } from './own-object.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Records since which day the use of Secrets' tokens is tracked, for the controller that removes unused ones. */
export function tokenTracking(clock: Pick<Clock, 'now'>): OwnObject {
  const since = new Date(clock.now()).toISOString().slice(0, 10);
  return {
    kind: { group: '', plural: 'configmaps', root: '/api/v1' },
    object: {
      metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
      data: { since },
    },
    amend: (current) => {
      const { data = {} } = current as ApiObject & { readonly data?: Readonly<Record<string, string>> };
      if (DATE.test(data['since'] ?? '')) return undefined;
      return { type: 'update', object: { ...current, data: { ...data, since } } as ApiObject };
    },
  };
}
