// Messages of the Open Service Broker API 2.17, with the names that they have on the wire.

/** The version that brokers and clients here speak. */
export const OSB_VERSION = '2.17';

/** Free-form JSON objects: parameters, contexts, credentials. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The answer to `GET /v2/catalog`. */
export interface OsbCatalog {
  readonly services: readonly OsbService[];
}

/** A service of a catalog. */
export interface OsbService {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly bindable: boolean;
  readonly plans: readonly OsbPlan[];
  readonly tags?: readonly string[];
  readonly requires?: readonly OsbPermission[];
  readonly instances_retrievable?: boolean;
  readonly bindings_retrievable?: boolean;
  readonly allow_context_updates?: boolean;
  readonly plan_updateable?: boolean;
  readonly metadata?: JsonObject;
  readonly dashboard_client?: JsonObject;
}

/** A plan of a service. */
export interface OsbPlan {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly free?: boolean;
  readonly bindable?: boolean;
  readonly binding_rotatable?: boolean;
  readonly plan_updateable?: boolean;
  readonly metadata?: JsonObject;
  readonly schemas?: OsbSchemas;
  readonly maximum_polling_duration?: number;
  readonly maintenance_info?: MaintenanceInfo;
}

/** What instances and bindings of a plan take. */
export interface OsbSchemas {
  readonly service_instance?: { readonly create?: OsbParametersSchema; readonly update?: OsbParametersSchema };
  readonly service_binding?: { readonly create?: OsbParametersSchema };
}

export interface OsbParametersSchema {
  readonly parameters?: JsonObject;
}

/** The version of what instances of a plan run on. */
export interface MaintenanceInfo {
  /** A semantic version. */
  readonly version: string;
  readonly description?: string;
}

/** What bindings of a service need from the platform. */
export type OsbPermission = 'syslog_drain' | 'route_forwarding' | 'volume_mount';

/** The body of a request to make an instance. */
export interface OsbProvisionRequest {
  readonly service_id: string;
  readonly plan_id: string;
  readonly organization_guid: string;
  readonly space_guid: string;
  readonly context?: JsonObject;
  readonly parameters?: JsonObject;
  readonly maintenance_info?: MaintenanceInfo;
}

/** The body of a request to change an instance. */
export interface OsbUpdateRequest {
  readonly service_id: string;
  readonly plan_id?: string;
  readonly context?: JsonObject;
  readonly parameters?: JsonObject;
  readonly previous_values?: JsonObject;
  readonly maintenance_info?: MaintenanceInfo;
}

/** The body of a request to make a binding. */
export interface OsbBindRequest {
  readonly service_id: string;
  readonly plan_id: string;
  readonly app_guid?: string;
  readonly bind_resource?: { readonly app_guid?: string; readonly route?: string; readonly [field: string]: unknown };
  readonly context?: JsonObject;
  readonly parameters?: JsonObject;
  readonly predecessor_binding_id?: string;
}

/** Labels and attributes of an instance that the broker wants the platform to know. */
export interface InstanceMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly attributes?: JsonObject;
}

/** The answer to provisioning and updates. */
export interface OsbInstanceAnswer {
  readonly dashboard_url?: string | null;
  readonly operation?: string | null;
  readonly metadata?: InstanceMetadata;
}

/** The answer to fetching an instance. */
export interface OsbInstance {
  readonly service_id?: string;
  readonly plan_id?: string;
  readonly dashboard_url?: string;
  readonly parameters?: JsonObject;
  readonly maintenance_info?: MaintenanceInfo;
  readonly metadata?: InstanceMetadata;
}

/** A way to the instance over the network. */
export interface BindingEndpoint {
  readonly host: string;
  /** Single ports and ranges: `443`, `9000-9010`. */
  readonly ports: readonly string[];
  /** Default tcp. */
  readonly protocol?: 'tcp' | 'udp' | 'all';
}

/** A device that the platform mounts for the application. */
export interface VolumeMount {
  readonly driver: string;
  readonly container_dir: string;
  readonly mode: 'r' | 'rw';
  readonly device_type: 'shared';
  readonly device: { readonly volume_id: string; readonly mount_config?: JsonObject };
}

/** The answer to binding, and to fetching a binding. */
export interface OsbBinding {
  readonly credentials?: JsonObject;
  readonly syslog_drain_url?: string;
  readonly route_service_url?: string;
  readonly volume_mounts?: readonly VolumeMount[];
  readonly endpoints?: readonly BindingEndpoint[];
  readonly metadata?: { readonly expires_at?: string; readonly renew_before?: string };
  readonly parameters?: JsonObject;
  readonly operation?: string | null;
}

/** How far work in the background is. */
export type OperationState = 'in progress' | 'succeeded' | 'failed';

/** The answer to a look at work in the background. */
export interface OsbLastOperation {
  readonly state: OperationState;
  readonly description?: string;
  readonly instance_usable?: boolean;
  readonly update_repeatable?: boolean;
}

/** The body of a failure. */
export interface OsbFailure {
  readonly error?: string;
  readonly description?: string;
  readonly instance_usable?: boolean;
  readonly update_repeatable?: boolean;
}

/** Who caused a request on the platform, as in `X-Broker-API-Originating-Identity`. */
export interface OriginatingIdentity {
  /** `kubernetes`, `cloudfoundry`, … */
  readonly platform: string;
  /** What the platform says about the user; of Kubernetes `username`, `uid`, `groups` and `extra`. */
  readonly value: JsonObject;
}

/** What platforms ask for that can take long, and is then followed by them. */
export type BrokerVerb = 'provision' | 'update' | 'deprovision' | 'bind' | 'unbind';
