import { exponentialBuckets, type MetricRegistry } from '../base/index.ts';
import { ConfigMap, keyOf, Namespace, StatusError } from '../client/index.ts';
import { controller, watch } from '../kit/index.ts';
import type { Controller, Objects } from '../kit/index.ts';
import { createIfAbsent } from './create-if-absent.ts';

const NAME = 'kube-root-ca.crt';
const DESCRIPTION = 'kubernetes.io/description';
/** The same as in Kubernetes. */
const ANNOTATIONS = {
  [DESCRIPTION]:
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/** Publishes the CA certificate (PEM) in the ConfigMap `kube-root-ca.crt` of every namespace. */
export function rootCaPublisher(options: { readonly certificate: string }): Controller {
  const data = { 'ca.crt': options.certificate };
  return controller(Namespace, {
    name: 'root-ca-certificate-publisher',
    queueName: 'root_ca_cert_publisher',
    watches: [
      watch(ConfigMap, {
        to: ({ metadata }) => [metadata.namespace ?? ''],
        when: ({ metadata }) => metadata.name === NAME,
      }),
    ],
    async reconcile(namespace, { objects, clock, metrics }) {
      if (namespace.status?.phase !== 'Active') return;
      const startMs = clock.monotonic();
      const count = metrics.shared(syncMetrics);
      try {
        await publish(namespace.metadata.name, objects(ConfigMap));
        count(200, clock.monotonic() - startMs);
      } catch (error) {
        count(error instanceof StatusError ? error.code : 500, clock.monotonic() - startMs);
        throw error;
      }
    },
  });

  async function publish(namespace: string, maps: Objects<ConfigMap>): Promise<void> {
    const wanted = { metadata: { name: NAME, namespace, annotations: ANNOTATIONS }, data };
    const current = maps.get(keyOf(wanted));
    if (current === undefined) {
      await createIfAbsent(maps, wanted);
    } else if (!isRight(current.data, data) || !hasDescription(current.metadata.annotations)) {
      const annotations = { ...current.metadata.annotations, ...ANNOTATIONS };
      await maps.update({ ...current, metadata: { ...current.metadata, annotations }, data });
    }
  }
}

/** Counts a synced namespace by the status code of the response. */
function syncMetrics(metrics: MetricRegistry): (code: number, ms: number) => void {
  const labels = ['code'] as const;
  const name = 'root_ca_cert_publisher_sync';
  const total = metrics.counter({ name: `${name}_total`, help: 'Namespaces looked after.', labels });
  const help = 'How long it takes to look after a namespace.';
  const buckets = exponentialBuckets(0.001, 2, 15);
  const seconds = metrics.histogram({ name: `${name}_duration_seconds`, help, labels, buckets });
  return (code, ms) => {
    total.with({ code: String(code) }).add();
    seconds.with({ code: String(code) }).observe(ms / 1000);
  };
}

function isRight(current: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(current);
  return names.length === Object.keys(wanted).length && names.every((name) => current[name] === wanted[name]);
}

/** The text itself is not compared. */
function hasDescription(annotations: Readonly<Record<string, string>> = {}): boolean {
  return (annotations[DESCRIPTION] ?? '') !== '';
}
