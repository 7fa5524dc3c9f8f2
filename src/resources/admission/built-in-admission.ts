import type { AdmissionPlugin } from '../../apiserver/index.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { runtimeClassAdmission } from '../node/runtimeclass-admission.ts';
import { type AdmissionChoice, admissionProblems } from './admission-choice.ts';
import type { AdmissionParts } from './admission-parts.ts';
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
};

/** Plugins that ask what objects of the API say; whoever builds the server brings them. */
const configured: ReadonlySet<string> = new Set(['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook']);

/** Whether a plugin that kube-apiserver knows is there. */
export function hasAdmissionPlugin(name: string): boolean {
  return Object.hasOwn(makers, name) || configured.has(name);
}

/**
 * The admission plugins of a cluster in running order: those that are on by default, with what is chosen besides. Plugins that
 * are `brought` take the places of their names.
 */
export function builtInAdmission(
  parts: AdmissionParts,
  { enable = [], disable = [] }: Partial<AdmissionChoice> = {},
  brought: readonly AdmissionPlugin[] = [],
): readonly AdmissionPlugin[] {
  const [problem] = admissionProblems({ enable, disable });
  if (problem !== undefined) throw new Error(`Cannot choose admission plugins: ${problem}`);
  return pluginOrder
    .filter(({ name, isOnByDefault }) => (isOnByDefault || enable.includes(name)) && !disable.includes(name))
    .flatMap(({ name }) => makers[name]?.(parts) ?? brought.filter((plugin) => plugin.name === name));
}
