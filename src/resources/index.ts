// What other folders may use: the built-in kinds as resources, what they need from a cluster, and their admission.
export { builtInResources } from './built-in-resources.ts';
export {
  type BuiltInOptions,
  type ComponentProbe,
  type ConnectionTarget,
  DEFAULT_EVENT_TTL_SECONDS,
  DEFAULT_NODE_PORTS,
  DEFAULT_SERVICE_CIDR,
  type NodeConnector,
  type PortRange,
} from './kind-environment.ts';
export type { AccessReviewer, BoundObject, TokenIssuer, TokenReviewer, TokenVerdict, TokenSpec } from './access.ts';
export { type AdmissionChoice, admissionProblems, runningPlugins } from './admission/admission-choice.ts';
export type { AdmissionParts, DefaultTolerationSeconds } from './admission/admission-parts.ts';
export { builtInAdmission, type OtherPlugins } from './admission/built-in-admission.ts';
export {
  type PluginConfigurations,
  readAdmissionConfiguration,
} from './admission/configuration/admission-configuration.ts';
export { KUBERNETES_FINALIZER } from './core/namespaces.ts';
export { CLEANUP_FINALIZER } from './apiextensions/customresourcedefinitions.ts';
export { systemPriorityClasses } from './scheduling/priorityclasses.ts';
export { IpRange, type IpFamily } from './networking/ip-range.ts';
