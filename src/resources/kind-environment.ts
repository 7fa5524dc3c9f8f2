import type { TypeTable } from '../api/index.ts';
import type { Pod } from '../api/types/core/v1.d.ts';
import type { Call, ConnectionAnswer, ServerObjects } from '../apiserver/index.ts';
import type { Clock, Random } from '../base/index.ts';
import type { AccessReviewer, RoleGuard, TokenIssuer, TokenReviewer } from './access.ts';
import type { Whole } from './kind.ts';

/** A cluster's options for its built-in kinds. */
export interface BuiltInOptions {
  /** The objects of all kinds, for the few rules of one kind that read another. */
  readonly objects: ServerObjects;
  readonly random: Random;
  /** For what is dated when it is sent. */
  readonly clock: Pick<Clock, 'now'>;
  /** Networks of service addresses: one, or one of each family; the first is the default family. */
  readonly serviceCidrs?: readonly string[];
  readonly nodePorts?: PortRange;
  readonly eventTtlSeconds?: number;
  /** Answers access reviews; without one they are refused. */
  readonly accessReviewer?: AccessReviewer;
  /** Checks roles and bindings before they are written; without one, their writers may grant anything. */
  readonly roleGuard?: RoleGuard;
  /** Answers token reviews; without one they are refused. */
  readonly tokenReviewer?: TokenReviewer;
  /** Signs service account tokens; without one they are refused. */
  readonly tokenIssuer?: TokenIssuer;
  /** Allows plain HTTP on this machine in webhook configurations, for webhook developers; default false. */
  readonly devWebhooks?: boolean;
  /** Connects to nodes for exec, log, proxy and the like; without one they are refused. */
  readonly nodeConnector?: NodeConnector;
  /** The components that `kubectl get componentstatuses` shows beside the store. */
  readonly components?: readonly ComponentProbe[];
}

/** Connects to what runs on nodes, for streaming and proxy subresources. */
export interface NodeConnector {
  connect(target: ConnectionTarget, call: Call): Promise<ConnectionAnswer>;
}

export type ConnectionTarget =
  | {
      readonly type: 'exec' | 'attach' | 'log';
      readonly node: string;
      readonly pod: Whole<Pod>;
      readonly container: string;
    }
  | { readonly type: 'portforward'; readonly node: string; readonly pod: Whole<Pod> }
  /** `name` may be `name`, `name:port` or `scheme:name:port`. */
  | {
      readonly type: 'podproxy' | 'nodeproxy' | 'serviceproxy';
      readonly namespace: string;
      readonly name: string;
    };

/** A component of the control plane with a health check. */
export interface ComponentProbe {
  readonly name: string;
  /** Throws, with a reason to show, if the component is unhealthy. */
  check(): Promise<void>;
}

/** Both ends are included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** What kinds need beyond their own objects. */
export interface KindEnvironment {
  readonly types: TypeTable;
  readonly objects: ServerObjects;
  readonly random: Random;
  readonly clock: Pick<Clock, 'now'>;
  readonly serviceCidrs: readonly string[];
  readonly nodePorts: PortRange;
  readonly eventTtlSeconds: number;
  readonly accessReviewer: AccessReviewer | undefined;
  readonly roleGuard: RoleGuard | undefined;
  readonly tokenReviewer: TokenReviewer | undefined;
  readonly tokenIssuer: TokenIssuer | undefined;
  readonly devWebhooks: boolean;
  readonly nodeConnector: NodeConnector | undefined;
  readonly components: readonly ComponentProbe[];
}

export const DEFAULT_SERVICE_CIDR = '10.96.0.0/16';
export const DEFAULT_NODE_PORTS: PortRange = { first: 30_000, last: 32_767 };
export const DEFAULT_EVENT_TTL_SECONDS = 3600;

export function kindEnvironment(types: TypeTable, options: BuiltInOptions): KindEnvironment {
  return {
    types,
    objects: options.objects,
    random: options.random,
    clock: options.clock,
    serviceCidrs: options.serviceCidrs ?? [DEFAULT_SERVICE_CIDR],
    nodePorts: options.nodePorts ?? DEFAULT_NODE_PORTS,
    eventTtlSeconds: options.eventTtlSeconds ?? DEFAULT_EVENT_TTL_SECONDS,
    accessReviewer: options.accessReviewer,
    roleGuard: options.roleGuard,
    tokenReviewer: options.tokenReviewer,
    tokenIssuer: options.tokenIssuer,
    devWebhooks: options.devWebhooks ?? false,
    nodeConnector: options.nodeConnector,
    components: options.components ?? [],
  };
}
