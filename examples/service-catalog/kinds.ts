import { type ObjectOf, resource } from 'keelson';
import { z } from 'zod';

const VERSION = 'servicecatalog.k8s.io/v1beta1';
/** Groups below k8s.io are protected: a definition in one says who approved it, or that it was not. */
const approval = {
  annotations: { 'api-approved.kubernetes.io': 'unapproved, as this group was served by aggregation' },
};
const free = z.record(z.string(), z.unknown());
const text = z.string().min(1);

const condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.int().optional(),
});
const userInfo = z.object({
  username: z.string(),
  uid: z.string().default(''),
  groups: z.array(z.string()).optional(),
  extra: z.record(z.string(), z.array(z.string())).optional(),
});
const parametersFrom = z.array(z.object({ secretKeyRef: z.object({ name: text, key: text }) })).optional();

const brokerSpec = {
  url: text,
  insecureSkipTLSVerify: z.boolean().default(false),
  /** Base64 of PEM. */
  caBundle: z.string().optional(),
  relistBehavior: z.enum(['Duration', 'Manual']).default('Duration'),
  relistDuration: z.string().default('15m'),
  relistRequests: z.int().min(0).default(0),
  /** Which classes and plans of the catalog are offered: all that fulfil every restriction. */
  catalogRestrictions: z
    .object({ serviceClass: z.array(text).optional(), servicePlan: z.array(text).optional() })
    .optional(),
};
const brokerStatus = z.object({
  conditions: z.array(condition),
  reconciledGeneration: z.int(),
  lastCatalogRetrievalTime: z.string().optional(),
  /** How many classes and plans the catalog has that are offered: one that a user deletes is missed. */
  offered: z.int().optional(),
});
const secretRef = z.object({ secretRef: z.object({ namespace: z.string().optional(), name: text }) }).optional();
const broker = {
  spec: z.object({ ...brokerSpec, authInfo: z.object({ basic: secretRef, bearer: secretRef }).optional() }),
  status: brokerStatus,
};
const brokerColumns = {
  URL: (it: { spec: { url: string } }) => it.spec.url,
  Status: (it: { status?: { conditions: readonly { reason: string }[] } }) => it.status?.conditions[0]?.reason,
  Age: (it: { metadata?: { creationTimestamp?: string } }) => it.metadata?.creationTimestamp,
};

export const ClusterServiceBroker = resource(VERSION, 'ClusterServiceBroker', {
  ...approval,
  scope: 'Cluster',
  ...broker,
  columns: brokerColumns,
  rules: {
    '!has(self.authInfo) || ((!has(self.authInfo.basic) || has(self.authInfo.basic.secretRef.namespace)) && (!has(self.authInfo.bearer) || has(self.authInfo.bearer.secretRef.namespace)))':
      'secretRef needs a namespace',
  },
});
export const ServiceBroker = resource(VERSION, 'ServiceBroker', {
  ...approval,
  ...broker,
  columns: brokerColumns,
  rules: {
    '!has(self.authInfo) || ((!has(self.authInfo.basic) || !has(self.authInfo.basic.secretRef.namespace)) && (!has(self.authInfo.bearer) || !has(self.authInfo.bearer.secretRef.namespace)))':
      'secretRef is in the namespace of the broker',
  },
});
export type ServiceBroker = ObjectOf<typeof ServiceBroker>;

const reference = z.object({ name: z.string() });
const catalogStatus = z.object({ removedFromBrokerCatalog: z.boolean() });
/** Kinds for the whole cluster name their broker and class in fields that begin with `cluster`. */
const serviceClass = {
  spec: z.object({
    externalName: z.string(),
    externalID: z.string(),
    description: z.string(),
    bindable: z.boolean(),
    bindingRetrievable: z.boolean().default(false),
    planUpdatable: z.boolean().default(false),
    externalMetadata: free.optional(),
    tags: z.array(z.string()).optional(),
    requires: z.array(z.string()).optional(),
    clusterServiceBrokerName: z.string().optional(),
    serviceBrokerName: z.string().optional(),
  }),
  status: catalogStatus,
};
const servicePlan = {
  spec: z.object({
    externalName: z.string(),
    externalID: z.string(),
    description: z.string(),
    bindable: z.boolean().optional(),
    free: z.boolean().default(true),
    externalMetadata: free.optional(),
    instanceCreateParameterSchema: free.optional(),
    instanceUpdateParameterSchema: free.optional(),
    serviceBindingCreateParameterSchema: free.optional(),
    maximumPollingDuration: z.int().optional(),
    maintenanceVersion: z.string().optional(),
    clusterServiceBrokerName: z.string().optional(),
    serviceBrokerName: z.string().optional(),
    clusterServiceClassRef: reference.optional(),
    serviceClassRef: reference.optional(),
  }),
  status: catalogStatus,
};

export const ClusterServiceClass = resource(VERSION, 'ClusterServiceClass', {
  ...approval,
  scope: 'Cluster',
  plural: 'clusterserviceclasses',
  ...serviceClass,
  columns: { 'External-Name': (it) => it.spec.externalName, Broker: (it) => it.spec.clusterServiceBrokerName },
});
export const ServiceClass = resource(VERSION, 'ServiceClass', {
  ...approval,
  plural: 'serviceclasses',
  ...serviceClass,
  columns: { 'External-Name': (it) => it.spec.externalName, Broker: (it) => it.spec.serviceBrokerName },
});
export type ServiceClass = ObjectOf<typeof ServiceClass>;

export const ClusterServicePlan = resource(VERSION, 'ClusterServicePlan', {
  ...approval,
  scope: 'Cluster',
  ...servicePlan,
  columns: {
    'External-Name': (it) => it.spec.externalName,
    Broker: (it) => it.spec.clusterServiceBrokerName,
    Class: (it) => it.spec.clusterServiceClassRef?.name,
  },
});
export const ServicePlan = resource(VERSION, 'ServicePlan', {
  ...approval,
  ...servicePlan,
  columns: {
    'External-Name': (it) => it.spec.externalName,
    Broker: (it) => it.spec.serviceBrokerName,
    Class: (it) => it.spec.serviceClassRef?.name,
  },
});
export type ServicePlan = ObjectOf<typeof ServicePlan>;

const optional = text.optional();
const operation = {
  conditions: z.array(condition),
  reconciledGeneration: z.int(),
  asyncOpInProgress: z.boolean(),
  orphanMitigationInProgress: z.boolean(),
  currentOperation: z.string().optional(),
  operationStartTime: z.string().optional(),
  /** The broker's name for what goes on. */
  lastOperation: z.string().optional(),
};
/** How the broker knows it, for as long as it may have something of it. */
const external = z.object({
  broker: z.string(),
  serviceID: z.string(),
  planID: z.string(),
  planExternalName: z.string(),
  parameterChecksum: z.string(),
  updateRequests: z.int(),
});

export const ServiceInstance = resource(VERSION, 'ServiceInstance', {
  ...approval,
  spec: z.object({
    clusterServiceClassExternalName: optional,
    clusterServicePlanExternalName: optional,
    clusterServiceClassExternalID: optional,
    clusterServicePlanExternalID: optional,
    clusterServiceClassName: optional,
    clusterServicePlanName: optional,
    serviceClassExternalName: optional,
    servicePlanExternalName: optional,
    serviceClassExternalID: optional,
    servicePlanExternalID: optional,
    serviceClassName: optional,
    servicePlanName: optional,
    /** What the names were found to mean. The catalog sets them, and clears them when the names change. */
    clusterServiceClassRef: reference.optional(),
    clusterServicePlanRef: reference.optional(),
    serviceClassRef: reference.optional(),
    servicePlanRef: reference.optional(),
    parameters: free.optional(),
    parametersFrom,
    /** Not to be set: an id of one's own could be that of another user's. The uid of the object is used. */
    externalID: optional,
    userInfo: userInfo.optional(),
    updateRequests: z.int().min(0).default(0),
  }),
  status: z.object({
    ...operation,
    provisionStatus: z.enum(['Provisioned', 'NotProvisioned']),
    dashboardURL: z.string().optional(),
    /** The class and the plan as the user named them, for tables. */
    userSpecifiedClassName: z.string().optional(),
    userSpecifiedPlanName: z.string().optional(),
    externalProperties: external.optional(),
    inProgressProperties: external.optional(),
  }),
  rules: { '!has(self.externalID)': 'externalID cannot be chosen: it is the uid of the object' },
  columns: {
    Class: (it) => it.status.userSpecifiedClassName,
    Plan: (it) => it.status.userSpecifiedPlanName,
    Status: (it) => it.status.conditions[0]?.reason,
    Age: (it) => it.metadata?.creationTimestamp,
  },
});
export type ServiceInstance = ObjectOf<typeof ServiceInstance>;

export const ServiceBinding = resource(VERSION, 'ServiceBinding', {
  ...approval,
  spec: z.object({
    instanceRef: reference,
    parameters: free.optional(),
    parametersFrom,
    secretName: optional,
    secretTransforms: z
      .array(
        z.object({
          renameKey: z.object({ from: text, to: text }).optional(),
          addKey: z.object({ key: text, stringValue: z.string() }).optional(),
          addKeysFrom: z.object({ secretRef: z.object({ namespace: optional, name: text }) }).optional(),
          removeKey: z.object({ key: text }).optional(),
        }),
      )
      .optional(),
    /** Not to be set: an id of one's own could be that of another user's. The uid of the object is used. */
    externalID: optional,
    userInfo: userInfo.optional(),
  }),
  status: z.object({
    ...operation,
    unbindStatus: z.enum(['NotRequired', 'Required']),
    externalProperties: external.optional(),
    inProgressProperties: external.optional(),
  }),
  rules: {
    '!has(self.externalID)': 'externalID cannot be chosen: it is the uid of the object',
    'self.instanceRef == oldSelf.instanceRef': 'instanceRef cannot change',
  },
  columns: {
    'Service-Instance': (it) => it.spec.instanceRef.name,
    'Secret-Name': (it) => it.spec.secretName,
    Status: (it) => it.status.conditions[0]?.reason,
    Age: (it) => it.metadata?.creationTimestamp,
  },
});
export type ServiceBinding = ObjectOf<typeof ServiceBinding>;

export const catalogKinds = [
  ClusterServiceBroker,
  ServiceBroker,
  ClusterServiceClass,
  ServiceClass,
  ClusterServicePlan,
  ServicePlan,
  ServiceInstance,
  ServiceBinding,
] as const;
