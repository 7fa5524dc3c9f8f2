import type { Clock } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { ContainerSpec, ProbeResult } from '../life/index.ts';
import type { ActionExecutor, ContainerStatus } from '../runtime/index.ts';
import { type ProbeKind, type ProbeSpec, type ProbeState, type ProbeTally, ProbeWorker } from './probe-worker.ts';

export interface PodProbesParts {
  readonly clock: Clock;
  readonly executor: ActionExecutor;
  /** The part before `://` in container ids. */
  readonly runtimeName: string;
  /** Called when a result has changed. */
  changed(): void;
  tell(pod: Observed<Pod>, container: string, event: { readonly reason: string; readonly message: string }): void;
}

/** What came of one probe of a running container. */
export interface ProbeRecord extends ProbeTally {
  readonly kind: ProbeKind;
  readonly container: string;
  readonly pod: string;
  readonly namespace: string;
  readonly uid: string;
}

type Workers = ReadonlyMap<ProbeKind, ProbeWorker>;

/** The probes of a pod's running containers. */
export class PodProbes implements Disposable {
  readonly #parts: PodProbesParts;
  /** By the id of the container. */
  readonly #workers = new Map<string, Workers>();
  #pod: Observed<Pod> | undefined;

  constructor(parts: PodProbesParts) {
    this.#parts = parts;
  }

  /** Probes these running containers, and stops probing all others. */
  follow(pod: Observed<Pod>, running: readonly ContainerStatus[], podIp: string): void {
    // the answers of an executor may depend on the pod
    const hasChanged = this.#pod?.metadata.annotations !== pod.metadata.annotations;
    this.#pod = pod;
    for (const [id, workers] of this.#workers) {
      if (!running.some((container) => container.id === id)) this.#drop(id, workers);
      else if (hasChanged) for (const worker of workers.values()) worker.recheck();
    }
    for (const status of running) {
      const container = probedContainers(pod).find(({ name }) => name === status.metadata.name);
      if (container !== undefined && !this.#workers.has(status.id)) this.#begin(container, status, podIp);
      this.#continue(pod, status);
    }
  }

  /** Startup probes come first. Only readiness probes go on while the pod is being deleted. */
  #continue(pod: Observed<Pod>, status: ContainerStatus): void {
    const isEnding = pod.metadata.deletionTimestamp !== undefined;
    const { isStarted } = this.result(status);
    for (const worker of this.#workers.get(status.id)?.values() ?? []) {
      if (isEnding && worker.kind !== 'readiness') worker[Symbol.dispose]();
      else if (isStarted || worker.kind === 'startup') worker.start();
    }
  }

  result(container: ContainerStatus): ProbeResult {
    const workers = this.#workers.get(container.id);
    const startup = workers?.get('startup');
    const readiness = workers?.get('readiness');
    const unprobed = this.#parts.executor.readiness(container);
    const isStarted = startup === undefined ? unprobed.isStarted : startup.state === 'success';
    const isReady = isStarted && (readiness === undefined ? unprobed.isReady : readiness.state === 'success');
    const waits = isReady || (isStarted ? readiness : startup) !== undefined;
    const failed = [startup, workers?.get('liveness')].find((worker) => worker?.state === 'failure');
    return {
      isStarted,
      isReady,
      ...(waits || unprobed.changesAtMs === undefined ? {} : { changesAtMs: unprobed.changesAtMs }),
      ...(failed === undefined ? {} : { failed: failureOf(failed) }),
    };
  }

  *records(): Generator<ProbeRecord> {
    const { name: pod = '', namespace = '', uid = '' } = this.#pod?.metadata ?? {};
    for (const workers of this.#workers.values())
      for (const worker of workers.values())
        yield { ...worker.tally(), kind: worker.kind, container: worker.container, pod, namespace, uid };
  }

  [Symbol.dispose](): void {
    for (const [id, workers] of this.#workers) this.#drop(id, workers);
  }

  #begin(container: ContainerSpec, status: ContainerStatus, podIp: string): void {
    const { clock, executor, changed } = this.#parts;
    const workers = new Map<ProbeKind, ProbeWorker>();
    const add = (purpose: ProbeKind, spec: ProbeSpec | undefined): void => {
      if (spec === undefined) return;
      const target = { containerId: status.id, container, podIp, purpose };
      const tell = (reason: string, message: string): void => {
        if (this.#pod !== undefined) this.#parts.tell(this.#pod, container.name, { reason, message });
      };
      const startedAtMs = status.startedAtMs ?? clock.now();
      const initial = this.#initial(purpose, status);
      workers.set(purpose, new ProbeWorker(spec, target, { clock, executor, changed, startedAtMs, initial, tell }));
    };
    add('startup', container.startupProbe);
    add('liveness', container.livenessProbe);
    add('readiness', container.readinessProbe);
    this.#workers.set(status.id, workers);
  }

  /** The result to begin with, from the pod's status: it survives a restart of the process. */
  #initial(kind: ProbeKind, { id, metadata }: ContainerStatus): ProbeState {
    if (kind === 'liveness') return 'success';
    const { containerStatuses = [], initContainerStatuses = [] } = this.#pod?.status ?? {};
    const reported = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === metadata.name);
    const isSame = reported?.containerID === `${this.#parts.runtimeName}://${id}`;
    if (isSame && (kind === 'startup' ? reported.started === true : reported.ready)) return 'success';
    return kind === 'startup' ? 'unknown' : 'failure';
  }

  #drop(id: string, workers: Workers): void {
    for (const worker of workers.values()) worker[Symbol.dispose]();
    this.#workers.delete(id);
  }
}

function failureOf({ kind, spec }: ProbeWorker): NonNullable<ProbeResult['failed']> {
  const { terminationGracePeriodSeconds: graceSeconds } = spec;
  return { probe: kind, ...(graceSeconds === undefined ? {} : { graceSeconds }) };
}

function probedContainers({ spec }: Observed<Pod>): readonly ContainerSpec[] {
  const all = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter((each) => each.restartPolicy === 'Always'),
  ];
  return all.filter(
    ({ startupProbe, livenessProbe, readinessProbe }) => startupProbe ?? livenessProbe ?? readinessProbe,
  );
}

/** Probes of a pod cannot change. */
export function hasProbes(pod: Observed<Pod>): boolean {
  return probedContainers(pod).length > 0;
}
