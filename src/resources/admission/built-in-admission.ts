import type { AdmissionPlugin } from '../../apiserver/index.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { runtimeClassAdmission } from '../node/runtimeclass-admission.ts';
import { type AdmissionChoice, admissionProblems } from './admission-choice.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificate-admission.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { limitRanger } from './limit-ranger.ts';
import { nodeRestriction } from './node-restriction.ts';
import { pluginOrder } from './plugin-order.ts';
import { priorityAdmission } from './priority-admission.ts';
import { serviceAccountAdmission } from './service-account-admission.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

/** Those that are there. When they run is said by `pluginOrder`. */
const makers: Readonly<Record<string, (parts: AdmissionParts) => AdmissionPlugin>> = {
  NamespaceLifecycle: namespaceLifecycle,
  LimitRanger: limitRanger,
  ServiceAccount: serviceAccountAdmission,
  NodeRestriction: nodeRestriction,
  TaintNodesByCondition: taintNodesByCondition,
  Priority: priorityAdmission,
  DefaultTolerationSeconds: defaultTolerationSeconds,
  RuntimeClass: runtimeClassAdmission,
  CertificateApproval: certificateApproval,
  CertificateSigning: certificateSigning,
  CertificateSubjectRestriction: certificateSubjectRestriction,
};

/** Those that objects of the API configure; they are made elsewhere and given to `builtInAdmission`. */
const configured: ReadonlySet<string> = new Set([
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
]);

/** Whether a plugin that kube-apiserver knows is there. */
export function hasAdmissionPlugin(name: string): boolean {
  return Object.hasOwn(makers, name) || configured.has(name);
}

/**
 * The admission plugins of a cluster in running order: those that are on by default, with what is chosen besides. Plugins
 * that are made elsewhere take the places that their names have in the order.
 */
export function builtInAdmission(
  parts: AdmissionParts,
  { enable = [], disable = [] }: Partial<AdmissionChoice> = {},
  others: readonly AdmissionPlugin[] = [],
): readonly AdmissionPlugin[] {
  const [problem] = admissionProblems({ enable, disable });
  if (problem !== undefined) throw new Error(`Cannot choose admission plugins: ${problem}`);
  return pluginOrder
    .filter(({ name, isOnByDefault }) => (isOnByDefault || enable.includes(name)) && !disable.includes(name))
    .flatMap(({ name }) => makers[name]?.(parts) ?? others.filter((plugin) => plugin.name === name));
}
