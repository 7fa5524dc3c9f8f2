// Pods that the API server has to reach: a webhook, an API server of its own, and a plain web server.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningServer } from '../../../peers/index.ts';
import type { Client } from '../../../src/client/index.ts';
import { authorityPath, NodeCredentials } from '../node-credentials.ts';

export const NAMESPACE = 'reach';
export const IMAGES = 'registry.k8s.io/e2e-test-images/';
const AGNHOST = `${IMAGES}agnhost:2.63.0`;
const KEYS = '/keys';
const ETCD = 'http://127.0.0.1:2379';

/** The pods of this suite, each behind a Service of its name. */
export class ReachedPods {
  readonly #client: Client;
  readonly #authority: string;

  private constructor(client: Client, authority: string) {
    this.#client = client;
    this.#authority = authority;
  }

  /** Creates the namespace with a pair of keys for the servers, and everything in it. `folder` takes the keys. */
  static async create(client: Client, server: RunningServer, folder: string): Promise<ReachedPods> {
    const { namespaces, secrets } = client.core.v1;
    await namespaces.create({ metadata: { name: NAMESPACE } });
    const pair = join(folder, 'reach');
    const names = ['hook', 'wardle'].map((name) => `${name}.${NAMESPACE}.svc`);
    await (await NodeCredentials.read(server)).writeServingPair(pair, names);
    await secrets.namespace(NAMESPACE).create({
      metadata: { name: 'keys' },
      stringData: {
        'tls.crt': await readFile(`${pair}.crt`, 'utf8'),
        'tls.key': await readFile(`${pair}.key`, 'utf8'),
      },
    });
    const authority = Buffer.from(await readFile(authorityPath(server))).toString('base64');
    const pods = new ReachedPods(client, authority);
    await pods.#createAll();
    return pods;
  }

  async #createAll(): Promise<void> {
    const keys = [`--tls-cert-file=${KEYS}/tls.crt`, `--tls-private-key-file=${KEYS}/tls.key`];
    await this.#serve('web', { containers: [agnhost('netexec', '--http-port=8080')], port: 80, targetPort: 8080 });
    await this.#serve('hook', {
      containers: [agnhost('webhook', ...keys, '--port=8444', '-v=2')],
      port: 443,
      targetPort: 8444,
    });
    const server = {
      name: 'main',
      image: `${IMAGES}sample-apiserver:1.29.2`,
      args: [`--etcd-servers=${ETCD}`, ...keys, '--audit-log-path=-'],
    };
    const etcd = {
      name: 'etcd',
      image: 'registry.k8s.io/etcd:3.6.8-0',
      command: ['/usr/local/bin/etcd', `--listen-client-urls=${ETCD}`, `--advertise-client-urls=${ETCD}`],
    };
    await this.#grant();
    await this.#serve('wardle', { containers: [server, etcd], port: 443, targetPort: 443 });
  }

  /** What an API server behind another one has to read. */
  async #grant(): Promise<void> {
    const { clusterroles, clusterrolebindings, rolebindings } = this.#client.rbac.v1;
    const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace: NAMESPACE }];
    const roleRef = (kind: string, name: string): { apiGroup: string; kind: string; name: string } => ({
      apiGroup: 'rbac.authorization.k8s.io',
      kind,
      name,
    });
    const verbs = ['get', 'list', 'watch'];
    await clusterroles.create({
      metadata: { name: 'reach' },
      rules: [
        { apiGroups: [''], resources: ['namespaces'], verbs },
        { apiGroups: ['admissionregistration.k8s.io', 'flowcontrol.apiserver.k8s.io'], resources: ['*'], verbs },
      ],
    });
    for (const name of ['reach', 'system:auth-delegator'])
      await clusterrolebindings.create({
        metadata: { name: `reach-${name.replace(/^.*:/, '')}` },
        roleRef: roleRef('ClusterRole', name),
        subjects,
      });
    await rolebindings.namespace('kube-system').create({
      metadata: { name: 'reach' },
      roleRef: roleRef('Role', 'extension-apiserver-authentication-reader'),
      subjects,
    });
  }

  async #serve(
    name: string,
    { containers, port, targetPort }: { containers: readonly object[]; port: number; targetPort: number },
  ): Promise<void> {
    const volumeMounts = [{ name: 'keys', mountPath: KEYS }];
    await this.#client.core.v1.pods.namespace(NAMESPACE).create({
      metadata: { name, labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: containers.map((container, index) => ({
          name: `container-${index}`,
          ...container,
          ...(index === 0 ? { volumeMounts } : {}),
        })),
        volumes: [{ name: 'keys', secret: { secretName: 'keys' } }],
      },
    });
    await this.#client.core.v1.services.namespace(NAMESPACE).create({
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ port, targetPort }] },
    });
  }

  /** Asks the webhook about every new ConfigMap of the namespace; it denies all of them. */
  async registerWebhook(): Promise<void> {
    await this.#client.admissionregistration.v1.validatingwebhookconfigurations.create({
      metadata: { name: 'reach' },
      webhooks: [
        {
          name: 'deny.reach.example.com',
          clientConfig: {
            service: { namespace: NAMESPACE, name: 'hook', path: '/always-deny' },
            caBundle: this.#authority,
          },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Fail',
        },
      ],
    });
  }

  async registerApi(): Promise<void> {
    await this.#client.apiregistration.v1.apiservices.create({
      metadata: { name: 'v1alpha1.wardle.example.com' },
      spec: {
        group: 'wardle.example.com',
        version: 'v1alpha1',
        service: { namespace: NAMESPACE, name: 'wardle', port: 443 },
        groupPriorityMinimum: 2000,
        versionPriority: 200,
        caBundle: this.#authority,
      },
    });
  }
}

function agnhost(...args: readonly string[]): object {
  return { name: 'main', image: AGNHOST, args };
}
