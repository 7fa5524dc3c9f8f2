import type { Container, PodSpec } from '../../../api/types/core/v1.d.ts';
import { compareUtf8 } from '../../../base/index.ts';

/** The parts of a pod, or of a pod template, that the checks use. */
export interface SecuredPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

/** Why a check forbids a pod: the reason, and the exact problem. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type Judge = (pod: SecuredPod) => Violation | undefined;

/** The rule of a check from a minor version of Kubernetes 1 on, until its next revision. */
export interface Revision {
  readonly since: number;
  readonly judge: Judge;
  /** Baseline checks that this one makes redundant. */
  readonly overrides?: readonly string[];
}

export interface Check {
  readonly id: string;
  /** In order of version. */
  readonly revisions: readonly Revision[];
}

/** All containers in the order in which messages list them. */
export function containersOf({ initContainers, containers, ephemeralContainers }: PodSpec): readonly Container[] {
  return [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
}

/** `container "a"` or `containers "a", "b"`. */
export function naming(containers: readonly Container[]): string {
  return `${plural('container', containers.length)} ${quoted(containers.map(({ name }) => name))}`;
}

/** `pod and containers "a", "b"`, as far as they apply. */
export function setters(isPod: boolean, containers: readonly Container[]): string {
  return [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [naming(containers)] : [])].join(' and ');
}

export function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

/** The texts without duplicates, in order. */
export function distinct(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort(compareUtf8);
}

/** Since Kubernetes 1.25, Windows pods skip checks of what Windows does not have. */
export function unlessWindows(judge: Judge): Judge {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : judge(pod));
}

/** Since Kubernetes 1.35, pods with user namespaces skip checks of the user they run as. */
export function unlessOwnUsers(judge: Judge): Judge {
  return (pod) => (pod.spec.hostUsers === false ? undefined : judge(pod));
}
