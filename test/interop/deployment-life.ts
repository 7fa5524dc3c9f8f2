import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  type Deployment,
  hasReason,
  mergePatch,
  type Observed,
  type Pod,
  strategicPatch,
} from '../../src/client/index.ts';

type Steps = Readonly<Record<string, (signal: AbortSignal) => Promise<void>>>;

const NAMESPACE = 'interop-life';
const REST_MS = 60_000;
const LABELS = { app: 'web' };

/** The life of a Deployment, from a Ready node to the end of its namespace, as its controllers make it. */
export class DeploymentLife {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** What is done and waited for, in order. */
  get steps(): Steps {
    return {
      node: (signal) => this.#nodeIsReady(signal),
      'ServiceAccount and root certificate': (signal) => this.#namespaceIsFilled(signal),
      'three pods Ready': (signal) => this.#deploy(signal),
      Service: (signal) => this.#serve(signal),
      'scale to five': (signal) => this.#scale(5, signal),
      'roll out': (signal) => this.#rollOut(signal),
      'replace a lost pod': (signal) => this.#losePod(signal),
      'scale to one': (signal) => this.#scale(1, signal),
      'a quiet minute': (signal) => this.#rest(signal),
      'delete in the foreground': (signal) => this.#deleteDeployment(signal),
      'delete the namespace': (signal) => this.#deleteNamespace(signal),
    };
  }

  /** Ready, and no longer tainted as it was before: that is for the node controller to take away. */
  async #nodeIsReady(signal: AbortSignal): Promise<void> {
    await eventually(signal, async () => {
      const { items } = await this.#client.core.v1.nodes.list({ signal });
      const ready = items.filter(({ status, spec }) => {
        const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
        return isReady && (spec?.taints ?? []).length === 0;
      });
      expect(ready.length === 1, `nodes are ${JSON.stringify(items.map(({ spec, status }) => [spec, status]))}`);
    });
  }

  async #namespaceIsFilled(signal: AbortSignal): Promise<void> {
    await this.#client.core.v1.namespaces.create({ metadata: { name: NAMESPACE } }, { signal });
    await eventually(signal, async () => {
      await this.#client.core.v1.serviceaccounts.namespace(NAMESPACE).get('default', { signal });
      const published = await this.#client.core.v1.configmaps.namespace(NAMESPACE).get('kube-root-ca.crt', { signal });
      expect(published.data?.['ca.crt']?.includes('BEGIN CERTIFICATE') ?? false, 'the root certificate is empty');
    });
  }

  async #deploy(signal: AbortSignal): Promise<void> {
    const containers = [{ name: 'main', image: 'registry.invalid/main:1' }];
    await this.#client.apps.v1.deployments.namespace(NAMESPACE).create(
      {
        metadata: { name: 'web' },
        spec: {
          replicas: 3,
          selector: { matchLabels: LABELS },
          template: { metadata: { labels: LABELS }, spec: { containers } },
        },
      },
      { signal },
    );
    await this.#isComplete(3, signal);
    for (const { metadata, spec } of await this.#pods(signal)) {
      expect(spec?.nodeName !== undefined, `the pod ${metadata.name} is not bound`);
      expect(metadata.ownerReferences?.[0]?.kind === 'ReplicaSet', `the pod ${metadata.name} has no owner`);
    }
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const spec = { selector: LABELS, ports: [{ port: 80 }] };
    await this.#client.core.v1.services.namespace(NAMESPACE).create({ metadata: { name: 'web' }, spec }, { signal });
    await eventually(signal, async () => {
      const slices = await this.#client.discovery.v1.endpointslices
        .namespace(NAMESPACE)
        .list({ labelSelector: 'kubernetes.io/service-name=web', signal });
      const ready = slices.items
        .flatMap(({ endpoints }) => endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready);
      expect(ready.length === 3, `${ready.length} endpoints are ready`);
    });
  }

  async #scale(replicas: number, signal: AbortSignal): Promise<void> {
    const deployments = this.#client.apps.v1.deployments.namespace(NAMESPACE);
    await deployments.patch('web', mergePatch({ spec: { replicas } }), { signal });
    await this.#isComplete(replicas, signal);
  }

  async #rollOut(signal: AbortSignal): Promise<void> {
    const before = new Set((await this.#pods(signal)).map(({ metadata }) => metadata.uid));
    const containers = [{ name: 'main', image: 'registry.invalid/main:2' }];
    const deployments = this.#client.apps.v1.deployments.namespace(NAMESPACE);
    const patch = strategicPatch({ spec: { template: { spec: { containers } } } });
    await deployments.patch('web', patch, { signal });
    await this.#isComplete(5, signal);
    const old = (await this.#pods(signal)).filter(({ metadata }) => before.has(metadata.uid));
    expect(old.length === 0, `${old.length} pods are of the old template`);
    const sets = await this.#client.apps.v1.replicasets.namespace(NAMESPACE).list({ signal });
    const scales = sets.items.map(({ spec }) => spec?.replicas ?? 0).sort();
    expect(scales.join() === '0,5', `the ReplicaSets are scaled to ${scales.join()}`);
  }

  async #losePod(signal: AbortSignal): Promise<void> {
    const [lost] = await this.#pods(signal);
    expect(lost !== undefined, 'there is no pod');
    await this.#client.core.v1.pods.namespace(NAMESPACE).delete(lost.metadata.name, { gracePeriodSeconds: 0, signal });
    await eventually(signal, async () => {
      const names = (await this.#pods(signal)).map(({ metadata }) => metadata.uid);
      expect(!names.includes(lost.metadata.uid), `the pod ${lost.metadata.name} is still there`);
    });
    await this.#isComplete(5, signal);
  }

  /** The pod that is left is let alone: by controllers that go through everything again, and by those that watch the node. */
  async #rest(signal: AbortSignal): Promise<void> {
    const before = (await this.#pods(signal)).map(({ metadata }) => metadata.uid);
    await sleep(REST_MS);
    await this.#isComplete(1, signal);
    const after = (await this.#pods(signal)).map(({ metadata }) => metadata.uid);
    expect(before.join() === after.join(), 'the pod was replaced');
  }

  async #deleteDeployment(signal: AbortSignal): Promise<void> {
    const deployments = this.#client.apps.v1.deployments.namespace(NAMESPACE);
    await deployments.delete('web', { propagationPolicy: 'Foreground', signal });
    await eventually(signal, async () => {
      expect((await deployments.list({ signal })).items.length === 0, 'the Deployment is still there');
    });
    const sets = await this.#client.apps.v1.replicasets.namespace(NAMESPACE).list({ signal });
    expect(sets.items.length === 0, `${sets.items.length} ReplicaSets are left`);
    await eventually(signal, async () => {
      const pods = await this.#pods(signal);
      expect(pods.length === 0, `${pods.length} pods are left`);
    });
  }

  async #deleteNamespace(signal: AbortSignal): Promise<void> {
    const { namespaces } = this.#client.core.v1;
    await namespaces.delete(NAMESPACE, { signal });
    await eventually(signal, async () => {
      const left = await namespaces.get(NAMESPACE, { signal }).catch((error: unknown) => {
        if (hasReason(error, 'NotFound')) return undefined;
        throw error;
      });
      expect(left === undefined, `the namespace is still there: ${JSON.stringify(left?.status)}`);
    });
  }

  /** This many pods are Ready, of the newest template, and there are no others; and the Deployment's status says so. */
  async #isComplete(replicas: number, signal: AbortSignal): Promise<void> {
    await eventually(signal, async () => {
      const deployment = await this.#client.apps.v1.deployments.namespace(NAMESPACE).get('web', { signal });
      expect(isComplete(deployment, replicas), `the status is ${JSON.stringify(deployment.status)}`);
      const pods = await this.#pods(signal);
      const ready = pods.filter(isReady);
      expect(pods.length === replicas && ready.length === replicas, `${ready.length} of ${pods.length} pods are ready`);
    });
  }

  async #pods(signal: AbortSignal): Promise<readonly Observed<Pod>[]> {
    return (await this.#client.core.v1.pods.namespace(NAMESPACE).list({ labelSelector: 'app=web', signal })).items;
  }
}

function isComplete({ metadata, status }: Observed<Deployment>, replicas: number): boolean {
  return (
    status?.observedGeneration === metadata.generation &&
    status?.replicas === replicas &&
    status.updatedReplicas === replicas &&
    status.availableReplicas === replicas
  );
}

function isReady({ status }: Observed<Pod>): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}

function expect(isSo: boolean, message: string): asserts isSo {
  if (!isSo) throw new Error(message);
}

/** Asks until the answer is no error, and fails with the last one when the signal aborts. */
async function eventually(signal: AbortSignal, ask: () => Promise<void>): Promise<void> {
  let last: unknown;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) throw last ?? error; // what comes after the abort says nothing but that
      last = error;
    }
    await sleep(100);
  }
}
