import { EquivalentResources, mutatingAdmissionPolicy, validatingAdmissionPolicy } from '../admission/index.ts';
import type { AdmissionPlugin, Authorizer, ResourceRegistry, ServerObjects } from '../apiserver/index.ts';
import { builtInAdmission } from '../resources/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';

/** What the admission of a server needs of it. */
export interface AdmissionSources {
  readonly objects: ServerObjects;
  readonly authorizer: Authorizer;
  readonly registry: () => ResourceRegistry;
}

/** All admission plugins of a server in running order. */
export function clusterAdmission(options: ControlPlaneOptions, sources: AdmissionSources): readonly AdmissionPlugin[] {
  const { clock, random, enableAdmission = [], disableAdmission = [], admission = [] } = options;
  const { objects, authorizer, registry } = sources;
  const equivalents = new EquivalentResources(registry);
  const configured = { ...sources, equivalents, namespaces: objects.of('', 'namespaces') };
  return [
    ...builtInAdmission(
      { objects, clock, random, authorizer },
      { enable: enableAdmission, disable: disableAdmission },
      [mutatingAdmissionPolicy(configured), validatingAdmissionPolicy(configured)],
    ),
    ...admission,
  ];
}
