// A third door of `api`: the meaning of core types' fields, shared by the server, the scheduler, the nodes and the
// controllers.
export { isReadable, keyProblem, type KeyProblem, publicKeyOf } from './certificate-keys.ts';
export { type PemBlock, pemBlocks, readSigningRequest, type SigningRequest } from '../../wire/certificates/index.ts';
export { isSidecar } from './containers.ts';
export { type HostPort, HostPorts, hostPortsOf } from './host-ports.ts';
export { isNamespaceTerminating, NAMESPACE_TERMINATING } from './namespace-terminating.ts';
export { anyTerm, compileTerm, type NodeTest, requiredNodes } from './node-selector.ts';
export { networkAnnotations, type NodeNetwork, nodeNetwork } from './node-network.ts';
export { zoneKeyOf } from './node-zone.ts';
export { controllerOf, controllerReference, isControlledBy } from './owner-references.ts';
export { qosClass, qosClassOf, type QosClass } from './pod-qos.ts';
export * from './pod-resources.ts';
export * from './pod-state.ts';
export { isExtendedResource, isNativeResource, isPodLevelResource } from './resource-names.ts';
export * from './resource-claims.ts';
export * from './quota/index.ts';
export * from './taints.ts';
export { type PodReferences, podReferences, volumeSecrets } from './pod-references.ts';
export * from './mandatory-flow-control.ts';
export * from './certificate-requests.ts';
export * from '../cron/index.ts';
export * from './volumes/index.ts';
