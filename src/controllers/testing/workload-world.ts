// A namespace in which workloads are acted upon and looked at, the same on Keelson and on a real cluster: what is told of it
// carries nothing that differs from run to run.
import type { Deployment, ReplicaSet } from '../../api/types/apps/v1.d.ts';
import type { Pod, ReplicationController } from '../../api/types/core/v1.d.ts';
import {
  type Client,
  type KubernetesObject,
  mergePatch,
  type Observed,
  type ResourceClient,
} from '../../client/index.ts';

/** How time passes where the workloads are. */
export interface WorldTime {
  nowMs(): number;
  /** Resolves when nothing happens any more. */
  quiet(): Promise<void>;
  pass(seconds: number): Promise<void>;
}

export type Look = Readonly<Record<string, unknown>>;

type Conditions = readonly {
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
}[];

export class WorkloadWorld {
  readonly deployments: ResourceClient<Deployment>;
  readonly replicaSets: ResourceClient<ReplicaSet>;
  readonly controllers: ResourceClient<ReplicationController>;
  readonly pods: ResourceClient<Pod>;
  readonly looks: Look[] = [];
  readonly #client: Client;
  readonly #namespace: string;
  readonly #time: WorldTime;

  constructor(client: Client, namespace: string, time: WorldTime) {
    this.#client = client;
    this.#namespace = namespace;
    this.#time = time;
    this.deployments = client.apps.v1.deployments.namespace(namespace);
    this.replicaSets = client.apps.v1.replicasets.namespace(namespace);
    this.controllers = client.core.v1.replicationcontrollers.namespace(namespace);
    this.pods = client.core.v1.pods.namespace(namespace);
  }

  quiet(): Promise<void> {
    return this.#time.quiet();
  }

  async pass(seconds: number): Promise<void> {
    await this.#time.pass(seconds);
    await this.quiet();
  }

  async change(deployment: string, change: object): Promise<void> {
    await this.deployments.patch(deployment, mergePatch(change));
    await this.quiet();
  }

  setImage(image: string): Promise<void> {
    return this.change('web', { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } });
  }

  /** Makes pods that are not ready so, as a node would: all, or the first few by name. */
  async makeReady(count: number = Infinity): Promise<void> {
    await this.quiet();
    const { items } = await this.pods.list();
    const waiting = items.filter(
      ({ metadata, status }) =>
        metadata.deletionTimestamp === undefined &&
        !status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    );
    const names = waiting.map(({ metadata }) => metadata.name).toSorted();
    const lastTransitionTime = `${new Date(this.#time.nowMs()).toISOString().slice(0, 19)}Z`;
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] };
    for (const name of names.slice(0, count)) await this.pods.status.patch(name, mergePatch({ status }));
    await this.quiet();
  }

  /** Notes what there is. */
  async look(label: string): Promise<void> {
    await this.quiet();
    const [deployments, replicaSets, controllers, pods] = await Promise.all([
      this.deployments.list(),
      this.replicaSets.list(),
      this.controllers.list(),
      this.pods.list(),
    ]);
    this.looks.push({
      label,
      deployments: deployments.items.map((object) => describe(object, object.status)),
      replicaSets: replicaSets.items.map((object) => ({
        ...describe(object, object.status),
        replicas: object.spec?.replicas,
        minReadySeconds: object.spec?.minReadySeconds,
        selector: object.spec?.selector,
        templateLabels: object.spec?.template?.metadata?.labels,
      })),
      controllers: controllers.items.map((object) => describe(object, object.status)),
      pods: pods.items
        .map(({ metadata }) => [metadata.generateName ?? metadata.name, formatMeta(metadata)].join(' '))
        .toSorted(),
    });
  }

  /** Notes what was told about what happened; how often failures were told, and so how, depends on how often it was tried. */
  async lookAtEvents(): Promise<void> {
    await this.quiet();
    const { items } = await this.#client.core.v1.events.namespace(this.#namespace).list();
    const events = new Map<string, number>();
    for (const { involvedObject, type, reason, message, source, reportingComponent, count } of items) {
      const about = `${involvedObject.kind} ${involvedObject.name}`;
      const isFailure = type === 'Warning' && reason === 'FailedCreate';
      const told = maskNames(message ?? '');
      const text = isFailure
        ? `${about}: ${type} ${reason} from ${source?.component}: ${told.replace('(combined from similar events): ', '')}`
        : `${about}: ${type} ${reason} from ${source?.component}/${reportingComponent} x${count}: ${told}`;
      events.set(text, isFailure ? 1 : (events.get(text) ?? 0) + 1);
    }
    this.looks.push({ events: [...events].map(([text, times]) => `${times} of ${text}`).toSorted() });
  }
}

function describe(object: Observed<KubernetesObject>, status: { readonly conditions?: Conditions } | undefined): Look {
  const { name, generation, labels, annotations } = object.metadata;
  const conditions = status?.conditions?.map(({ lastUpdateTime, lastTransitionTime, ...condition }) => ({
    ...condition,
    ...(condition.message === undefined ? {} : { message: maskNames(condition.message) }),
    times: [lastUpdateTime, lastTransitionTime].map((time) => time !== undefined),
  }));
  return { name, generation, labels, annotations, owners: owners(object.metadata), status: { ...status, conditions } };
}

function formatMeta(metadata: Observed<Pod>['metadata']): string {
  return JSON.stringify({
    labels: sorted(metadata.labels),
    annotations: metadata.annotations,
    owners: owners(metadata),
  });
}

function owners(metadata: Observed<KubernetesObject>['metadata']): readonly string[] | undefined {
  return metadata.ownerReferences?.map(
    ({ apiVersion, kind, name, controller, blockOwnerDeletion }) =>
      `${apiVersion} ${kind} ${name}${controller === true ? ' controls' : ''}${blockOwnerDeletion === true ? ' blocks' : ''}`,
  );
}

function sorted(labels: Readonly<Record<string, string>> | undefined): object {
  return Object.fromEntries(Object.entries(labels ?? {}).toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

/** Names that end with chance. */
function maskNames(text: string): string {
  return text.replaceAll(/((?:pod: |pods? ")[a-z0-9-]+-)[a-z0-9]{5}\b/gi, '$1?????');
}
