import { ConfigMap, keyOf, Namespace } from '../client/index.ts';
import { controller, watch } from '../kit/index.ts';
import type { Controller } from '../kit/index.ts';
import { createUnlessThere } from './create-unless-there.ts';

const NAME = 'kube-root-ca.crt';
const DESCRIPTION = 'kubernetes.io/description';
/** As it is in every cluster. */
const ANNOTATIONS = {
  [DESCRIPTION]:
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** Tells every namespace, in the ConfigMap `kube-root-ca.crt`, whose certificates to trust (PEM). */
export function rootCaPublisher(options: { readonly certificate: string }): Controller {
  const data = { 'ca.crt': options.certificate };
  return controller(Namespace, {
    name: 'root-ca-certificate-publisher',
    watches: [
      watch(ConfigMap, {
        to: ({ metadata }) => [metadata.namespace ?? ''],
        when: ({ metadata }) => metadata.name === NAME,
      }),
    ],
    async reconcile(namespace, { objects }) {
      if (namespace.status?.phase !== 'Active') return;
      const maps = objects(ConfigMap);
      const wanted = { metadata: { name: NAME, namespace: namespace.metadata.name, annotations: ANNOTATIONS }, data };
      const current = maps.get(keyOf(wanted));
      if (current === undefined) {
        await createUnlessThere(maps, wanted);
      } else if (!isRight(current.data, data) || !hasDescription(current.metadata.annotations)) {
        const annotations = { ...current.metadata.annotations, ...ANNOTATIONS };
        await maps.update({ ...current, metadata: { ...current.metadata, annotations }, data });
      }
    },
  });
}

function isRight(current: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(current);
  return names.length === Object.keys(wanted).length && names.every((name) => current[name] === wanted[name]);
}

/** In whatever words. */
function hasDescription(annotations: Readonly<Record<string, string>> = {}): boolean {
  return (annotations[DESCRIPTION] ?? '') !== '';
}
