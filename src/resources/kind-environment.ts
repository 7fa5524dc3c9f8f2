import type { TypeTable } from '../api/index.ts';
import type { Pod } from '../api/types/core/v1.d.ts';
import type { Call, ConnectionAnswer, ServerObjects } from '../apiserver/index.ts';
import type { Random } from '../base/index.ts';
import type { AccessReviewer, RoleGuard, TokenIssuer, TokenReviewer } from './access.ts';
import type { Whole } from './kind.ts';

/** What a cluster decides about its built-in kinds. */
export interface BuiltInOptions {
  /** The objects of all kinds, for the few rules of one kind that look at another. */
  readonly objects: ServerObjects;
  readonly random: Random;
  /** Networks of service addresses, one or one of each family; the first says which family is the default. */
  readonly serviceCidrs?: readonly string[];
  readonly nodePorts?: PortRange;
  readonly eventTtlSeconds?: number;
  /** Answers access reviews; without one they are refused. */
  readonly accessReviewer?: AccessReviewer;
  /** Looks at roles and bindings before they are written; without one, who may write them may grant anything. */
  readonly roleGuard?: RoleGuard;
  /** Answers token reviews; without one they are refused. */
  readonly tokenReviewer?: TokenReviewer;
  /** Signs service account tokens; without one they are refused. */
  readonly tokenIssuer?: TokenIssuer;
  /** Webhook configurations may name plain HTTP on this machine, for those who write webhooks; default false. */
  readonly devWebhooks?: boolean;
  /** Reaches nodes for exec, log, proxy and the like; without one they are refused. */
  readonly nodeConnector?: NodeConnector;
  /** What `kubectl get componentstatuses` shows beside the store. */
  readonly components?: readonly ComponentProbe[];
}

/** Reaches what runs on nodes, for the subresources that only pass something through. */
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

/** A part of the control plane that can be asked how it is. */
export interface ComponentProbe {
  readonly name: string;
  /** Throws, with a reason to show, when the component is not well. */
  check(): Promise<void>;
}

/** First and last are both part of it. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** What kinds that need more than their own object are built with. */
export interface KindEnvironment {
  readonly types: TypeTable;
  readonly objects: ServerObjects;
  readonly random: Random;
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
