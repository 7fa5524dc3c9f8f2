import { quoteGo } from '../../../api/index.ts';
import type { Node } from '../../../api/types/core/v1.d.ts';
import type { AdmissionAttributes } from '../../../apiserver/index.ts';
import { compareUtf8, deepEqual } from '../../../base/index.ts';

type Labels = Readonly<Record<string, string>>;

/** Why a node may not write this Node: it must be its own, without labels or taints by which it could attract pods. */
export function nodeProblem(node: string, request: AdmissionAttributes): string | undefined {
  const { operation, name } = request;
  const quoted = quoteGo(node);
  if (name !== node) return `node ${quoted} is not allowed to modify node ${quoteGo(name)}`;
  const written = request.object as unknown as Node | undefined;
  const old = request.old as unknown as Node | undefined;
  if (operation === 'CREATE') return creationProblem(quoted, written);
  return operation === 'UPDATE' ? changeProblem(quoted, written, old) : undefined;
}

function creationProblem(quoted: string, written: Node | undefined): string | undefined {
  if (written?.spec?.configSource !== undefined) {
    return `node ${quoted} is not allowed to create pods with a non-nil configSource`;
  }
  const labels = forbiddenAmong(written?.metadata?.labels, undefined);
  return labels === '' ? undefined : `node ${quoted} is not allowed to set the following labels: ${labels}`;
}

function changeProblem(quoted: string, written: Node | undefined, old: Node | undefined): string | undefined {
  const source = written?.spec?.configSource;
  if (source !== undefined && !deepEqual(source, old?.spec?.configSource)) {
    return `node ${quoted} is not allowed to update configSource to a new non-nil configSource`;
  }
  if (!deepEqual(written?.spec?.taints ?? [], old?.spec?.taints ?? [])) {
    return `node ${quoted} is not allowed to modify taints`;
  }
  if (!deepEqual(written?.metadata?.ownerReferences ?? [], old?.metadata?.ownerReferences ?? [])) {
    return `node ${quoted} is not allowed to modify ownerReferences`;
  }
  const labels = forbiddenAmong(written?.metadata?.labels, old?.metadata?.labels);
  return labels === '' ? undefined : `is not allowed to modify labels: ${labels}`;
}

/** Labels in Kubernetes' domains that a node may set on itself. */
const OWN_LABELS = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);

function forbiddenAmong(labels: Labels = {}, old: Labels = {}): string {
  const changed = [...new Set([...Object.keys(labels), ...Object.keys(old)])].filter((key) => labels[key] !== old[key]);
  return changed.filter(isForbidden).toSorted(compareUtf8).join(', ');
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? '' : key.slice(0, slash);
  if (isWithin(prefix, 'node-restriction.kubernetes.io')) return true;
  if (!isWithin(prefix, 'kubernetes.io') && !isWithin(prefix, 'k8s.io')) return false;
  return !OWN_LABELS.has(key) && !isWithin(prefix, 'kubelet.kubernetes.io') && !isWithin(prefix, 'node.kubernetes.io');
}

function isWithin(prefix: string, domain: string): boolean {
  return prefix === domain || prefix.endsWith(`.${domain}`);
}
