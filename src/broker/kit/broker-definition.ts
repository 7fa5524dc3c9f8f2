import type { Clock, Duration, Logger, Random } from '../../base/index.ts';
import type {
  BindingEndpoint,
  InstanceMetadata,
  JsonObject,
  OriginatingIdentity,
  OsbBinding,
  VolumeMount,
} from '../protocol/osb.ts';
import type { BrokerRecords } from '../records/broker-records.ts';
import type { BindParametersOf, CatalogDefinition, ParametersOf } from './broker-catalog.ts';

/** What every function gets beside its subject. */
export interface BrokerWork {
  /** Who asked for it on the platform; undefined when the platform did so by itself. */
  readonly originator: OriginatingIdentity | undefined;
  /** `X-Broker-API-Request-Identity`; undefined where the platform sends none, and when work goes on after a restart. */
  readonly requestId: string | undefined;
  /** Aborts when the work is to be given up: the instance is deleted while it is made, or the broker stops. */
  readonly signal: AbortSignal;
  /** Tells the platform how far the work in the background is. */
  progress(description: string): void;
}

/** An instance of one plan. */
export interface ServiceInstance<
  Service extends string = string,
  Plan extends string = string,
  Parameters = JsonObject,
> {
  readonly id: string;
  readonly service: Service;
  readonly plan: Plan;
  readonly parameters: Parameters;
  /** What the platform says about the place; of Kubernetes `platform`, `namespace`, `clusterid`, `instance_name`. */
  readonly context: JsonObject;
  readonly organization: string;
  readonly space: string;
}

/** A binding of an instance of one plan. */
export interface ServiceBinding<
  Service extends string = string,
  Plan extends string = string,
  Parameters = JsonObject,
> {
  readonly id: string;
  readonly service: Service;
  readonly plan: Plan;
  readonly parameters: Parameters;
  readonly context: JsonObject;
  /** The application that it is for; undefined for none. */
  readonly app: string | undefined;
  /** The address whose requests the service is to handle, of services that require `route_forwarding`. */
  readonly route: string | undefined;
  /** The binding that this one is to succeed; both are valid for a while. */
  readonly predecessor: string | undefined;
  readonly instance: ServiceInstance;
}

type NameIn<T> = keyof T & string;

/** The instances of all plans of a catalog: `service` and `plan` tell which parameters there are. */
export type InstanceOf<C extends CatalogDefinition> = {
  [S in NameIn<C>]: {
    [P in NameIn<C[S]['plans']>]: ServiceInstance<S, P, ParametersOf<C[S]['plans'][P]>>;
  }[NameIn<C[S]['plans']>];
}[NameIn<C>];

/** The bindings of all plans of a catalog. */
export type BindingOf<C extends CatalogDefinition> = {
  [S in NameIn<C>]: {
    [P in NameIn<C[S]['plans']>]: ServiceBinding<S, P, BindParametersOf<C[S]['plans'][P]>>;
  }[NameIn<C[S]['plans']>];
}[NameIn<C>];

/** What provisioning and updates may tell the platform. */
export interface MadeInstance {
  readonly metadata?: InstanceMetadata;
}

/** What a binding gives to the application. */
export interface MadeBinding {
  readonly credentials?: JsonObject;
  readonly syslogDrainUrl?: string;
  readonly routeServiceUrl?: string;
  readonly volumeMounts?: readonly VolumeMount[];
  readonly endpoints?: readonly BindingEndpoint[];
  readonly expiresAt?: Date;
  readonly renewBefore?: Date;
}

type MaybeLater<T> = T | Promise<T>;

/** A broker: what it offers, and what it does. What a function throws is a failure; see `BrokerError`. */
export interface BrokerDefinition<C extends CatalogDefinition = CatalogDefinition> {
  readonly catalog: C;
  /** Makes an instance. After a crash it is called again for the same instance, and finishes what was begun. */
  provision(instance: InstanceOf<C>, work: BrokerWork): MaybeLater<MadeInstance | void>;
  /** Changes an instance into what it is now to be; default: updates are refused. */
  update?(
    instance: InstanceOf<C>,
    work: BrokerWork & { readonly previous: ServiceInstance },
  ): MaybeLater<MadeInstance | void>;
  /** Removes an instance, also one that was not wholly made. */
  deprovision(instance: InstanceOf<C>, work: BrokerWork): MaybeLater<void>;
  /** Makes a binding; default: services cannot be bound. */
  bind?(binding: BindingOf<C>, work: BrokerWork): MaybeLater<MadeBinding>;
  /** Removes a binding, also one that was not wholly made. */
  unbind?(binding: BindingOf<C>, work: BrokerWork): MaybeLater<void>;
  /** The address of a page about an instance. */
  dashboard?(instance: InstanceOf<C>): string | undefined;
  /** Where instances are remembered; default in memory, which is for tests. */
  readonly records?: BrokerRecords;
  /** How long platforms wait between two looks at work in the background; default 5s. */
  readonly pollEvery?: Duration;
  /** Default nothing is logged. */
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The wire's form of a binding. Throws a TypeError for what the catalog does not announce. */
export function wireBinding(made: MadeBinding, requires: readonly string[]): OsbBinding {
  const { credentials, syslogDrainUrl, routeServiceUrl, volumeMounts, endpoints, expiresAt, renewBefore } = made;
  const needs = { syslog_drain: syslogDrainUrl, route_forwarding: routeServiceUrl, volume_mount: volumeMounts };
  for (const [permission, value] of Object.entries(needs))
    if (value !== undefined && !requires.includes(permission))
      throw new TypeError(`Cannot answer a binding: its service does not require "${permission}"`);
  if (expiresAt !== undefined && renewBefore !== undefined && renewBefore > expiresAt)
    throw new TypeError('Cannot answer a binding: renewBefore is after expiresAt');
  const metadata = {
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
    ...(renewBefore === undefined ? {} : { renew_before: renewBefore.toISOString() }),
  };
  return {
    ...(credentials === undefined ? {} : { credentials }),
    ...(syslogDrainUrl === undefined ? {} : { syslog_drain_url: syslogDrainUrl }),
    ...(routeServiceUrl === undefined ? {} : { route_service_url: routeServiceUrl }),
    ...(volumeMounts === undefined ? {} : { volume_mounts: volumeMounts }),
    ...(endpoints === undefined ? {} : { endpoints }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}
